"""All pages in every state, full, empty and refused: for the test of every page and for the screenshots."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from django.conf import settings
from django.test import override_settings
from django.urls import URLPattern, get_resolver, reverse
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.browser.conftest import session_of
from tests.browser.sample_states import SAMPLE_INVITATION, SAMPLE_PASSWORD, TO_PROJECT
from tests.dashboard.test_second_factor import code_of


@dataclass(frozen=True)
class Case:
    """One page in one state."""

    name: str
    view: str  # its name in the URL resolver, or the error it is
    of: str = ""  # what it is about, an attribute of the stage
    query: str = ""
    path: str = ""  # instead of the view's own
    who: str = "researcher"  # an attribute of the stage; empty: no user is logged in
    ready: str = "h1"  # what is there once the page is complete
    status: int = 200
    act: object = None  # what is done once it is ready
    broken: str = ""  # a function that raises meanwhile
    settings: tuple = ()  # that differ meanwhile
    explains: bool = True  # false for the pages of the API, printed reports and the glossary itself

    def address(self, stage):
        about = getattr(stage, self.of) if self.of else None
        args = [about.token if self.view == PUBLIC else about.pk] if about else []
        query = self.query.format(zones=stage.zones.pk, attack=stage.attack.pk)
        return (self.path or reverse(self.view, args=args)) + query

    def breaking(self):
        """Break what must be broken for this page to be seen, and set what must be set."""
        if self.settings:
            return override_settings(**dict(self.settings))
        return patch(self.broken, side_effect=RuntimeError("raised by a test")) if self.broken else nullcontext()


def _new_token(page):
    page.get_by_label("Name").fill("Nightly import")
    page.get_by_role("button", name="New token").click()


def _log_in(page):
    page.get_by_label("User name").fill("guarded")
    page.get_by_label("Password").fill(SAMPLE_PASSWORD)
    page.get_by_role("button", name="Log in").click()


def _set_up(page):
    page.get_by_role("button", name="Set up an authenticator app").click()


def _new_codes(page):
    page.get_by_label("Password").first.fill(SAMPLE_PASSWORD)
    page.get_by_label("Code of the app").first.fill(code_of(TOTPDevice.objects.get(user__username="guarded")))
    page.get_by_role("button", name="Make new recovery codes").click()


def _new_invitation(page):
    page.get_by_label("Whom it is for").fill("Ada")
    page.get_by_role("button", name="Make a link").click()


def _new_link(page):
    page.get_by_role("button", name="Make a link").click()


def _forged_form(page):
    page.context.clear_cookies(name=settings.CSRF_COOKIE_NAME)
    button = page.get_by_role("button", name="New token")
    button.evaluate("(button) => HTMLFormElement.prototype.submit.call(button.form)")  # a script would mend it


EDITOR, FORM, BENCH, CHARTS, SHEET = (
    f"[data-{name}][data-ready=all]" for name in ("editor", "form", "bench", "report", "sheet")
)
RECOMMEND = "[data-recommend][data-ready=all]"
STREAMS = "[data-streams][data-ready=all]"
PLOT, CELLS = ".chart .js-plotly-plot", "[data-cells-rows] tr"
WORKING = "[data-bench][data-ready]:has([data-chart=loss] .js-plotly-plot)"  # a release runs: never all is there
TRACK = "canvas[data-layer]"
TOKENS, LIST, DATASET, EDIT = "accounts:tokens", "datasets:list", "datasets:detail", "landmarks:new"
NEW, COMPARE, REPORT, REPORTS = (f"releases:{name}" for name in ("new", "compare", "report", "comparison-report"))
EXPLAIN, PREVIEW = "releases:explain", "[data-preview][data-shown]:not(:has([aria-busy]))"
EXPERIMENT, PANELS = "experiments:detail", "[data-results][data-ready=all]"
PUBLIC, READ = "publications:page", "[data-public][data-ready=all]"
TOO_MANY = "?" + "&".join(["a"] * 300)  # more fields than a request may have: refused before any view is called

MAIL, INVITE = (("CAIRN_MAIL", True),), (("CAIRN_USERS_INVITE", True),)
SECOND, JOIN = "accounts:second-factor", f"/projects/join/{TO_PROJECT}/"

CASES = (
    Case("login", "accounts:login", who=""),
    Case("used-link", "accounts:once", path="/login/once/nothing/", who="", status=410),
    Case("code", "accounts:code", path="/login/", who="", act=_log_in, explains=False),
    Case("join", "accounts:join", path=f"/join/{SAMPLE_INVITATION}/", who="", explains=False),
    Case("used-invitation", "accounts:join", path="/join/nothing/", who="", status=410),
    Case("forgotten", "accounts:forgotten", who=""),
    Case("forgotten-with-mail", "accounts:forgotten", who="", settings=MAIL),
    Case("account", "accounts:account", settings=(*MAIL, *INVITE), explains=False),
    Case("second-factor", SECOND, explains=False),
    Case("second-factor-set-up", SECOND, who="newcomer", act=_set_up, explains=False),
    Case("second-factor-codes", SECOND, who="guarded", act=_new_codes, explains=False),
    Case("invitations", "accounts:invitations", act=_new_invitation, settings=INVITE, explains=False),
    Case("address", "accounts:address", settings=MAIL, explains=False),
    Case("account-export", "accountexports:list", explains=False),
    Case("no-account-export", "accountexports:list", who="newcomer", explains=False),
    Case("delete-account", "accountexports:delete-account", who="guarded", explains=False),
    Case("delete-account-without-password", "accountexports:delete-account", who="newcomer", explains=False),
    Case("access", "accounts:access", explains=False),
    Case("no-access", "accounts:access", who="newcomer", explains=False),
    Case("used-address-link", "accounts:confirm-address", path="/account/address/x/", status=410, explains=False),
    Case("password", "accounts:password", explains=False),
    Case("used-password-link", "accounts:reset", path="/password/x/x/", who="", status=410),
    Case("tokens", TOKENS, explains=False),
    Case("new-token", TOKENS, act=_new_token, explains=False),
    Case("no-tokens", TOKENS, who="newcomer", explains=False),
    Case("datasets", LIST),
    Case("no-datasets", LIST, who="newcomer"),
    Case("dataset", DATASET, "taxi", ready=TRACK),
    Case("first-dataset", DATASET, "first", who="beginner", ready=TRACK),
    Case("reading", DATASET, "reading"),
    Case("unread", DATASET, "unread"),
    Case("import", "datasets:import", "first", who="beginner", ready=PREVIEW, explains=False),
    Case("import-unread", "datasets:import", "unread", ready=PREVIEW, explains=False),
    Case("import-checkins", "datasets:import", "unmodelled", ready=PREVIEW, explains=False),
    Case("landmarks", EDIT, "walk", ready=EDITOR),
    Case("zones", EDIT, "walk", "?from={zones}", ready=EDITOR),
    Case("dummies", "landmarks:dummies", "stays", ready=FORM),
    Case("landmark-report", "landmarks:report", "stays", ready=CHARTS),
    Case("release", NEW, "taxi", ready=FORM),
    Case("no-landmarks", NEW, "first", who="beginner"),
    Case("compare", COMPARE, "taxi", ready=BENCH),
    Case("compare-swipe", COMPARE, "walk", "?mode=swipe", ready=BENCH),
    Case("compare-side-by-side", COMPARE, "walk", "?mode=grid", ready=BENCH),
    Case("compare-attack", COMPARE, "taxi", "?attack={attack}", ready=f"{BENCH}:has([data-attack] .facts)"),
    Case("compare-running", COMPARE, "paris", ready=WORKING),
    Case("no-releases", COMPARE, "first", who="beginner"),
    Case("stream", DATASET, "stream", ready=PLOT),
    Case("stream-release", NEW, "stream", ready=FORM),
    Case("stream-compare", COMPARE, "clinics", ready=STREAMS),
    Case("no-stream-releases", COMPARE, "unreleased"),
    Case("count-on-a-grid", "datasets:aggregate", "checkins", ready=FORM),
    Case("counted", DATASET, "counted", ready=PLOT),
    Case("counted-release", NEW, "counted", ready=FORM),
    Case("stays-as-checkins", "datasets:stays", "paris", ready=FORM),
    Case("stays", DATASET, "visits", ready=CELLS),
    Case("checkins", DATASET, "checkins", ready=CELLS),
    Case("checkins-release", NEW, "checkins", ready=FORM),
    Case("checkins-compare", COMPARE, "city", "?history=37,70,103", ready=RECOMMEND),
    Case("no-models", COMPARE, "unmodelled"),
    Case("recommend", "releases:recommend"),
    Case("no-recommend", "releases:recommend", who="newcomer"),
    Case("report", REPORT, "done", ready=SHEET, explains=False),
    Case("owners-report", REPORTS, "walk", "?for=owner", ready=SHEET, explains=False),
    Case("stream-report", REPORTS, "stream", ready=SHEET, explains=False),
    Case("stream-owners-report", REPORTS, "stream", "?for=owner&series=1", ready=SHEET, explains=False),
    Case("checkins-report", REPORTS, "checkins", ready=SHEET, explains=False),
    Case("checkins-owners-report", REPORTS, "checkins", "?for=owner", ready=SHEET, explains=False),
    Case("explain", EXPLAIN, "done", explains=False),
    Case("explain-colleague", EXPLAIN, "done", "?reader=colleague&image=yes", explains=False),
    Case("explain-stream", EXPLAIN, "released_stream", explains=False),
    Case("explain-checkins", EXPLAIN, "released_checkins", explains=False),
    Case("projects", "projects:list"),
    Case("no-projects", "projects:list", who="newcomer"),
    Case("project", "projects:detail", "project", explains=False),
    Case("project-link", "projects:detail", "project", act=_new_link, explains=False),
    Case("join-project", "projects:join", path=JOIN, who="newcomer", explains=False),
    Case("join-project-without-account", "projects:join", path=JOIN, who="", explains=False),
    Case("join-project-account", "projects:join", path=JOIN, who="", settings=INVITE, explains=False),
    Case("project-viewer", "projects:detail", "project", who="reviewer", explains=False),
    Case("dataset-viewer", DATASET, "walk", who="reviewer", ready=TRACK),
    Case("compare-viewer", COMPARE, "walk", who="reviewer", ready=BENCH),
    Case("move-dataset", "projects:move-dataset", "walk", explains=False),
    Case("move-experiment", "projects:move-experiment", "experiment", explains=False),
    Case("move-stream", "projects:move-stream", "live", explains=False),
    Case("not-permitted", NEW, "walk", who="reviewer", status=403, explains=False),
    Case("published", "publications:list"),
    Case("no-published", "publications:list", who="newcomer"),
    Case("publish", "publications:new", "done"),
    Case("public-trajectory", PUBLIC, "public_trajectory", who="", ready=READ, explains=False),
    Case("public-stream", PUBLIC, "public_stream", who="", ready=READ, explains=False),
    Case("public-checkins", PUBLIC, "public_checkins", who="", ready=READ, explains=False),
    Case("public-closed", PUBLIC, path="/p/nothing/", who="", status=404, explains=False),
    Case("experiments", "experiments:list"),
    Case("no-experiments", "experiments:list", who="newcomer"),
    Case("new-experiment", "experiments:new", ready=FORM),
    Case("new-stream-experiment", "experiments:new", query="?kind=stream", ready=FORM),
    Case("new-checkins-experiment", "experiments:new", query="?kind=checkins", ready=FORM),
    Case("experiment", EXPERIMENT, "experiment", ready=PANELS),
    Case("experiment-running", EXPERIMENT, "computing", ready=PANELS),
    Case("audits", "audits:list"),
    Case("no-audits", "audits:list", who="newcomer"),
    Case("audit", "audits:detail", "audit"),
    Case("audit-violated", "audits:detail", "violated"),
    Case("streams", "streams:list"),
    Case("no-streams", "streams:list", who="newcomer"),
    Case("new-stream", "streams:new"),
    Case("live-stream", "streams:detail", "live", ready=PLOT),
    Case("empty-live-stream", "streams:detail", "silent"),
    Case("glossary", "glossary", explains=False),
    Case("no-documentation", "documentation", who="", status=404, settings=(("CAIRN_DOCS", Path("nowhere")),)),
    Case("api", "api:docs", ready=".swagger-ui .opblock", explains=False),
    Case("error-400", "400", path="/", query=TOO_MANY, status=400),
    Case("error-403", "403_csrf", path="/tokens/", act=_forged_form, status=403),
    Case("error-404", "404", path="/nowhere/", status=404),
    Case("error-500", "500", path="/tokens/", broken="dashboard.accounts.selectors.tokens_of", status=500),
)

NO_PAGES = {  # what answers no page of its own to a GET, and what it answers
    **dict.fromkeys((
        "accounts:logout", "accounts:end-sessions", "accounts:second-factor-begin", "accounts:second-factor-codes",
        "accounts:second-factor-disable", "accounts:revoke-invitation", "onboarding:tour", "accounts:revoke",
        "publications:revoke", "projects:rename", "projects:delete", "projects:member-role", "projects:member-remove",
        "projects:revoke-invitation",
        "landmarks:samples",
    ), 405),
    **dict.fromkeys((
        "publications:track", "publications:data", "publications:label", "healthz",
        "releases:figure-svg", "releases:figure-tex", "releases:figure-bib",
    ), 200),
    **dict.fromkeys(("landmarks:detail", "releases:home", "projects:invite"), 302),
    **dict.fromkeys(("tile", "own-tile", "area-tile", "unknown-api-path"), 404),
}  # fmt: skip


def visit(page, case, stage, origin):
    """Open the page as its user; return the response that holds it."""
    page.goto("about:blank")  # the page before still polls its jobs, and soon without a session
    log_in(page.context, getattr(stage, case.who, None), origin)
    with case.breaking():
        response = page.goto(case.address(stage))
        page.wait_for_selector(case.ready)
        if case.act:
            with page.expect_navigation() as navigation:
                case.act(page)
            response = navigation.value
    page.wait_for_load_state("load")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return response


def log_in(context, user, origin):
    context.clear_cookies()
    if user is not None:
        context.add_cookies([session_of(user, origin)])


def page_views():
    """The names of all views that may answer with HTML: all but those of the API that only render JSON."""
    return {name for name, callback in _views(get_resolver()) if _renders_html(callback)}


def _views(resolver, space=""):
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            yield f"{space}{entry.name}", entry.callback
        else:
            yield from _views(entry, f"{space}{entry.namespace}:" if entry.namespace else space)


def _renders_html(callback):
    renderers = getattr(getattr(callback, "cls", None), "renderer_classes", None)
    return renderers is None or any(one.media_type == "text/html" for one in renderers)
