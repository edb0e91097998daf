"""What is shared: projects with their members, public links, and the budget of uploads that share events."""

import re

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from dashboard.accounts.models import User
from dashboard.datasets.models import LineageEntry
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.projects.models import Project
from dashboard.projects.services import create_project
from dashboard.publications.models import Publication
from dashboard.publications.services import publish_release
from tests.browser.actions import contains, downloaded
from tests.browser.conftest import DESKTOP, PHONE, WALK, accessibility_faults, assert_fits
from tests.browser.fixtures import released
from tests.browser.rendering import painted, wait_until_ready

PASSWORD = "a long walk home"


def test_a_project_is_made_and_its_comparison_opens_for_a_member_as_copied(page, stays, open_page, monitor):
    reader = User.objects.create_user("reader")
    first, second = released(stays, "skip", "uniform")
    page.goto("/projects/")
    page.get_by_label("New project").fill("Taxis")
    page.get_by_role("button", name="Create").click()
    monitor.expected = {400}
    page.get_by_text("Add by user name").click()
    page.get_by_label("User name").fill("unknown")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("User name must be the name of a user of this server")
    page.get_by_label("User name").fill("reader")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("reader is a viewer now")).to_be_visible()
    page.goto(f"/datasets/{stays.dataset_id}/")
    page.get_by_label("More", exact=True).click()
    page.get_by_role("link", name="Move to project").click()
    expect(page.get_by_text("All members of the project can read")).to_be_visible()
    page.get_by_label("Taxis").check()
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("link", name="Project Taxis")).to_be_visible()
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


@pytest.mark.journey
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_colleague_is_invited_in_three_clicks_and_joins(page, owner, open_page, monitor, size):
    """Invite, Make a link, Copy; the colleague logs in from the link and joins; the link is used up then."""
    colleague = User.objects.create_user("colleague", password=PASSWORD)
    project = create_project(owner=owner, name="Taxis")
    page.set_viewport_size(size)
    page.goto(project.page_url)
    clicks = [page.get_by_role("link", name="Invite"), page.get_by_role("button", name="Make a link")]
    for one in clicks:
        one.click()
    expect(page.get_by_role("heading", name="A link for one viewer")).to_be_focused()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert_fits(page)
    assert accessibility_faults(page) == []
    link = page.get_by_label("Link", exact=True).input_value()
    reader = open_page(size=size)
    reader.goto(link)
    contains(reader.locator("main"), "invites you to the project Taxis as a viewer", "contact owner")
    assert_fits(reader)
    assert accessibility_faults(reader) == []
    reader.get_by_role("link", name="Log in to join").click()
    reader.get_by_label("User name").fill(colleague.username)
    reader.get_by_label("Password").fill(PASSWORD)
    reader.keyboard.press("Enter")
    reader.get_by_role("button", name="Join the project").press("Enter")
    expect(reader.get_by_text("You are a viewer of the project Taxis now.")).to_be_visible()
    expect(reader.get_by_role("heading", name="Taxis")).to_be_visible()
    page.goto(project.page_url)
    expect(page.get_by_role("button", name="Remove colleague")).to_be_visible()
    expect(page.get_by_role("button", name="Revoke the invitation")).to_have_count(0)
    page.get_by_role("button", name="Make a link").click()
    second = page.get_by_label("Link", exact=True).input_value()
    page.get_by_role("button", name="Revoke the invitation").click()
    expect(page.get_by_text("its link is no longer valid")).to_be_visible()
    monitor.expected = {410}
    for gone in (link, second):
        reader.goto(gone)
        expect(reader.get_by_role("heading", name="This link is no longer valid")).to_be_visible()


@pytest.mark.journey
def test_a_link_is_made_read_by_anyone_revoked_and_named_at_deletion(page, stays, open_page, monitor):
    release = released(stays, "skip", radius_m=200.0)[0]
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

    page.goto(f"/datasets/{release.dataset_id}/compare/")
    expect(page.locator(f"a[href='/releases/{release.pk}/publish/']").first).to_be_attached()
    publish_release(release=release, title="A day of a taxi")
    page.goto("/")
    page.get_by_role("button", name="Delete").last.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[data-links-list]")).to_have_text("A day of a taxi")
    dialog.get_by_label("Also revoke these public links").check()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No datasets yet")).to_be_visible()
    assert not Publication.objects.exists()


def test_shows_the_other_upload_and_takes_the_decision(page, owner, walk):
    landmarks = mark_landmarks(owner=owner, dataset=walk, method={"name": "manual", "events": [1]})
    released(landmarks, "uniform")
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
