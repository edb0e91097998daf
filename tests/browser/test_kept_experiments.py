"""What was typed into the form of an experiment is kept, apart for each beginning, until it is submitted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from tests.browser.conftest import PageMonitor, check_page
from tests.browser.page_checks import UNFOLD
from tests.browser.rendering import wait_until_ready
from tests.browser.test_accounts import PASSWORD
from tests.browser.test_experiment_form import ADDRESS, form, only, plan, submitted
from tests.browser.test_experiment_kinds import opened
from tests.browser.test_kept_forms import end_session, restored

_BEGINNINGS = """async (searches) => {
  const { beginningOf } = await import("/static/js/components/experiment_form/kept_experiment.js");
  return searches.map(beginningOf);
}"""
_KEPT = """() => Object.entries(sessionStorage).filter(([key]) => key.startsWith("cairn:form:"))
  .map(([key, value]) => [key.split("/new/")[1], value])"""


def kept(page: Page) -> dict[str, str]:
    """Return what the tab keeps, by beginning."""
    return dict(page.evaluate(_KEPT))


def reload(page: Page) -> None:
    page.reload()
    ready(page)


def ready(page: Page) -> None:
    wait_until_ready(page, "[data-form]")
    page.evaluate(UNFOLD)


def keeps(page: Page, text: str) -> None:
    """Wait until a text is kept."""
    page.wait_for_function(f"(text) => ({_KEPT})().some(([, value]) => value.includes(text))", arg=text)


@pytest.mark.journey
def test_a_beginning_has_one_name(page: Page) -> None:
    page.goto("/tokens/")
    cases = {
        "": "kind=trajectory",
        "?kind=trajectory": "kind=trajectory",
        "?kind=stream&utm=1": "kind=stream",
        "?dataset=7": "dataset=7&kind=trajectory",
        "?dataset=7&preset=loss&kind=stream": "preset=loss&dataset=7",
        "?preset=loss": "preset=loss",
        "?from=3": "from=3",
    }
    assert page.evaluate(_BEGINNINGS, list(cases)) == list(cases.values())


def typed_everywhere(page: Page, walk: Dataset) -> None:
    """Type into every section: rows, lists, refused values, a dataset and its events."""
    page.get_by_role("radio", name="A dataset").check()
    page.get_by_label("Events used").select_option("first")
    page.get_by_label("Events", exact=True).fill("30")
    only(page, "Uniform", "Planned")
    page.get_by_role("button", name="Add variant of Planned").click()
    variances = page.locator("[data-row=landmark-planned]").get_by_label("Step variance q, m²", exact=True)
    variances.nth(0).fill("9")
    variances.nth(1).fill("1,5e3")
    page.get_by_role("checkbox", name="Ornstein-Uhlenbeck smoother", exact=True).check()
    page.get_by_role("checkbox", name="Ornstein-Uhlenbeck smoother for Planned 2").uncheck()
    page.get_by_label("Levels ε").fill("0,3; 1")
    page.get_by_label("Radii r, m").fill("50 500")
    page.locator("[data-landmarks]").get_by_text("Stay points", exact=True).click()
    page.get_by_label("Distances, m").fill("100 400")
    page.get_by_text("Dummy landmarks", exact=True).click()
    page.get_by_role("checkbox", name="One-sided coins").check()
    page.get_by_label("Levels of the selection ε").fill("2")
    page.get_by_text("Adversary model", exact=True).click()
    page.get_by_role("checkbox", name="Strong").check()
    page.get_by_label("Other strengths s").fill("0.5")
    page.get_by_label("Repetitions", exact=True).fill("2x")  # refused, and kept
    page.get_by_label("Common random numbers").uncheck()
    page.get_by_label("Name").fill("Mine")
    keeps(page, "Mine")


def is_as_typed(page: Page) -> None:
    expect(page.get_by_role("radio", name="A dataset")).to_be_checked()
    expect(page.get_by_label("Events used")).to_have_value("first")
    expect(page.get_by_label("Events", exact=True)).to_have_value("30")
    variances = page.locator("[data-row=landmark-planned]").get_by_label("Step variance q, m²", exact=True)
    expect(variances).to_have_count(2)
    assert [one.input_value() for one in variances.all()] == ["9", "1,5e3"]
    for title, on in {"Uniform": True, "Skip": False, "Planned": True}.items():
        expect(page.get_by_role("checkbox", name=title, exact=True)).to_be_checked(checked=on)
    over = "Ornstein-Uhlenbeck smoother for Planned {}"
    expect(page.get_by_role("checkbox", name=over.format(1))).to_be_checked()
    expect(page.get_by_role("checkbox", name=over.format(2))).not_to_be_checked()
    fields = {
        "Levels ε": "0,3; 1", "Radii r, m": "50 500", "Distances, m": "100 400", "Levels of the selection ε": "2",
        "Other strengths s": "0.5", "Name": "Mine",
    }  # fmt: skip
    for label, value in fields.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)
    expect(page.get_by_label("Repetitions", exact=True)).to_have_value("2x")
    expect(page.get_by_role("checkbox", name="Strong")).to_be_checked()
    expect(page.get_by_label("Common random numbers")).not_to_be_checked()


class TestTrajectories:
    def test_reload_back_start_afresh_and_an_expired_session(
        self, page: Page, walk: Dataset, monitor: PageMonitor
    ) -> None:
        form(page)
        typed_everywhere(page, walk)
        reload(page)
        expect(restored(page)).to_contain_text("Restored what you typed.")
        is_as_typed(page)
        check_page(page, both_colours=True)
        page.goto("/")
        page.go_back()
        ready(page)
        is_as_typed(page)
        restored(page).get_by_role("button", name="Start afresh").click()
        expect(page.get_by_label("Levels ε", exact=True)).to_have_value("1")
        expect(page.get_by_role("radio", name="A generated taxi")).to_be_checked()
        expect(page.get_by_role("checkbox", name="Skip", exact=True)).to_be_checked()
        expect(plan(page)).to_contain_text("18 cells × 100 repetitions")
        assert kept(page) == {}

        page.get_by_label("Repetitions", exact=True).fill("3")
        expect(plan(page)).to_contain_text("18 cells × 3 repetitions")
        monitor.expect(500, 401)
        page.route("**/api/v1/experiments/", lambda route: route.fulfill(status=500))
        page.get_by_role("button", name="Run the experiment").click()
        expect(page.locator("[data-problem]")).to_contain_text("The server failed (status 500)")
        page.unroute("**/api/v1/experiments/")
        reload(page)
        expect(page.get_by_label("Repetitions", exact=True)).to_have_value("3")
        expect(plan(page)).to_contain_text("18 cells × 3 repetitions")
        end_session()
        page.get_by_role("button", name="Run the experiment").click()
        dialog = page.get_by_role("dialog", name="Log in again")
        dialog.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/experiments/[0-9a-f-]{36}/"))
        assert kept(page) == {}
        assert Experiment.objects.get().spec["repetitions"] == 3
        page.go_back()
        ready(page)
        expect(page.get_by_label("Repetitions", exact=True)).to_have_value("100")

    def test_beginnings_do_not_mix_and_a_chosen_preset_replaces(self, page: Page, walk: Dataset) -> None:
        radii, repetitions = page.get_by_label("Radii r, m"), page.get_by_label("Repetitions", exact=True)
        form(page)
        repetitions.fill("5")
        keeps(page, '"repetitions":"5"')
        page.get_by_role("link", name=re.compile("^Privacy against utility")).click()
        ready(page)
        expect(repetitions).to_have_value("100")
        expect(restored(page)).to_have_count(0)
        repetitions.fill("6")
        keeps(page, '"repetitions":"6"')
        reload(page)
        expect(repetitions).to_have_value("6")
        expect(page.locator("[data-fold=measures] [data-fold-line]")).to_contain_text("6 repetitions")
        page.get_by_role("link", name=re.compile("^Privacy against utility")).click()
        page.wait_for_function("() => !document.querySelector('[data-restored]')")
        ready(page)
        expect(repetitions).to_have_value("100")
        form(page, f"?dataset={walk.pk}")
        expect(repetitions).to_have_value("100")
        radii.fill("7")
        keeps(page, '"radius_m":"7"')
        other = page.context.new_page()
        form(other, f"?dataset={walk.pk}")
        expect(other.get_by_label("Radii r, m")).not_to_have_value("7")
        other.close()
        page.go_back()
        page.go_back()
        ready(page)
        expect(repetitions).to_have_value("5")
        assert set(kept(page)) == {"kind=trajectory", f"dataset={walk.pk}&kind=trajectory"}

    def test_a_spec_edited_as_text_and_one_that_is_none(self, page: Page, walk: Dataset) -> None:
        odd = {
            "base": {"landmarks": {"name": "manual", "events": [1, 2]}},
            "grid": {"landmarks.events": [[1], [1, 2], [3, 4, 5]]},
            "repetitions": 2,
            "seed": 7,
            "metrics": ["temporal-distance"],
        }
        form(page)
        text = page.get_by_label("Spec as JSON")
        page.locator("[data-json] > summary").click()
        text.fill(json.dumps(odd))
        expect(page.locator("[data-by-hand]")).to_be_visible()
        keeps(page, "temporal-distance")
        reload(page)
        expect(page.locator("[data-by-hand]")).to_be_visible()
        assert json.loads(text.input_value()) == odd
        text.fill('{"base": ')
        keeps(page, '"text":"{\\"base\\": "')
        reload(page)
        expect(text).to_have_value('{"base": ')
        expect(page.locator("[data-text-error]")).to_contain_text("This is not JSON")
        text.fill(json.dumps(odd))
        expect(plan(page)).to_contain_text("3 cells × 2 repetitions")
        made = submitted(page)
        assert made.spec["grid"] == odd["grid"]


@pytest.mark.parametrize(("kind", "label"), [("stream", "Window"), ("checkins", "Cells per side")])
def test_other_kinds(open_page: Callable[..., Page], owner: User, kind: str, label: str) -> None:
    page = open_page(owner)
    opened(page, f"kind={kind}")
    swept = page.locator("[data-swept]").get_by_label(label, exact=False).first
    rows = page.locator("[data-data] [data-row]")
    many = rows.count()
    page.locator("[data-data]").get_by_role("button", name=re.compile("^Add variant")).first.click()
    other: Any = page.get_by_label("Also sweep")
    other.select_option(index=1)
    chosen = other.input_value()
    page.locator("[data-other] input").fill("2, 3")
    page.get_by_role("textbox", name="Repetitions").fill("2")
    swept.fill("4,,8")  # refused, and kept
    keeps(page, "4,,8")
    reload(page)
    expect(restored(page)).to_be_visible()
    expect(swept).to_have_value("4,,8")
    expect(rows).to_have_count(many + 1)
    expect(other).to_have_value(chosen)
    expect(page.locator("[data-other] input")).to_have_value("2, 3")
    expect(page.get_by_role("textbox", name="Repetitions")).to_have_value("2")
    restored(page).get_by_role("button", name="Start afresh").click()
    expect(rows).to_have_count(many)
    expect(other).to_have_value("")
    expect(page.locator("[data-plan]")).to_contain_text("repetitions")
    assert kept(page) == {}
    page.goto(ADDRESS)
    ready(page)
    expect(restored(page)).to_have_count(0)
