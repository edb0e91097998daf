"""The release forms of counts and of check-ins: one screen, the answer ticked alone, no number with two values."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset, set_budget
from dashboard.landmarks.generated_samples import load_tables
from dashboard.releases.models import Release
from tests.browser.actions import contains
from tests.browser.conftest import DESKTOP, PHONE, check_page
from tests.browser.page_checks import WATCH_SHIFTS
from tests.browser.test_kinds import TYPE
from tests.browser.test_release_form import contradictions, field, settled, shown, tick, ticked
from tests.browser.test_steps import form, only, parameters, row_of
from tests.dashboard import kinds
from tests.patience import patience

CITY = {key: str(value) for key, value in kinds.CITY_BOX.items() if key in ("west", "south", "east", "north")}


def made(owner, body):
    return import_dataset(owner=owner, upload=ContentFile(body, name="data.csv"))


@pytest.fixture
def clinics(owner):
    return made(owner, kinds.clinic_visits())


@pytest.fixture
def city(owner):
    return made(owner, kinds.city(users=300))


def models(page, dataset):
    """The form of check-ins with the box of their city."""
    form(page, dataset)
    for name in ("east", "north", "west", "south"):  # a box at every moment
        page.locator(f"#{name}").evaluate(TYPE, CITY[name])
    settled(page)


def test_counts_fit_on_one_screen_and_check_ins_too(open_page, owner, clinics, city):
    for size, screens in ((DESKTOP, 1), (PHONE, 2)):
        page = open_page(owner, size=size)
        page.add_init_script(WATCH_SHIFTS)
        for opened, dataset in ((form, clinics), (models, city)):
            opened(page, dataset)
            settled(page)
            height, width = page.evaluate(
                "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
            )
            assert height <= screens * size["height"], (size, height)
            assert width <= size["width"]
            assert contradictions(page) == {}
            check_page(page)
            if opened is form:
                assert sum(value for value, _ in page.evaluate("window.shifts")) < 0.01


def test_only_the_answer_of_counts_is_ticked_and_what_the_user_chose_stays(page, clinics):
    form(page, clinics)
    settled(page)
    answer, submit = page.locator("[data-errors-answer]"), page.locator("[data-submit]")
    (best,) = ticked(page)
    contains(answer, f"Usable: {best}", "half of the counts within", shown(page, "are:zeros"))
    rows = page.locator("[data-errors-table] tbody").first.locator("tr[data-release]:not([data-unkept])")
    assert rows.first.locator("label").inner_text().strip() == best
    expect(row_of(page, best)).to_have_attribute("data-verdict", "usable")
    expect(submit).to_have_text("Create 1 release")
    assert shown(page, "budget_cost") == "1"
    contains(page.locator("[data-free]"), "Publish zeros", "baseline, ε 0")
    expect(page.locator("tr[data-verdict=no-guarantee] input")).to_have_count(0)

    field(page, "Privacy level ε").fill("0.001")
    settled(page)
    expect(answer).to_contain_text("No release is usable at this level")
    assert ticked(page) == []
    expect(submit).to_have_text("No usable release")
    expect(submit).to_be_disabled()
    contains(row_of(page, "Uniform"), "worse than publishing zeros")

    tick(page, "Uniform").check()
    field(page, "Privacy level ε").fill("2")
    settled(page)
    assert ticked(page) == ["Uniform"]
    expect(submit).to_be_enabled()
    page.get_by_role("textbox", name="Window w").fill("x")
    expect(page.locator("[data-submit-bar]")).to_contain_text("Correct Window w.")


def test_the_model_to_use_is_beside_the_public_baseline(page, owner, city):
    set_budget(dataset=city, epsilon=3.0, unit="user")
    models(page, city)
    (best,) = ticked(page)
    hits, public = (int(shown(page, name)) for name in (f"hits:{key_of(page, best)}", "hits:public"))
    assert hits > public + 10
    contains(page.locator("[data-errors-answer]"), f"Usable: {best}", f"{hits} of 1,000", f"find {public}")
    contains(row_of(page, best), f"+.{hits - public:03}", f"usable: {hits - public} more per 1,000")
    contains(page.locator("[data-free]"), "Nearest ten cells", f".{public:03}", "public baseline, ε 0, free")
    contains(page.locator("[data-errors-rule]"), f"Why {best}", "it finds the most")
    contains(row_of(page, "PrivTree by check-in"), "a person exposed")
    expect(page.locator("[data-submit]")).to_have_text("Create 1 model")
    expect(page.locator("[data-promises]")).to_contain_text("If one person’s whole history is added or removed")

    parameters(page, best).get_by_label("Protected").select_option(label="each check-in")
    settled(page)
    contains(page.locator("[data-errors-table] tbody").last, f"{best} by check-in", "a person exposed")
    assert f"{best} by check-in" not in ticked(page)  # the answer is another one now
    only(page, f"{best} by check-in")
    settled(page)
    expect(page.locator("[data-promises]")).to_contain_text("If one check-in is added or removed")


def test_where_no_model_is_usable_none_is_ticked_and_the_button_states_it(page, city):
    def nothing_is_usable(answer, todo):
        settled(page)
        expect(page.locator("[data-errors-answer]")).to_contain_text(answer)
        assert ticked(page) == []
        expect(page.locator("[data-submit]")).to_have_text("No usable model")
        expect(page.locator("[data-submit]")).to_be_disabled()
        expect(page.locator("[data-bar-note]")).to_contain_text(todo)

    form(page, city)
    page.get_by_label("Places").select_option(label="New York, Manhattan")  # where none of them is
    nothing_is_usable("No verdict: no user moves from cell to cell in this box", "Choose the places")
    models(page, city)
    assert len(ticked(page)) == 1
    field(page, "Privacy level ε, a whole history").fill("0.001")
    nothing_is_usable("No model is usable at this level", "Raise ε or take fewer cells")
    page.get_by_role("button", name=re.compile("^Use ε")).last.click()  # that of the answer
    settled(page)
    expect(page.locator("[data-errors-answer]")).to_contain_text("Usable: ")
    assert len(ticked(page)) == 1


def test_the_sample_of_check_ins_begins_with_its_own_box(page, owner):
    dataset = next(one for one in load_tables(owner=owner) if one.kind == "checkins")
    form(page, dataset)
    settled(page)
    assert len(ticked(page)) == 1
    expect(page.locator("[data-errors-answer]")).to_contain_text("Usable: ")


def key_of(page, title):
    return row_of(page, title).get_attribute("data-release")


def test_several_are_made_and_all_are_simulated_without_a_budget(page, clinics):
    form(page, clinics)
    only(page, "Uniform", "Sample")
    settled(page)
    assert shown(page, "budget_cost") == "2"
    page.get_by_role("button", name="Create 2 releases").click()
    page.wait_for_url("**/compare/**")
    assert sorted(Release.objects.values_list("mechanism", flat=True)) == ["stream-sample", "stream-uniform"]

    form(page, clinics)
    page.get_by_role("button", name="Simulate all 11, no budget").click()
    expect(page.get_by_role("radio", name="Seeded simulation")).to_be_checked()
    settled(page)
    assert len(ticked(page)) == 11
    assert shown(page, "budget_cost") == "0"
    expect(page.locator("[data-submit]")).to_have_text("Run 11 simulations, not private")
    expect(page.locator("[data-not-private]")).to_be_visible()


def test_from_an_accepted_error_to_the_level_and_a_preview_of_it(page, clinics):
    form(page, clinics)
    settled(page)
    text, use = page.locator("[data-accepted-text]"), page.locator("[data-accepted-use]")
    expect(text).to_contain_text("with", timeout=patience(60_000))
    page.get_by_label("Or start from the error").fill("60")
    expect(use).to_be_visible(timeout=patience(60_000))
    epsilon = use.inner_text().removeprefix("Use ε ")
    used = text.inner_text().split(f"{epsilon} with ")[1].split(",")[0].split(";")[0]  # others may lead at that level
    use.click()
    expect(field(page, "Privacy level ε")).to_have_value(epsilon)
    settled(page)
    assert float(shown(page, f"typical_error:{key_of(page, used)}").replace(",", "")) <= 60

    page.get_by_label("Simulation by").select_option(label="Uniform")
    preview = page.locator("[data-count-preview][data-drawn=stream-uniform]")
    expect(preview.locator("svg[role=img]")).to_have_count(3, timeout=patience(30_000))
    contains(preview, "typical count", "Simulated, no budget")
