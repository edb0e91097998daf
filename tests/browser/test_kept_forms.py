"""What was typed into a form is kept: over a reload, Back, a lost request and the end of a session."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User, UserSession
from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from tests.browser.conftest import PageMonitor, check_page
from tests.browser.rendering import wait_until_ready
from tests.browser.test_accounts import PASSWORD
from tests.browser.test_steps import form, only

_KEPT = "Object.keys(sessionStorage).filter((key) => key.startsWith('cairn:form:')).length"
_PURE = """async () => {
  const memory = await import("/static/js/core/form_memory.js");
  const root = document.createElement("form");
  root.innerHTML = `
    <input name="text" value="1"><input name="twice" value="a"><input name="twice" value="b">
    <div data-field="level"><input id="field-level-17" value="2"></div>
    <input type="radio" name="way" value="near" checked><input type="radio" name="way" value="far">
    <input type="checkbox" name="more" value="x">
    <input type="password" name="secret" value="hush"><input type="hidden" name="csrfmiddlewaretoken" value="t">
    <input type="file" name="file"><div data-unkept><input name="series" value="7"></div>
    <input name="fixed" value="8" readonly><select name="sort"><option>up</option><option>down</option></select>`;
  const before = memory.valuesIn(root);
  root.querySelector("[value=far]").addEventListener("change", () => root.append(
    Object.assign(document.createElement("input"), { name: "reach", value: "" })));
  memory.putValues(root, { "text": "1,5", "twice 1": "c", "level": "x", "way=near": false, "way=far": true,
    "more=x": true, "reach": "30", "gone": "?", "sort": "down" });
  const kept = { values: before, more: null, search: "?way=near" };
  const roomless = Object.getOwnPropertyDescriptor(Storage.prototype, "setItem");
  Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  const full = memory.write("cairn:form:test", kept);
  Object.defineProperty(Storage.prototype, "setItem", roomless);
  sessionStorage.setItem("cairn:form:broken", "{");
  const found = {
    before,
    after: memory.valuesIn(root),
    same: Object.keys(memory.valuesFor(kept, "?way=near")).length,
    other: Object.keys(memory.valuesFor(kept, "?way=far&text=2")),
    full,
    broken: memory.read("cairn:form:broken"),
    nothing: memory.read("cairn:form:none"),
  };
  memory.discardAll();
  return { ...found, left: sessionStorage.length };
}"""


def level(page: Page) -> Any:
    return page.get_by_label("Level ε", exact=True)


def restored(page: Page) -> Any:
    return page.get_by_role("group", name="Restored form")


def end_session() -> None:
    UserSession.objects.all().delete()


def typed(page: Page) -> None:
    """Wait until what was typed is kept."""
    page.wait_for_function(f"() => {_KEPT} === 1")


class TestMemory:
    @pytest.mark.journey
    def test_of_every_kind_of_control(self, page: Page) -> None:
        page.goto("/tokens/")
        found = page.evaluate(_PURE)
        before = {
            "text": "1", "twice": "a", "twice 1": "b", "level": "2", "way=near": True, "way=far": False,
            "more=x": False, "sort": "up",
        }  # fmt: skip
        assert found["before"] == before
        changed = {"text": "1,5", "twice 1": "c", "level": "x", "way=near": False, "way=far": True, "more=x": True}
        assert found["after"] == before | changed | {"sort": "down", "reach": "30"}
        assert found["same"] == len(before)
        assert found["other"] == ["twice", "twice 1", "level", "more=x", "sort"]
        assert (found["full"], found["broken"], found["nothing"], found["left"]) == (False, None, None, 0)


_BAR = """async () => {
  const bar = await import("/static/js/components/submit_bar.js");
  const { summaryOf, levelName } = await import("/static/js/trajectory/release_form/submit_summary.js");
  const quote = (spent, price, total) => ({ spent_per_km: spent, price_per_km: price, total_per_km: total,
    fits: total === null || spent + price <= total });
  const form = { chosen: ["Skip", "Uniform"], hasSet: true, level: { epsilon: 2, radius_m: 200 }, invalid: [],
    updating: false, isCurrent: true, quote: quote(19, 20, 50), experiment: false, problem: "Lost.", use: () => {} };
  const states = [{}, { updating: true, isCurrent: false }, { quote: quote(19, 40, 50) }, { quote: quote(50, 1, 50) },
    { quote: null }, { chosen: [] }, { hasSet: false }, { experiment: true, quote: quote(50, 1, 50) },
    { quote: quote(0, 20, null) }];
  return {
    floors: [0.3336, 3.1, 12345, 0, -1, NaN, Infinity, 0.1 + 0.2].map(bar.floorOf),
    shares: [[3.8, 2, 10], [3.8, 7, 10], [12, 1, 10], [0, 1, 0], [1, 1, null], [0.1, 0.2, 0.3], [1, null, 4]].map(
      ([spent, cost, total]) => bar.budgetShares({ spent, cost, total })),
    levels: [levelName({ epsilon: 0.5, radius_m: 1000 }), levelName({ epsilon: NaN, radius_m: 1 }), levelName({})],
    states: states.map((changed) => {
      const { state, note, level, budget, suggestion } = summaryOf({ ...form, ...changed });
      return [state, note, level, budget?.cost ?? null, suggestion?.text ?? null];
    }),
  };
}"""


class TestBar:
    @pytest.mark.journey
    def test_states_of_the_release_form(self, page: Page) -> None:
        page.goto("/tokens/")
        found = json.loads(json.dumps(page.evaluate(_BAR)).replace("\\u202f", " ").replace("\\u00a0", " "))
        assert found["floors"] == [0.333, 3.1, 12300, 0, 0, 0, 0, 0.3]
        shares = [[one[name] for name in ("spent", "cost", "left", "over")] for one in found["shares"]]
        assert shares == [
            pytest.approx(one)
            for one in (
                [0.38, 0.2, 4.2, 0], [0.38, 0.62, 0, 0.8], [1, 0, 0, 3], [1, 0, 0, 1], [0, 0, None, 0],
                [1 / 3, 2 / 3, 0, 0], [0.25, 0, 3, 0],
            )
        ]  # fmt: skip
        assert found["levels"] == ["ε 0.5 / 1 km", "", ""]
        level = "2 × ε 2 / 200 m"
        over = "Needs {}, {} is left. {} or raise the limit."
        assert found["states"] == [
            ["ready", "2.2 is left after it.", level, 4, None],
            ["updating", "Waiting for the forecast", level, None, None],
            ["blocked", over.format(8, 6.2, "Lower ε to 1.55, choose fewer mechanisms"), level, 8, "Use ε 1.55"],
            ["blocked", over.format(0.2, 0, "Choose fewer mechanisms"), level, 0.2, None],
            ["ready", "Lost.", level, None, None],
            ["blocked", "Choose a mechanism.", "ε 2 / 200 m", 4, None],
            ["blocked", "Choose a landmark set.", level, 4, None],
            ["ready", "Not published: spends nothing.", level, 0, None],
            ["ready", "No limit is set.", level, 4, None],
        ]


class TestReleaseForm:
    def test_reload_back_and_start_afresh(
        self, page: Page, taxi: Dataset, stays: LandmarkSet, monitor: PageMonitor
    ) -> None:
        form(page, taxi)
        first = level(page).input_value()
        only(page, "w-event")
        level(page).fill("0,5")
        page.locator("[data-adds]").first.click()
        page.get_by_role("radio", name="Seeded simulation").check()
        page.get_by_label("Seed", exact=True).fill("12x")  # refused, and kept
        typed(page)

        page.reload()
        wait_until_ready(page, "[data-form]")
        expect(restored(page)).to_contain_text("Restored what you typed.")
        self.is_as_typed(page)
        check_page(page, both_colours=True)

        page.goto("/")
        page.go_back()
        wait_until_ready(page, "[data-form]")
        self.is_as_typed(page)

        restored(page).get_by_role("button", name="Start afresh").click()
        expect(level(page)).to_have_value(first)
        expect(page.get_by_role("radio", name="Publishable release")).to_be_checked()
        expect(page.locator("[data-chosen-steps] li")).to_have_count(0)
        expect(restored(page)).to_have_count(0)
        assert page.evaluate(_KEPT) == 0

        level(page).fill("2")
        monitor.expect(500)
        page.route("**/api/v1/releases/", lambda route: route.fulfill(status=500))
        page.get_by_role("button", name="Create 3 releases").click()
        expect(page.locator("[data-problem]")).to_contain_text("The server failed (status 500)")
        page.unroute("**/api/v1/releases/")
        page.reload()
        wait_until_ready(page, "[data-form]")
        expect(level(page)).to_have_value("2")
        page.get_by_role("button", name="Create 3 releases").click()
        page.wait_for_url("**/compare/**")
        assert page.evaluate(_KEPT) == 0

    def is_as_typed(self, page: Page) -> None:
        expect(level(page)).to_have_value("0,5")
        expect(page.get_by_label("Seed", exact=True)).to_have_value("12x")
        expect(page.get_by_role("checkbox", name=re.compile("^w-event"))).to_be_checked()
        expect(page.get_by_role("checkbox", name=re.compile("^Skip"))).not_to_be_checked()
        expect(page.locator("[data-chosen-steps] li")).to_have_count(1)

    def test_stale_figures_are_dimmed_and_not_submitted(self, page: Page, taxi: Dataset, stays: LandmarkSet) -> None:
        form(page, taxi)
        submit, section, held = page.locator("[data-submit]"), page.locator("[data-errors]:has(tr)"), []
        expect(submit).to_be_enabled()
        page.route("**/expected-errors/", lambda route: held.append(route))
        level(page).fill("2")
        expect(section).to_have_attribute("data-stale", "")
        expect(page.locator("[data-errors-answer]")).to_contain_text("Updating for ε 2 / ")
        expect(submit).to_have_text("Updating…")
        expect(submit).to_be_disabled()
        expect(page.locator("[data-side]:not([data-stale])")).to_be_visible()  # its own answer is there
        check_page(page)
        held[-1].continue_()
        expect(submit).to_be_enabled()
        expect(section).not_to_have_attribute("data-stale", "")
        level(page).fill("0,,5")
        submit.click()
        expect(level(page)).to_be_focused()
        expect(page.locator("[data-submit-bar]")).to_contain_text("Correct Level ε.")
        expect(page.locator("[data-side][data-stale]")).to_be_visible()
        assert not Release.objects.exists()

    def test_logs_in_again_in_place(
        self, page: Page, owner: User, taxi: Dataset, stays: LandmarkSet, monitor: PageMonitor
    ) -> None:
        monitor.expect(400, 401)
        form(page, taxi)
        only(page, "Uniform")
        level(page).fill("3")
        page.get_by_role("button", name="Create 1 release").wait_for()
        expect(page.locator("[data-submit]")).to_be_enabled()
        end_session()
        page.get_by_role("button", name="Create 1 release").click()
        dialog = page.get_by_role("dialog", name="Log in again")
        expect(dialog.get_by_label("User name")).to_have_value("owner")
        check_page(page, both_colours=True)
        dialog.get_by_label("Password").fill("guess")
        dialog.get_by_role("button", name="Log in").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Wrong user name or password")
        dialog.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url("**/compare/**")
        assert Release.objects.get().spec["mechanism"]["epsilon"] == 3
        assert UserSession.objects.count() == 1

    def test_cancelled_the_form_stays_and_another_tab_can_log_in(
        self, open_page: Callable[..., Page], page: Page, owner: User, taxi: Dataset, stays: LandmarkSet,
        monitor: PageMonitor,
    ) -> None:  # fmt: skip
        monitor.expect(401)
        form(page, taxi)
        only(page, "Uniform")
        level(page).fill("3")
        expect(page.locator("[data-submit]")).to_be_enabled()
        end_session()
        page.locator("[data-submit]").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(page.locator("[data-problem]")).to_contain_text("You are logged out")
        expect(level(page)).to_have_value("3")
        page.locator("[data-submit]").click()
        page.get_by_role("dialog").get_by_role("button", name="Continue").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("No user is logged in")
        tab = page.context.new_page()
        tab.goto("/login/")
        tab.get_by_label("User name").fill("owner")
        tab.get_by_label("Password").fill(PASSWORD)
        tab.keyboard.press("Enter")
        tab.wait_for_url(lambda url: not url.endswith("/login/"))
        page.bring_to_front()
        page.evaluate("window.dispatchEvent(new Event('focus'))")  # not every browser without a screen sends it
        page.wait_for_url("**/compare/**")


class TestPlainForms:
    def test_are_sent_after_logging_in_again(self, page: Page, monitor: PageMonitor) -> None:
        monitor.expect(401)  # of the jobs, which are polled
        page.goto("/tokens/")
        page.get_by_label("Name").fill("Nightly import")
        page.get_by_label("Password").fill(PASSWORD)
        end_session()
        page.get_by_role("button", name="New token").click()
        page.get_by_role("dialog").get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_label("Token", exact=True)).to_be_visible()


class TestLandmarks:
    def test_zones_and_selections_are_kept(self, page: Page, taxi: Dataset) -> None:
        address = f"/datasets/{taxi.pk}/landmarks/new/"
        page.goto(address)
        wait_until_ready(page, "[data-editor]")
        page.get_by_label("Name", exact=True).fill("my places")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("l")
        expect(page.locator("[data-method=manual]")).to_have_attribute("aria-pressed", "true")
        marked = page.locator("[data-count]").inner_text()
        typed(page)
        page.goto("/")
        page.goto(address)
        wait_until_ready(page, "[data-editor]")
        expect(restored(page)).to_be_visible()
        expect(page.locator("[data-count]")).to_have_text(marked)
        expect(page.get_by_label("Name", exact=True)).to_have_value("my places")
        restored(page).get_by_role("button", name="Start afresh").click()
        expect(page.locator("[data-method=manual]")).to_have_attribute("aria-pressed", "false")
        expect(page.get_by_label("Name", exact=True)).to_have_value("")
