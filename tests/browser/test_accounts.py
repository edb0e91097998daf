"""Coming in, and an account: its tokens, password, sessions, second factor and appearance."""

import base64

import pytest
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page, expect

from dashboard.accounts.models import UserSession
from tests.browser.conftest import PHONE
from tests.dashboard.test_second_factor import code_of

PASSWORD = "a long walk along the Seine"


def log_in(form, password=PASSWORD):
    """Fill in the form of the login page, or the dialog that logs in again."""
    if isinstance(form, Page):
        form.get_by_label("User name").fill("owner")
    form.get_by_label("Password").fill(password)
    form.get_by_role("button", name="Log in").click()


def menu(page):
    page.locator("summary[aria-label='Account and appearance']").click()


@pytest.mark.journey
def test_in_by_password_and_out(open_page, owner):
    page = open_page()
    page.goto("/tokens/")
    expect(page).to_have_title("Log in · Cairn")
    log_in(page, "guess")
    expect(page.get_by_role("alert")).to_contain_text("Wrong user name or password")
    expect(page.get_by_label("User name")).to_have_value("owner")
    page.context.clear_cookies()
    page.context.new_page().goto("/login/")  # which changes the token of the form
    log_in(page)
    expect(page).to_have_url("/tokens/")
    menu(page)
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url("/login/")


def new_token(page):
    page.get_by_label("Name").fill("Nightly import")
    page.get_by_label("Password", exact=True).first.fill(PASSWORD)


@pytest.mark.journey
def test_a_token_is_shown_once_copied_and_works_until_revoked(open_page, owner, live_server):
    page = open_page(owner, permissions=["clipboard-read", "clipboard-write"])
    page.goto("/tokens/")
    new_token(page)
    page.get_by_role("button", name="New token").click()
    token = page.get_by_label("Token", exact=True).input_value()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token

    page.goto("/tokens/")
    expect(page.locator("body")).not_to_contain_text(token)


def test_appearance_is_chosen_and_stays(open_page, owner):
    page = open_page(owner, size=PHONE, colour="dark")
    page.goto("/account/")
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(22, 21, 19)"
    menu(page)
    page.get_by_text("Light", exact=True).click()
    assert page.evaluate(paper) == "rgb(250, 248, 245)"
    page.reload()
    assert page.evaluate(paper) == "rgb(250, 248, 245)", "chosen, not the system's"


def test_a_second_factor_is_set_up_and_then_needed_also_in_place(page, monitor):
    monitor.expect(400, 401)  # wrong codes; jobs are polled after the session ended
    page.goto("/account/")
    page.get_by_role("link", name="Set up").click()
    page.get_by_role("button", name="Set up an authenticator app").click()
    page.get_by_label("Password").fill(PASSWORD)
    secret = page.get_by_label("Secret, for apps").input_value().replace(" ", "")
    key = base64.b32decode(secret + "=" * (-len(secret) % 8)).hex()
    page.get_by_label("Code", exact=True).fill(code_of(TOTPDevice(key=key)))
    page.get_by_role("button", name="Enable the second factor").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    first, _, third, *rest = page.get_by_label("Recovery codes").get_by_role("listitem").all_inner_texts()
    assert len(rest) == 7
    page.goto("/tokens/")
    UserSession.objects.all().delete()
    new_token(page)
    page.get_by_label("Code of the app").fill(third)
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog", name="Log in again")
    expect(dialog.get_by_label("Code of the second factor")).to_be_hidden()
    log_in(dialog)
    dialog.get_by_label("Code of the second factor").fill(first)
    dialog.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Your new token")).to_be_visible()
