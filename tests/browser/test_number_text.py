"""How typed numbers are read: static/js/core/number_text.js over generated texts, beside a reading in Python."""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import Page

from dashboard.core.templatetags.number_fields import DOMAINS, domain, rule_text
from privacy_engine.mechanism import mechanisms

RULES: list[dict[str, Any]] = [
    {"minimum": 1e-6, "maximum": 1e4, "required": True},
    {"minimum": 0.01, "maximum": 2e7, "required": True},
    {"minimum": -180, "maximum": 180, "required": True},
    {"minimum": 0, "maximum": 2**53 - 1, "whole": True},
    {"minimum": 1, "whole": True, "required": True},
    {"minimum": 0},
    {},
]
MINUS = "\u2212"
ALPHABET = [
    "0",
    "1",
    "5",
    "9",
    "00",
    "000",
    ",",
    ".",
    "-",
    MINUS,
    "+",
    "e",
    "E",
    " ",
    "\u00a0",
    "x",
    "\u0663",
    "\uff11",
    "234",
]
READ = """async ([name, texts, rules]) => {
  const { [name]: read } = await import("/static/js/core/number_text.js");
  const finite = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
  return JSON.stringify(rules.map((rule) => texts.map((text) => {
    const { value, values = null, problem } = read(text, rule);
    return [Number.isNaN(value) ? "refused" : value ?? null, values, problem];
  })), finite);
}"""  # as JSON: Playwright takes minutes over half a million values of its own kind


def readings(text: str) -> set[Decimal]:
    """Every number that ``text`` may mean: its marks as decimal ones, or as separators of thousands."""
    sign, number = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    mantissa, mark, power = number.lower().partition("e")
    if not set(mantissa) <= set("0123456789.,") or not re.search("[0-9]", mantissa):
        return set()
    if mark and not re.fullmatch(r"[+-]?[0-9]+", power, re.ASCII):
        return set()
    found = set()
    marks = [char for char in mantissa if char in ".,"]
    if len(marks) <= 1:
        found.add(mantissa.replace(",", "."))
    if not mark:
        for group, decimal in ((",", "."), (".", ",")):
            before, _, after = mantissa.partition(decimal)
            first, *rest = before.split(group)
            grouped = rest and 1 <= len(first) <= 3 and not first.startswith("0")
            if grouped and all(len(one) == 3 for one in rest) and set(after) <= set("0123456789"):
                found.add(before.replace(group, "") + "." + after)
    return {Decimal(f"{sign}{one}{mark}{power}") for one in found}


def expected(text: str, rule: dict[str, Any]) -> float | str | None:
    """The one number that ``text`` means within the rule; "refused", or None for nothing."""
    text = re.sub(f"([eE]){MINUS}", r"\1-", re.sub(f"^{MINUS}", "-", text.strip()))
    if not text:
        return None
    found = readings(text)
    low, high = rule.get("minimum", -float("inf")), rule.get("maximum", float("inf"))
    decimal = {one for one in found if len(re.findall("[.,]", text)) <= 1 and one == Decimal(text.replace(",", "."))}
    if not decimal or any(low <= one <= high for one in map(float, found - decimal)):
        return "refused"
    (one,) = decimal
    value = float(one)
    lost = value == 0 and one != 0
    wrong = rule.get("whole") and (abs(value) > 2**53 - 1 or value != int(value))
    return "refused" if lost or wrong or not low <= value <= high or abs(value) == float("inf") else value


def generated(seed: int, many: int) -> list[str]:
    rng = random.Random(seed)
    texts = ["".join(rng.choices(ALPHABET, k=rng.randint(1, 7))) for _ in range(many)]
    numbers = [
        rng.choice("-+ ")[:1] + f"{rng.uniform(0, 10 ** rng.randint(-3, 8)):.{rng.randint(0, 4)}f}" for _ in range(many)
    ]
    grouped = [f"{rng.uniform(0, 10 ** rng.randint(2, 8)):,.{rng.randint(0, 3)}f}" for _ in range(many)]
    german = [one.translate(str.maketrans(",.", ".,")) for one in grouped + numbers]
    return texts + numbers + grouped + german


@pytest.fixture
def blank(page: Page) -> Page:
    page.goto("/")
    return page


@pytest.mark.parametrize("many", [pytest.param(1_000, marks=pytest.mark.journey), 7_200])
def test_a_text_is_the_one_number_it_can_mean_or_refused(blank: Page, many: int) -> None:
    """Five times as many texts a rule: never another number than an independent reading finds, all others refused."""
    texts = generated(20261122, many)
    found = json.loads(blank.evaluate(READ, ["readNumber", texts, RULES]))
    for rule, answers in zip(RULES, found, strict=True):
        for text, (value, _, problem) in zip(texts, answers, strict=True):
            should = expected(text, rule)
            assert value == should, (text, rule, value, should)
            assert bool(problem) == (should == "refused" or (should is None and bool(rule.get("required")))), (
                text,
                rule,
            )


@pytest.mark.journey
def test_what_a_field_writes_it_reads_again(blank: Page) -> None:
    """20,000 numbers a rule put into a field by a script: the field reads the same bits again."""
    rng = random.Random(7)
    for rule in RULES:
        low, high = rule.get("minimum", -1e6), rule.get("maximum", 1e6)
        values = [min(max(float(f"{rng.uniform(low, high):.{rng.randint(1, 17)}g}"), low), high) for _ in range(20_000)]
        values += [one for one in (1.125, 12.5, 100.001, 999.999, 0.125, 1000.0) if low <= one <= high]
        if rule.get("whole"):
            values = [float(int(value)) for value in values if value >= low]
        assert written_and_read(blank, values, rule) == values


def written_and_read(page: Page, values: list[float], rule: dict[str, Any]) -> Any:
    found = page.evaluate(
        """async ([values, rule]) => {
          const { readNumber, writtenNumber } = await import("/static/js/core/number_text.js");
          const read = JSON.parse(values).map((value) => readNumber(writtenNumber(value, rule), rule).value);
          return JSON.stringify(read.map((value) => (Number.isFinite(value) ? value : String(value))));
        }""",
        [json.dumps(values), rule],
    )
    return json.loads(found)


@pytest.mark.journey
def test_a_list_is_never_read_in_two_ways(blank: Page) -> None:
    lists: dict[str, list[float] | None] = {
        "0.1, 0.3, 1": [0.1, 0.3, 1],
        "0.1,0.3,1": [0.1, 0.3, 1],
        "0,1; 0,3; 1": [0.1, 0.3, 1],
        "1 2 3": [1, 2, 3],
        "0,5": [0.5],  # 0 is no level: one reading is left
        "1,5": None,
        "1,000": None,
        "1,000; 2": None,
        "1, 2, x": None,
    }
    [answers] = json.loads(blank.evaluate(READ, ["readNumbers", list(lists), [{"minimum": 1e-6, "maximum": 1e4}]]))
    assert {text: None if problem else found for text, (_, found, problem) in zip(lists, answers, strict=True)} == lists


@pytest.mark.journey
def test_rules_are_written_alike_in_python_and_javascript(blank: Page) -> None:
    rules = [
        {"minimum": param.lowest, "maximum": param.highest, "whole": whole} for whole, param in map(domain, DOMAINS)
    ]
    rules += [field for cls in mechanisms for field in cls.fields() if not field["choices"]]
    texts = blank.evaluate(
        """async (rules) => {
          const { ruleText } = await import("/static/js/components/number_field.js");
          return rules.map((rule) => ruleText(rule).textContent);
        }""",
        rules,
    )
    assert texts[: len(DOMAINS)] == [rule_text(*domain(name)) for name in DOMAINS]
    assert all(re.fullmatch(r"A (whole )?number( .+)?\.", one) and "e+" not in one for one in texts)
