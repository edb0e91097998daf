"""The list of pages, from which pictures are taken, is whole."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.browser.pages import CASES, NO_PAGES, page_views
from tests.browser.stage import Stage


@pytest.fixture
def stage(transactional_db: None) -> Stage:
    made = Stage()
    made.add_every_state()
    return made


class TestTheListIsWhole:
    def test_every_view_of_the_resolver_is_in_it(self) -> None:
        errors = {"400", "403_csrf", "404", "500"}
        assert page_views() == {case.view for case in CASES} - errors | NO_PAGES.keys()

    def test_what_is_said_to_be_no_page_is_none(self, client: Client, stage: Stage) -> None:
        client.force_login(stage.researcher)
        answers = {view: client.get(_address(view, stage)) for view in NO_PAGES}
        assert {view: answer.status_code for view, answer in answers.items()} == NO_PAGES
        assert "html" not in answers["healthz"].headers["Content-Type"]


def _address(view: str, stage: Stage) -> str:
    arguments = {
        "accounts:revoke": ["nothing"],
        "landmarks:detail": [stage.stays.pk],
        "releases:home": [stage.done.pk],
        "tile": [0, 0, 0],
    }
    return reverse(view, args=arguments.get(view, []))
