"""What is shared: projects with their members, public links, and the budget of uploads that share events."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.accounts.models import User
from dashboard.datasets.models import LineageEntry
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.projects import services
from dashboard.projects.models import Project, Role
from dashboard.publications.models import Publication
from dashboard.publications.services import publish_release
from dashboard.releases.services import submit_release
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.spec import ReleaseSpec
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import WALK, accessibility_faults, assert_fits, run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import painted, wait_until_ready
from tests.browser.stream_pages import COUNTS, READY, compared
from tests.browser.test_experiments import PLOTS, submitted
from tests.browser.test_steps import only
from tests.browser.test_stream_compare import names_in_list
from tests.dashboard import kinds
from tests.patience import patience

NAMES = ("view", "scale", "lines", "sort", "at")
STATE = """() => ({
  search: location.search,
  pressed: [...document.querySelectorAll("[data-streams] [aria-pressed=true]")].map((one) => one.textContent.trim()),
  checked: [...document.querySelectorAll("[data-line]:checked")].map((one) => one.dataset.line),
  values: document.querySelector("[data-values]").textContent,
  shown: document.querySelector("[data-shown]").value,
  found: document.querySelector("[data-search]").value,
})"""


@pytest.fixture
def reader(transactional_db):
    """Another user."""
    return User.objects.create_user("reader")


def move(page, address, project):
    """Move what a page shows into a project, by its menu."""
    page.goto(address)
    page.get_by_label("More", exact=True).click()
    page.get_by_role("link", name="Move to project").click()
    expect(page.get_by_text("All members of the project can read")).to_be_visible()
    page.get_by_label(project).check()
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("link", name=f"Project {project}")).to_be_visible()


@pytest.mark.journey
def test_a_project_is_made_and_its_comparison_opens_for_a_member_as_it_was_copied(
    page, stays, reader, open_page, monitor
):
    first, second = released(stays, "skip", "uniform")
    page.goto("/projects/")
    page.get_by_label("New project").fill("Taxis")
    page.get_by_role("button", name="Create").click()
    monitor.expected = {400}
    page.get_by_label("User name").fill("unknown")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("user must be the name of a user of this server")
    page.get_by_label("User name").fill("reader")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("reader is a viewer now")).to_be_visible()
    move(page, f"/datasets/{stays.dataset_id}/", "Taxis")
    page.goto(f"/datasets/{stays.dataset_id}/compare/?show=all")
    wait_until_ready(page)
    page.locator(f".layer[data-layer='{second.pk}']").get_by_role("checkbox").uncheck()
    expect(page).to_have_url(re.compile("hide="))
    other = open_page(reader)
    other.goto(page.url)
    wait_until_ready(other)
    for one, drawn in ((first, True), (second, False)):
        expect(other.locator(f".layer[data-layer='{one.pk}']").get_by_role("checkbox")).to_be_checked(checked=drawn)
    assert other.url == page.url
    expect(other.get_by_role("link", name="New release")).to_have_count(0)
    monitor.expected = {403, 404}
    other.goto(f"/datasets/{stays.dataset_id}/releases/new/")
    expect(other.get_by_text("You are a viewer of the project “Taxis”.")).to_be_visible()
    page.goto(Project.objects.get().page_url)
    page.get_by_role("button", name="Remove reader").click()
    expect(page.get_by_text("reader is no member any more")).to_be_visible()
    assert other.goto(f"/datasets/{stays.dataset_id}/").status == 404


def test_experiments_and_a_stream_open_for_a_member_as_they_were_copied(page, owner, reader, open_page):
    one, two = submitted(owner), submitted(owner, seed=9)
    run_jobs()
    project = services.create_project(owner=owner, name="Distances")
    services.add_member(project=project, username="reader", role=Role.VIEWER)
    for row in (one, two):
        move(page, f"/experiments/{row.pk}/", "Distances")
    page.get_by_label("Compare with").select_option(str(one.pk))
    page.wait_for_url(f"**/?with={one.pk}")
    other, plots = open_page(reader), "[data-panels][data-drawn] .js-plotly-plot"
    expect(page.locator(plots)).to_have_count(1)
    other.goto("/experiments/")
    for row in (one, two):
        expect(other.get_by_role("link", name=row.name, exact=True)).to_be_visible()
    other.goto(page.url)
    expect(other.locator(plots)).to_have_count(1)
    assert other.evaluate(PLOTS) == page.evaluate(PLOTS)
    expect(other.get_by_label("More", exact=True)).to_have_count(0)  # a viewer changes nothing
    other.get_by_text("Download", exact=True).click()
    waiting = downloaded(other.get_by_role("link", name="Table as CSV"))
    assert len(waiting.path().read_text().splitlines()) > 2

    both = ({"name": name, "epsilon": 1.0, "window": 5} for name in ("stream-uniform", "stream-sample"))
    dataset = compared(owner, kinds.wide(COUNTS), *both)
    services.move_row(user=owner, row=dataset, project=project.pk)
    page.goto(f"/datasets/{dataset.pk}/compare/")
    expect(page.locator(READY)).to_be_visible()
    assert "view=" not in page.url
    page.get_by_role("button", name="Difference").click()
    page.get_by_role("button", name="Common scale").click()
    page.locator("[data-shown]").select_option(index=1)
    page.locator(".dimensions").get_by_role("button", name="Name").click()
    page.locator(".dimensions tbody .dimensions__name").nth(1).click()
    page.locator("[data-line]:checked").last.uncheck()
    expect(page).to_have_url(re.compile("".join(f"(?=.*[?&]{name}=)" for name in NAMES)))
    copied, names = page.evaluate(STATE), names_in_list(page)
    other.goto(page.url)
    expect(other.locator(READY)).to_be_visible()
    assert other.evaluate(STATE) == copied
    assert names_in_list(other) == names


@pytest.fixture
def release(stays):
    """Skip of the taxi day."""
    return released(stays, "skip", radius_m=200.0)[0]


@pytest.mark.journey
def test_a_link_is_made_read_by_anyone_and_revoked(page, release, open_page, monitor):
    page.goto(f"/datasets/{release.dataset_id}/")
    page.get_by_role("link", name="Publish").first.click()
    page.get_by_label("Public title").fill("A day of a taxi")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("A day of a taxi is published")).to_be_visible()
    link = page.get_by_label("Public link of A day of a taxi").input_value()
    before = len(monitor.requests)
    reader = open_page()
    reader.goto(link)
    wait_until_ready(reader, "[data-public]")
    assert painted(reader, "published") > 300
    assert not [url for url in monitor.requests[before:] if "/api/" in url or "/datasets/" in url]
    expect(reader.get_by_role("heading", name="A day of a taxi")).to_be_visible()
    circle = reader.locator("[data-circle=half]")
    small = circle.get_attribute("r") or ""
    reader.get_by_role("button", name="Zoom in").click()
    expect(circle).not_to_have_attribute("r", small)
    assert float(circle.get_attribute("r") or "0") > float(small) > 0
    download = downloaded(reader.get_by_role("link", name="CSV table"))
    assert download.suggested_filename == "A-day-of-a-taxi.csv"
    page.get_by_role("button", name="Revoke the link of A day of a taxi").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    monitor.expected = {404}
    reader.goto(link)
    expect(reader.get_by_role("heading", name="Nothing is published here")).to_be_visible()


@pytest.mark.parametrize("revoke", [True, False], ids=["revoked", "kept"])
def test_it_is_named_where_its_dataset_is_deleted(page, release, revoke):
    page.goto(f"/datasets/{release.dataset_id}/compare/")
    expect(page.locator(f"a[href='/releases/{release.pk}/publish/']").first).to_be_attached()
    publish_release(release=release, title="A day of a taxi")
    page.goto("/")
    page.get_by_role("button", name="Delete").last.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[data-links-list]")).to_have_text("A day of a taxi")
    if revoke:
        dialog.get_by_label("Also revoke these public links").check()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
    assert Publication.objects.exists() is not revoke


@pytest.mark.journey
def test_shows_the_other_upload_and_takes_the_decision(page, owner, walk):
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
    spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}})
    submit_release(owner=owner, dataset=walk, landmark_set=landmarks, spec=spec)
    run_jobs()
    shorter = b"\n".join(WALK.splitlines()[:-1])
    part = import_dataset(owner=owner, upload=ContentFile(shorter, name="walk.csv"), name="Shorter walk")
    page.goto(f"/datasets/{walk.pk}/")
    expect(page.locator("#reading")).to_contain_text("it belongs to the uploaded file")  # which releases use

    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/datasets/{part.pk}/")
    expect(page.locator("[data-lineage]")).to_be_visible()
    assert_fits(page)
    panel = page.locator("#budget")
    contains(panel, "ε = 1 within 200", "1 other upload shares events, and with them the limit")
    expect(panel.get_by_role("link", name="Walk")).to_have_attribute("href", f"/datasets/{walk.pk}/")
    expect(panel).to_contain_text("Not recognised: positions rounded to 2 decimals")
    different = panel.get_by_role("button", name="They are different people")
    different.click()
    dialog = page.get_by_role("dialog", name="Are they different people?")
    expect(dialog).to_contain_text("separate from the other upload")
    assert accessibility_faults(page) == []
    dialog.get_by_role("button", name="Keep one budget").click()
    expect(dialog).to_be_hidden()
    assert not LineageEntry.objects.filter(fact="other-people").exists()

    different.click()
    dialog.get_by_role("button", name="They are different people").click()
    expect(dialog).to_be_hidden()
    contains(panel, "Nothing spent", "this upload and another one are of different people")
    expect(different).to_have_count(0)
    assert LineageEntry.objects.filter(fact="other-people").count() == 1


def test_the_release_form_states_how_often_it_is_charged(page, owner):
    steps = parse_cleaning([{"name": "resample", "every_s": 20}])
    upload = ContentFile(WALK, name="walk.csv")
    dataset = import_dataset(owner=owner, upload=upload, name="Every 20 s", cleaning=steps)
    mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [1]})
    page.goto(f"/datasets/{dataset.pk}/")
    expect(page.locator("#budget")).to_contain_text("up to 5 events depend on one uploaded record")
    page.goto(f"/datasets/{dataset.pk}/releases/new/")
    wait_until_ready(page, "[data-form]")
    only(page, "Uniform")
    expect(page.locator("[data-spending]")).to_contain_text("a release is charged 5 × ε", timeout=patience(30_000))
