"""Coming in, and tokens."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import requests
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page, expect

from dashboard.accounts.models import LoginLink, User, UserSession
from dashboard.accounts.services import make_login_link
from tests.browser.conftest import DESKTOP, PHONE, PageMonitor, faults_in_both_colours
from tests.dashboard.test_second_factor import code_of
from tests.patience import patience

PASSWORD = "a long walk along the Seine"


class TestLogin:
    @pytest.mark.journey
    def test_login_leads_to_the_page_requested(self, open_page: Callable[..., Page], owner: User) -> None:
        page = open_page()
        page.goto("/tokens/")
        expect(page).to_have_title("Log in · Cairn")
        page.get_by_label("User name").fill("owner")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page).to_have_url("/tokens/")

    def test_states_so_when_they_do_not_match(self, open_page: Callable[..., Page], owner: User) -> None:
        page = open_page()
        page.goto("/login/")
        page.get_by_label("User name").fill("owner")
        page.get_by_label("Password").fill("guess")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("Wrong user name or password")
        expect(page.get_by_label("User name")).to_have_value("owner")

    def test_takes_a_form_of_before_another_tab_changed_the_token(
        self, open_page: Callable[..., Page], owner: User
    ) -> None:
        page = open_page()
        page.goto("/login/")
        page.context.clear_cookies()
        page.context.new_page().goto("/login/")
        page.get_by_label("User name").fill("owner")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page).to_have_url("/")

    def test_and_out_again(self, page: Page) -> None:
        page.goto("/")
        page.locator("summary[aria-label='Account and appearance']").click()
        page.get_by_role("button", name="Log out").click()
        expect(page).to_have_url("/login/")
        page.goto("/")
        expect(page).to_have_url("/login/?next=/")


class TestLoginLink:
    @pytest.mark.journey
    def test_lets_in_once(self, open_page: Callable[..., Page], owner: User, monitor: PageMonitor) -> None:
        link = make_login_link(user=owner)
        page = open_page()
        page.goto(link)
        expect(page.get_by_role("heading", name="Datasets", exact=True)).to_be_visible()

        monitor.expect(410)
        second = open_page()
        second.goto(link)
        expect(second.get_by_role("heading", name="This link is no longer valid")).to_be_visible()
        second.goto("/")
        expect(second).to_have_url("/login/?next=/")

    def test_is_not_used_up_by_fetching_ahead(self, owner: User, live_server: Any) -> None:
        link = f"{live_server.url}{make_login_link(user=owner)}"
        assert (
            requests.get(link, headers={"Sec-Purpose": "prefetch;prerender"}, timeout=patience(10)).status_code == 204
        )
        assert requests.head(link, timeout=patience(10)).status_code == 405
        assert LoginLink.objects.get().used_at is None

    def test_opened_again_by_whoever_came_in_leads_on(self, open_page: Callable[..., Page], owner: User) -> None:
        link, page = make_login_link(user=owner), open_page()
        for _ in range(2):
            page.goto(link)
            expect(page.get_by_role("heading", name="Datasets", exact=True)).to_be_visible()


def new_token(page: Page) -> None:
    page.get_by_label("Name").fill("Nightly import")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="New token").click()


class TestTokens:
    @pytest.mark.journey
    def test_shown_once_and_works_until_revoked(self, page: Page, live_server: Any) -> None:
        page.goto("/tokens/")
        new_token(page)
        token = page.get_by_label("Token", exact=True).input_value()

        def status() -> int:
            headers = {"Authorization": f"Token {token}"}
            return requests.get(
                f"{live_server.url}/api/v1/datasets/", headers=headers, timeout=patience(10)
            ).status_code

        assert status() == 200
        assert faults_in_both_colours(page) == []
        page.goto("/tokens/")
        expect(page.locator("body")).not_to_contain_text(token)
        page.get_by_role("button", name="Revoke").click()
        expect(page.get_by_role("status").first).to_contain_text("revoked")
        assert status() == 401

    def test_copies(self, open_page: Callable[..., Page], owner: User) -> None:
        page = open_page(owner, permissions=["clipboard-read", "clipboard-write"])
        page.goto("/tokens/")
        new_token(page)
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == page.get_by_label("Token", exact=True).input_value()


class TestPassword:
    def test_is_changed_on_its_page_on_both_sizes(
        self, open_page: Callable[..., Page], owner: User, monitor: PageMonitor
    ) -> None:
        monitor.expect(400)
        page = open_page(owner, size=PHONE)
        page.goto("/")
        page.locator("summary[aria-label='Account and appearance']").click()
        page.get_by_role("link", name="Account").click()
        page.get_by_role("link", name="Change the password").click()
        page.get_by_label("Old password").fill("guess")
        page.get_by_label("New password", exact=True).fill("a long way back")
        page.get_by_label("New password confirmation").fill("a long way back")
        page.get_by_role("button", name="Set the password").click()
        expect(page.get_by_role("alert")).to_contain_text("That is not your password")
        assert faults_in_both_colours(page) == []
        page.get_by_label("Old password").fill(PASSWORD)
        page.get_by_label("New password", exact=True).fill("a long way back")
        page.get_by_label("New password confirmation").fill("a long way back")
        page.set_viewport_size(DESKTOP)
        page.get_by_role("button", name="Set the password").click()
        expect(page.get_by_role("status").first).to_contain_text("all tokens and unused login links have ended")
        assert faults_in_both_colours(page) == []


class TestSessions:
    def test_are_listed_and_ended_on_both_sizes(self, open_page: Callable[..., Page], owner: User) -> None:
        there, other, page = (open_page(owner, size=size) for size in (DESKTOP, DESKTOP, PHONE))
        page.goto("/account/")
        UserSession.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
        page.reload()  # records the browser
        page.reload()
        expect(page.get_by_role("row").filter(has_text="this session")).to_contain_text("Chrome")
        assert faults_in_both_colours(page) == []
        page.get_by_role("button", name="End the session of").first.click()
        expect(page.get_by_role("status").first).to_contain_text("has to log in again")
        page.set_viewport_size(DESKTOP)
        assert faults_in_both_colours(page) == []
        page.get_by_role("button", name="End all other sessions").click()
        expect(page.get_by_role("status").first).to_contain_text("1 other session ended")
        expect(page.get_by_role("button", name="End all other sessions")).to_have_count(0)
        for one in (there, other):
            one.goto("/")
            expect(one).to_have_url("/login/?next=/")


class TestAppearance:
    @pytest.mark.journey
    def test_follows_the_system_until_chosen_and_then_stays(self, open_page: Callable[..., Page], owner: User) -> None:
        page = open_page(owner, colour="dark")
        page.goto("/")
        paper = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(paper) == "rgb(22, 21, 19)"
        page.locator("summary[aria-label='Account and appearance']").click()
        page.get_by_text("Light", exact=True).click()
        assert page.evaluate(paper) == "rgb(250, 248, 245)"
        page.reload()
        assert page.evaluate(paper) == "rgb(250, 248, 245)"


class TestReference:
    @pytest.mark.journey
    def test_swagger_opens_under_the_policy(self, page: Page) -> None:
        page.goto("/api/v1/docs/")
        expect(page.locator(".swagger-ui .opblock").first).to_be_visible()
        expect(page.get_by_role("link", name="Datasets", exact=True)).to_be_visible()


class TestSecondFactor:
    @pytest.mark.journey
    def test_is_set_up_and_then_needed_also_in_place(
        self, open_page: Callable[..., Page], owner: User, monitor: PageMonitor
    ) -> None:
        monitor.expect(400, 401)  # wrong codes; jobs are polled after the session ended
        page = open_page(owner)
        page.goto("/account/")
        page.get_by_role("link", name="Set up").click()
        page.get_by_role("button", name="Set up an authenticator app").click()
        page.get_by_label("Password").fill(PASSWORD)
        secret = page.get_by_label("Secret, for apps").input_value().replace(" ", "")
        key = base64.b32decode(secret + "=" * (-len(secret) % 8)).hex()
        page.get_by_label("Code", exact=True).fill(code_of(TOTPDevice(key=key)))
        page.get_by_role("button", name="Enable the second factor").click()
        expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
        first, second, third, *rest = page.get_by_label("Recovery codes").get_by_role("listitem").all_inner_texts()
        assert len(rest) == 7
        page.goto("/tokens/")
        UserSession.objects.all().delete()
        page.get_by_label("Name").fill("Nightly import")
        page.get_by_label("Password", exact=True).first.fill(PASSWORD)
        page.get_by_label("Code of the app").fill(third)
        page.get_by_role("button", name="New token").click()
        dialog = page.get_by_role("dialog", name="Log in again")
        dialog.get_by_label("Password").fill(PASSWORD)
        expect(dialog.get_by_label("Code of the second factor")).to_be_hidden()
        dialog.get_by_role("button", name="Log in").click()
        dialog.get_by_label("Code of the second factor").fill(first)
        dialog.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Your new token")).to_be_visible()
        page.context.clear_cookies()
        page.goto("/login/")
        page.get_by_label("User name").fill("owner")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_label("Code").fill(first)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("good once")
        page.get_by_label("Code").fill(second)
        page.get_by_role("button", name="Log in").click()
        expect(page).to_have_url("/")
