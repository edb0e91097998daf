"""Every page, full and empty and refused: on a desktop in light and in dark, on a phone in dark; one set of checks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP, PHONE, PageMonitor, accessibility_faults, widths
from tests.browser.page_cases import CASES, NO_PAGES, Case, page_views, visit
from tests.browser.page_checks import (
    QUICK_S,
    UNFOLD,
    WATCH_SHIFTS,
    glossary_faults,
    keyboard_faults,
    loading_faults,
    motion_faults,
)
from tests.browser.sample_states import SampleStates
from tests.patience import patience

OTHER = {"light": "dark", "dark": "light"}


@pytest.fixture
def stage(transactional_db: None) -> SampleStates:
    made = SampleStates()
    made.add_every_state()
    return made


def faults_of(page: Page, case: Case, stage: SampleStates, monitor: PageMonitor, colour: str) -> list[str]:
    """Everything wrong with one page at this size; loaded in ``colour``, on a desktop checked in the other one too."""
    monitor.expected = {case.status}
    page.emulate_media(color_scheme=colour)
    response = visit(page, case, stage, monitor.origin)
    faults = [f"answers {response.status}"] if response.status != case.status else []
    desk = page.viewport_size == DESKTOP
    faults += loading_faults(page, response) + motion_faults(page, QUICK_S if desk else 0.0)
    wide, window = widths(page)
    if wide > window:
        faults.append(f"{wide} px wide in a window of {window}")
    faults += glossary_faults(page) if case.explains else []
    page.evaluate(UNFOLD)
    faults += [f"{colour}: {one}" for one in accessibility_faults(page)]
    if desk:  # the parts of a page have the same colours on a phone
        page.emulate_media(color_scheme=OTHER[colour])
        faults += [f"{OTHER[colour]}: {one}" for one in accessibility_faults(page, "color-contrast")]
        faults += keyboard_faults(page)
    faults += monitor.faults
    monitor.faults.clear()
    return [f"{case.name}: {one}" for one in faults]


@pytest.mark.pages
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("size", "colour"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_nothing_is_wrong_with_any_page(
    open_page: Callable[..., Page], stage: SampleStates, monitor: PageMonitor, size: dict[str, int], colour: str
) -> None:
    more = {"has_touch": True, "is_mobile": True, "reduced_motion": "reduce"} if size is PHONE else {}
    page = open_page(size=size, **more)
    page.set_default_timeout(patience(120_000))
    page.add_init_script(WATCH_SHIFTS)
    faults = [fault for case in CASES for fault in faults_of(page, case, stage, monitor, colour)]
    assert not faults, "\n".join(faults)


class TestTheListIsWhole:
    @pytest.mark.journey
    def test_every_view_of_the_resolver_is_in_it(self) -> None:
        errors = {"400", "403_csrf", "404", "500"}
        assert page_views() == {case.view for case in CASES} - errors | NO_PAGES.keys()

    def test_what_is_listed_as_no_page_is_none(self, client: Client, stage: SampleStates) -> None:
        client.force_login(stage.researcher)
        answers = {view: client.get(_address(view, stage)) for view in NO_PAGES}
        assert {view: answer.status_code for view, answer in answers.items()} == NO_PAGES
        assert "html" not in answers["healthz"].headers["Content-Type"]
        for answer in answers.values():
            answer.getvalue()  # downloads are open files until they are read


def _address(view: str, stage: SampleStates) -> str:
    arguments = {
        "accounts:revoke": ["nothing"],
        "landmarks:detail": [stage.stays.pk],
        "releases:home": [stage.done.pk],
        "accounts:revoke-invitation": [stage.done.pk],
        "publications:revoke": [stage.public_stream.pk],
        **{f"projects:{name}": [stage.project.pk] for name in ("rename", "delete")},
        **{f"projects:{name}": [stage.project.memberships.first().pk] for name in ("member-role", "member-remove")},
        **{f"publications:{name}": [stage.public_trajectory.token] for name in ("track", "data", "label")},
        "tile": [0, 0, 0],
        "own-tile": [stage.stays.pk, 0, 0, 0],
    }
    return reverse(view, args=arguments.get(view, []))
