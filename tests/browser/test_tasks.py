"""Tasks of a person who sees Cairn for the first time: from a file to a comparison, with limits on clicks and fields.

``pytest -s tests/browser/test_tasks.py`` prints what each took.
"""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases.models import Release
from privacy_engine.experiments import presets
from privacy_engine.samples import samples
from privacy_engine.verify import verify
from tests.browser.actions import box_of, contains, downloaded
from tests.browser.conftest import DESKTOP, PHONE, accessibility_faults, check_page, open_upload, table
from tests.browser.jobs import run_jobs
from tests.browser.landmark_editor import edit, event_on_screen, marked
from tests.browser.newcomer import Newcomer, press
from tests.browser.rendering import at_rest, cursors, expect_painted, layers, lines, painted, wait_until_ready
from tests.dashboard import kinds
from tests.dashboard.test_stays import HEADER, ROWS
from tests.patience import patience

TRIO = ["Skip", "Uniform", "Adaptive"]


def upload(page, file):
    page.goto("/")
    page.set_input_files("input[type=file]", file)
    expect(page.locator("tr", has_text="Ready")).to_be_visible(timeout=patience(20_000))
    return Dataset.objects.get()


def mark(page, dataset):
    """Stay points first, then one event more or less by a click on the map."""
    edit(page, dataset)
    found = marked(page)
    page.locator("[data-map]").focus()
    page.keyboard.press("ArrowRight")
    page.mouse.click(*event_on_screen(page))
    expect(page.get_by_role("button", name="Manual")).to_have_attribute("aria-pressed", "true")
    count = marked(page)
    assert abs(count - found) == 1
    page.get_by_label("Name").fill("Stays and one more")
    page.get_by_role("button", name="Save and release").click()
    page.wait_for_url("**/releases/new/**")
    landmark_set = LandmarkSet.objects.get()
    assert (landmark_set.count, landmark_set.method["name"]) == (count, "manual")
    return landmark_set


def release(page, landmark_set):
    expect(page.get_by_role("radio", name=re.compile("Stays and one more"))).to_be_checked()
    for title in TRIO:
        expect(page.get_by_role("checkbox", name=re.compile(f"^{title}"))).to_be_checked()
    page.get_by_label("Level ε", exact=True).fill("2")
    page.get_by_label("Radius r, m", exact=True).fill("200")
    k = landmark_set.count
    share = "ε" if k == 0 else f"ε/{k + 1:,}" if k < landmark_set.points else f"ε/{k:,}"
    expect(page.locator("[data-forecast=landmark-uniform]")).to_contain_text(share)
    page.get_by_role("button", name="Create 3 releases").click()
    page.wait_for_url("**/compare/**")
    wait_until_ready(page)
    expect(page.locator("[data-bench][data-charts='1']")).to_be_visible()  # the best of them
    page.get_by_role("button", name="Show all layers").click()
    expect(page.locator("[data-bench][data-charts='3']")).to_be_visible(timeout=patience(20_000))


@pytest.mark.journey
def test_upload_mark_release_compare(page, worker, shared):
    dataset = upload(page, shared / "data" / "trajectories" / "plt" / "000_20081023025304.plt")
    n = dataset.points
    landmark_set = mark(page, dataset)
    release(page, landmark_set)
    assert list(Release.objects.values_list("state", flat=True)) == ["done"] * 3

    shown = layers(page)
    assert list(shown) == ["Original", *TRIO, "Landmarks"]
    expect_painted(page, "original", lambda pixels: pixels > 50)
    page.get_by_role("button", name="Fit the map").click()  # noise may lie far outside of what is seen first
    for title in TRIO:
        expect_painted(page, shown[title])
    for chart in lines(page):
        assert [(line["name"], line["points"]) for line in chart] == [(title, n) for title in TRIO]
    rows = page.locator("[data-summary] tr")
    expect(rows).to_have_count(3)
    for row in Release.objects.all():
        cells = page.locator(f"tr[data-release='{row.pk}']")
        contains(cells, "Done", "m")

    before = cursors(page)
    page.locator("[data-map]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".timeline__text")).to_contain_text(f"event 2 of {n:,}")
    assert all(a != b for a, b in zip(before, cursors(page), strict=True))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".timeline__text")).to_contain_text(f"event 1 of {n:,}")
    assert cursors(page) == before

    for title, layer in shown.items():
        page.get_by_role("checkbox", name=title).uncheck()
        assert painted(page, layer) == 0, title
    page.get_by_role("checkbox", name="Skip").check()
    at_rest(page)
    assert painted(page, shown["Skip"]) > 0

    for first, row in zip((True, False, False), Release.objects.order_by("created_at"), strict=True):
        cells = page.locator(f"tr[data-release='{row.pk}']")
        statement = "together leak at most ε = 2 per 200 m"
        cells.get_by_text("Privacy label").click()
        expect(cells).to_contain_text(statement)
        for suffix in ("csv", "geojson", "gpx", "parquet") if first else ("csv",):
            # more than ten files in a row, and the browser shows a prompt
            waiting = downloaded(cells.locator(f"a[href*='format={suffix}']"))
            text = Path(waiting.path()).read_text(errors="replace").replace("\\u03b5", "ε")
            assert statement in text, (row.mechanism, suffix)
            lines_of_events = [line for line in text.splitlines() if line and not line.startswith("#")]
            assert suffix != "csv" or len(lines_of_events) == n + 1


SLOW_MS = patience(90_000)


@pytest.fixture
def person(request, open_page, owner):
    """A new user on the start page, with a phone where a test is marked so; what the task took is printed."""
    device = getattr(request, "param", {})
    page = open_page(owner, **device)
    page.goto("/")
    newcomer = Newcomer(page)
    yield newcomer
    print(f"\n{request.node.name}: {newcomer.cost()}")


def to_dataset(person, name):
    person.click(person.page.get_by_role("link", name=name, exact=True).first)
    person.page.wait_for_url("**/datasets/*/")


def to_experiments(person):
    menu = person.page.get_by_role("button", name="Menu")
    if menu.is_visible():
        person.click(menu)
    person.click(person.page.get_by_role("link", name="Experiments").first)
    person.page.wait_for_url("**/experiments/")


def test_from_a_file_to_the_first_useful_release(person, worker):
    page, series = person.page, samples()[0].series
    rows = zip(series.time_s, series.lat, series.lon, strict=True)
    text = "time,lat,lon\n" + "".join(f"{t:.0f},{lat},{lon}\n" for t, lat, lon in rows)
    sample = table("sample.csv", text.encode())
    person.choose_file(page.get_by_role("button", name=re.compile("[Cc]hoose")), sample)
    person.click(page.get_by_role("link", name=re.compile("^Open")).first)
    person.click(page.get_by_role("link", name="Define landmarks").first)
    wait_until_ready(page, "[data-editor]")
    person.click(page.get_by_role("button", name="Save and release"))
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    person.click(page.locator("[data-submit]"))
    page.wait_for_url("**/compare/**", timeout=SLOW_MS)
    wait_until_ready(page)
    assert "usable" in {one.verdict.name for one in Release.objects.all()}
    assert person.clicks <= 6
    assert person.fields == 0


def test_which_mechanism_for_100_m_of_error(person, stays):
    page = person.page
    page.reload()
    to_dataset(person, stays.dataset.name)
    person.click(page.get_by_role("link", name="New release").first)
    wait_until_ready(page, "[data-form]")
    person.fill(page.get_by_label("Error I accept, m"), "100")
    person.click(page.get_by_role("button", name="Find the least ε"))
    skip = page.locator("[data-errors-table] [data-errors=landmark-skip]").get_by_role("button")
    expect(skip).to_be_visible(timeout=SLOW_MS)
    person.click(skip)
    epsilon = page.get_by_label("Level ε", exact=True).input_value()
    assert epsilon in skip.inner_text()
    expect(page.locator("[data-errors-answer]")).to_contain_text(re.compile(r"within (9\d|100)([.]\d)?\sm,"))
    assert person.clicks <= 4


def test_a_figure_for_a_paper(person):
    page = person.page
    to_experiments(person)
    person.click(page.get_by_role("button", name=re.compile("^Run Loss under correlation")).first)
    page.wait_for_url("**/experiments/*-*/")
    run_jobs()
    expect(page.locator("[data-state-text]")).to_have_text("Done", timeout=SLOW_MS)
    person.click(page.locator("summary", has_text="Download").first)
    file = person.download(page.get_by_role("link", name=re.compile("LaTeX")))
    assert "\\cairn" in Path(file.path()).read_text()
    assert person.clicks <= 5
    assert person.fields == 0


@pytest.mark.journey
def test_a_file_for_a_colleague(person, stays, pair):
    page = person.page
    page.reload()
    to_dataset(person, stays.dataset.name)
    file = person.download(page.get_by_role("link", name=re.compile("CSV")).first)
    with Path(file.path()).open("rb") as release:
        assert verify(release.read(), file.suggested_filename).holds
    assert person.clicks <= 3


@pytest.mark.parametrize(
    "person", [{"size": PHONE, "has_touch": True, "is_mobile": True}], indirect=True, ids=["phone"]
)
def test_the_run_of_last_week(person, owner):
    for i in range(30):
        changes = {"seed": i, "events": 40 if i % 2 else 60, "repetitions": 5}
        submit_experiment(owner=owner, preset=presets.parse({"name": "correlated-loss", **changes}))
    wanted = Experiment.objects.all()[12]
    Experiment.objects.filter(pk=wanted.pk).update(
        created_at=timezone.now() - timedelta(days=7), name="Clinic, second attempt"
    )
    to_experiments(person)
    person.fill(person.page.get_by_role("searchbox").first, "clinic")
    expect(person.page.locator("#count")).to_have_text(re.compile(r"^1 of"))
    person.click(person.page.get_by_role("link", name="Clinic, second attempt", exact=True))
    person.page.wait_for_url(f"**/experiments/{wanted.pk}/")
    assert person.clicks <= 3
    assert person.fields == 1


def test_from_a_sample_to_a_file_with_the_keyboard_alone(page, worker):
    page.goto("/")
    press(page, page.get_by_role("button", name=re.compile("^Try a sample")))
    page.wait_for_url("**/datasets/*/")
    press(page, page.get_by_role("link", name="Define landmarks").first)
    wait_until_ready(page, "[data-editor]")
    press(page, page.get_by_role("button", name="Save and release"))
    page.wait_for_url("**/releases/new/**")
    wait_until_ready(page, "[data-form]")
    press(page, page.locator("[data-submit]"))
    page.wait_for_url("**/compare/**", timeout=patience(60_000))
    wait_until_ready(page)
    first = page.get_by_role("checkbox", name="Landmarks")
    press(page, first, "Space")
    expect(first).not_to_be_checked()
    press(page, page.locator("summary, button", has_text="Download").first)
    with page.expect_download() as download:
        press(page, page.get_by_role("link", name=re.compile("CSV")).first)
    assert download.value.suggested_filename.endswith(".csv")
    assert Release.objects.filter(state="done").exists()


@pytest.fixture
def loaded(owner):
    """The generated samples, as at the first start."""
    call_command("loadsamples", "owner", verbosity=0)


def strip(page):
    return page.get_by_role("navigation", name="First steps")


@pytest.mark.journey
def test_followed_from_link_to_link(page, loaded):
    page.goto("/")
    for title, seen in (("View the trajectory", "Walk across Paris"), ("Define landmarks", "Define landmarks")):
        strip(page).get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", level=1, name=seen)).to_be_visible()
        expect(strip(page).locator("[aria-current=step]")).to_contain_text(title)
    expect(strip(page).get_by_role("link", name="Done: View the trajectory")).to_be_visible()
    expect(strip(page).get_by_role("link", name="Done:")).to_have_count(1)
    page.wait_for_selector(".map")
    bench = box_of(page.locator(".bench"))
    assert bench["y"] + bench["height"] <= DESKTOP["height"] + 1, "the editor still fits the window"


@pytest.mark.parametrize("scripts", [True, False])
def test_hidden_and_brought_back(open_page, owner, loaded, scripts):
    page = open_page(owner, java_script_enabled=scripts)
    page.goto("/")
    strip(page).get_by_role("button", name="Hide the first steps").click()
    expect(strip(page)).to_have_count(0)
    page.goto("/")
    expect(strip(page)).to_have_count(0)
    page.locator("summary[aria-label='Account and appearance']").click()
    page.get_by_role("button", name="Show the first steps").click()
    expect(strip(page)).to_be_visible()


@pytest.mark.journey
@pytest.mark.usefixtures("worker")
def test_from_trajectories_to_check_ins_of_users(page):
    open_upload(page, "events.csv", kinds.checkins(ROWS, HEADER))
    page.locator("summary[aria-label=More]").first.click()
    page.get_by_role("link", name="Stays as check-ins").click()
    duration, submit = page.get_by_role("textbox", name="Duration"), page.get_by_role("button", name="Detect the stays")
    duration.fill("-1")
    submit.click()
    expect(page.locator("[data-field=duration_s] .field__error")).to_be_visible()
    duration.fill("600")
    assert not accessibility_faults(page)
    submit.click()

    page.wait_for_url("**/datasets/*/")
    expect(page.locator("[data-cells-rows] tr")).to_have_count(3, timeout=patience(30_000))
    expect(page.locator("#reading")).to_contain_text("A user is one person of the trajectories.")
    check_page(page)
    page.get_by_role("link", name="New release").first.click()
    expect(page.locator("[data-promise]")).to_contain_text("which covers all events of one person")
    expect(page.get_by_label("Protected").locator("option")).to_have_text(["each user"])
