"""Every page, full and empty and refused: on a desktop in light and on a phone in dark; one set of checks."""

import os
from datetime import date
from unittest.mock import Mock

import pytest
from django.urls import reverse
from playwright.sync_api import Error

from privacy_engine.core import kernel_folder
from tests.browser import page_checks as checks
from tests.browser.conftest import AXE, DESKTOP, PHONE, accessibility_faults, widths
from tests.browser.page_cases import CASES, NO_PAGES, PUBLIC, page_views, visit
from tests.browser.page_states import STATES
from tests.browser.sample_states import SampleStates
from tests.patience import patience

CHARTED = {"compare", "landmark-report", "stream", "stream-compare", "live-stream", "experiment"}


def faults_of(page, case, stage, monitor):
    """Everything wrong with one page at this size and in these colours."""
    page.goto("about:blank")  # the page before still polls its jobs
    monitor.expected = {case.status}
    response = visit(page, case, stage, monitor.origin)
    faults = [f"answers {response.status}"] if response.status != case.status else []
    desk = page.viewport_size == DESKTOP
    most_bytes = checks.MOST_PUBLIC_BYTES if case.view == PUBLIC else checks.MOST_BYTES
    faults += checks.loading_faults(page, response, most_bytes)
    faults += checks.motion_faults(page, checks.QUICK_S if desk else 0.0)
    wide, window = widths(page)
    if wide > window:
        faults.append(f"{wide} px wide in a window of {window}")
    faults += checks.glossary_faults(page) if case.explains else []
    faults += [f"two values for {name}: {values}" for name, values in checks.contradictions(page).items()]
    page.evaluate(checks.UNFOLD)
    faults += accessibility_faults(page)
    faults += checks.keyboard_faults(page) if desk else []
    faults += checks.chart_faults(page) if case.name in CHARTED else []
    faults += monitor.faults
    monitor.faults.clear()
    return [f"{case.name}: {one}" for one in faults]


def faults_of_state(page, name, act, monitor):
    """Everything wrong with what is opened on a page."""
    monitor.expected |= {400, 401, 422}
    try:
        act(page)
    except (AssertionError, Error) as error:
        return [f"{name} is not opened: {error}"]
    wide, window = widths(page)
    faults = [f"{wide} px wide in a window of {window}"] if wide > window else []
    faults += accessibility_faults(page) + monitor.faults
    monitor.faults.clear()
    page.keyboard.press("Escape")
    return [f"{name}: {one}" for one in faults]


def cases_of_today(size):
    """All of them; on CI a third by the day of the year, another one on a phone, so that 25 minutes hold its tests."""
    thirds = 3 if os.environ.get("CI") == "1" else 1
    return CASES[(date.today().timetuple().tm_yday + (size == PHONE)) % thirds :: thirds]


LIGHT_DESKTOP = {"size": DESKTOP, "colour": "light"}
DARK_PHONE = {"size": PHONE, "colour": "dark", "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("profile", [LIGHT_DESKTOP, DARK_PHONE], ids=["desktop", "phone"])
def test_nothing_is_wrong_with_any_page(profile, open_page, transactional_db, monitor, client, monkeypatch):
    monkeypatch.setattr(kernel_folder, "is_complete", lambda: True)  # or a slow answer shows a note, which shifts
    stage = SampleStates()
    stage.add_every_state()
    nothing_is_listed_as_no_page_that_is_one(client, stage)
    page, faults = open_page(**profile), []
    page.set_default_timeout(patience(120_000))
    page.add_init_script(checks.WATCH_SHIFTS + AXE)  # sent once, and not with each page
    for case in cases_of_today(profile["size"]):
        faults += faults_of(page, case, stage, monitor)
        for name, act in STATES.get(case.name, {}).items():
            faults += faults_of_state(page, name, act, monitor)
    assert not faults, "\n".join(faults)


def test_three_days_of_ci_are_all_pages(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    assert cases_of_today(PHONE) == CASES
    monkeypatch.setenv("CI", "1")
    days = [date(2027, 3, day) for day in (1, 2, 3)]
    for size in (DESKTOP, PHONE):
        found = []
        for day in days:
            monkeypatch.setattr("tests.browser.test_every_page.date", Mock(today=lambda day=day: day))
            found += cases_of_today(size)
        assert {case.name for case in found} == {case.name for case in CASES}, size


def test_every_view_of_the_resolver_is_a_case():
    errors = {"400", "403_csrf", "404", "500"}
    assert page_views() == {case.view for case in CASES} - errors | NO_PAGES.keys()
    assert STATES.keys() <= {case.name for case in CASES}


def nothing_is_listed_as_no_page_that_is_one(client, stage):
    client.force_login(stage.researcher)
    answers = {view: client.get(_address(view, stage)) for view in NO_PAGES}
    assert {view: answer.status_code for view, answer in answers.items()} == NO_PAGES
    assert "html" not in answers["healthz"].headers["Content-Type"]
    for answer in answers.values():
        answer.getvalue()  # downloads are open files until they are read


def _address(view, stage):
    arguments = {
        "accounts:revoke": ["nothing"],
        "landmarks:detail": [stage.stays.pk],
        **{f"releases:{name}": [stage.done.pk] for name in ("home", "figure-svg", "figure-tex", "figure-bib")},
        "accounts:revoke-invitation": [stage.done.pk],
        "publications:revoke": [stage.public_stream.pk],
        **{f"projects:{name}": [stage.project.pk] for name in ("rename", "delete", "invite")},
        "projects:revoke-invitation": [stage.project.invitations.first().pk],
        **{f"projects:{name}": [stage.project.memberships.first().pk] for name in ("member-role", "member-remove")},
        **{f"publications:{name}": [stage.public_trajectory.token] for name in ("track", "data", "label")},
        "tile": [0, 0, 0],
        "own-tile": [stage.stays.pk, 0, 0, 0],
        "area-tile": [stage.stays.pk, 0, 0, 0],
    }
    return reverse(view, args=arguments.get(view, []))
