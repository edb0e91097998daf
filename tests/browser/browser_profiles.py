"""Browser profiles for several tests, so that scripts are fetched and compiled once; no other data stays in them."""

from dataclasses import dataclass, field

from django.templatetags.static import static
from playwright.sync_api import BrowserContext


@dataclass
class PageMonitor:
    """The requests and the errors of the pages of one test."""

    origin: str
    others: tuple[str, ...] = ()  # hosts that belong to the test
    expected: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def expect(self, *statuses):
        """Answers with these statuses belong to the test."""
        self.expected.update(statuses)

    def request(self, request):
        self.requests.append(request.url)
        if not request.url.startswith((self.origin, *self.others, "data:", "blob:")):
            self.faults.append(f"request to another host: {request.url}")

    def response(self, response):
        if not response.url.startswith(self.others) and response.status >= 400 and response.status not in self.expected:
            self.faults.append(f"{response.status} for {response.request.method} {response.url}")

    def console(self, message):
        ignored = message.text.startswith("Failed to load resource") or any(
            host in message.text for host in self.others
        )
        if message.type == "error" and not ignored:
            self.faults.append(f"console: {message.text}")

    def exception(self, error):
        self.faults.append(f"exception: {error.error}")

    def violation(self, text):
        self.faults.append(f"CSP: {text}")


class Profile:
    """A context of the browser, used by one test after the other."""

    def __init__(self, browser, origin, options):
        self.origin = origin
        self.monitor = None
        self.context: BrowserContext = browser.new_context(base_url=origin, **options)
        for event, method in (("request",) * 2, ("response",) * 2, ("console",) * 2, ("weberror", "exception")):
            self.context.on(event, lambda what, method=method: self._record(method, what))
        self.context.expose_binding("reportViolation", lambda _, text: self._record("violation", text))
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (e) =>"
            " window.reportViolation(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`))"
        )
        # always open, so that the process that has compiled the scripts (--process-per-site) stays
        self.context.new_page().goto(static("img/favicon.svg"))

    def _record(self, method, what):
        if self.monitor is not None:
            getattr(self.monitor, method)(what)

    def new_page(self, monitor):
        """A page as in a new profile, recorded by ``monitor``; :meth:`reset` has deleted the cookies."""
        page = self.context.new_page()
        kinds = "indexeddb,local_storage,service_workers,file_systems,cache_storage"
        session = self.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": kinds})
        session.detach()
        self.monitor = monitor
        return page

    def reset(self):
        """Close the pages of a test and delete its cookies."""
        for page in self.context.pages[1:]:  # the first is ours
            page.close()
        self.monitor = None
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.context.unroute_all()


class Profiles:
    """All profiles, by what they were made with."""

    def __init__(self, browser):
        self._browser = browser
        self._free: dict[str, list[Profile]] = {}
        self._used: list[tuple[str, Profile]] = []

    def new_page(self, monitor, **options):
        """A page of a profile made with ``options`` that no other page of this test has."""
        kind = str(sorted(options.items()))
        free = self._free.setdefault(kind, [])
        profile = free.pop() if free else Profile(self._browser, monitor.origin, options)
        self._used.append((kind, profile))
        return profile.new_page(monitor)

    def reset_all(self):
        for kind, profile in self._used:
            profile.reset()
            self._free[kind].append(profile)
        self._used.clear()
