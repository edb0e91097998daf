"""Projects in a browser: made, filled and shared; an address of a comparison opens for a member as it was copied."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from dashboard.accounts.models import User
from dashboard.landmarks.models import LandmarkSet
from dashboard.projects import services
from dashboard.projects.models import Project, Role
from tests.browser.conftest import PageMonitor, run_jobs
from tests.browser.fixtures import released
from tests.browser.rendering import wait_until_ready
from tests.browser.test_experiments import PLOTS, submitted
from tests.browser.test_stream_compare import COUNTS, READY, compared, names_in_list
from tests.dashboard import kinds

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
def reader(transactional_db: None) -> User:
    """Another user."""
    return User.objects.create_user("reader")


class TestProject:
    @pytest.mark.journey
    def test_is_made_and_its_comparison_opens_for_a_member_as_it_was_copied(
        self, page: Page, stays: LandmarkSet, reader: User, open_page: Callable[..., Page], monitor: PageMonitor
    ) -> None:
        first, second = (released(stays, name, radius_m=200.0)[0] for name in ("skip", "uniform"))
        page.goto("/projects/")
        page.get_by_label("New project").fill("Taxis")
        page.get_by_role("button", name="Create").click()
        page.get_by_label("User name").fill("unknown")
        monitor.expected = {400}
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("user must be the name of a user of this server")
        page.get_by_label("User name").fill("reader")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text("reader is a viewer now")).to_be_visible()
        page.goto(f"/datasets/{stays.dataset_id}/")
        page.get_by_label("More", exact=True).click()
        page.get_by_role("link", name="Move to project").click()
        expect(page.get_by_text("All members of the project can read the original")).to_be_visible()
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

    def test_an_experiment_and_what_lies_beside_it_open_for_a_member(
        self, page: Page, owner: User, reader: User, open_page: Callable[..., Page], monitor: PageMonitor
    ) -> None:
        one, two = submitted(owner), submitted(owner, seed=9)
        run_jobs()
        project = services.create_project(owner=owner, name="Distances")
        services.add_member(project=project, username="reader", role=Role.VIEWER)
        for row in (one, two):
            page.goto(f"/experiments/{row.pk}/")
            page.get_by_label("More", exact=True).click()
            page.get_by_role("link", name="Move to project").click()
            page.get_by_label("Distances").check()
            page.get_by_role("button", name="Move", exact=True).click()
            expect(page.get_by_role("link", name="Project Distances")).to_be_visible()
        page.get_by_label("Compare with").select_option(str(one.pk))
        page.wait_for_url(f"**/?with={one.pk}")
        expect(page.locator("[data-panels][data-drawn] .js-plotly-plot")).to_have_count(1)
        other = open_page(reader)
        other.goto("/experiments/")
        for row in (one, two):
            expect(other.get_by_role("link", name=row.name, exact=True)).to_be_visible()
        other.goto(page.url)
        expect(other.locator("[data-panels][data-drawn] .js-plotly-plot")).to_have_count(1)
        assert other.evaluate(PLOTS) == page.evaluate(PLOTS)
        expect(other.get_by_label("More", exact=True)).to_have_count(0)  # a viewer changes nothing
        other.get_by_text("Download", exact=True).click()
        with other.expect_download() as waiting:
            other.get_by_role("link", name="Table as CSV").click()
        assert len(waiting.value.path().read_text().splitlines()) > 2
        services.remove_member(membership=project.memberships.get())
        monitor.expected = {404}
        assert other.goto(f"/experiments/{two.pk}/").status == 404

    def test_the_comparison_of_a_stream_opens_as_it_was_copied(
        self, page: Page, owner: User, reader: User, open_page: Callable[..., Page]
    ) -> None:
        both = ({"name": name, "epsilon": 1.0, "window": 5} for name in ("stream-uniform", "stream-sample"))
        dataset = compared(owner, kinds.wide(COUNTS), *both)
        project = services.create_project(owner=owner, name="Visits")
        services.add_member(project=project, username="reader", role=Role.VIEWER)
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
        other = open_page(reader)
        other.goto(page.url)
        expect(other.locator(READY)).to_be_visible()
        assert other.evaluate(STATE) == copied
        assert names_in_list(other) == names
