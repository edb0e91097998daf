"""Sessions in the database, with their user, last use, address and browser. ``SESSION_ENGINE`` names this module."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth import SESSION_KEY, get_user_model
from django.contrib.sessions.backends import db
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone

from dashboard.accounts.attempts import client_address
from dashboard.accounts.models import UserSession

_BROWSERS = {  # in this order: most also name the ones further down
    "Edg": "Edge",
    "EdgA": "Edge",
    "EdgiOS": "Edge",
    "OPR": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Vivaldi": "Vivaldi",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "HeadlessChrome": "Chrome",
    "Chrome": "Chrome",
    "Version": "Safari",
    "curl": "curl",
    "python-requests": "Python",
}
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_name(agent: str) -> str:
    """Return browser, main version and system; empty where the header names neither.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
    'Firefox 128 on Linux'
    >>> browser_name("an unknown program")
    ''
    """
    version = dict(re.findall(r"([A-Za-z-]+)/(\d{1,4})", agent[:1000]))
    browser = next((f"{title} {version[name]}" for name, title in _BROWSERS.items() if name in version), "")
    system = next((title for name, title in _SYSTEMS.items() if name in agent[:1000]), "")
    return " on ".join(part for part in (browser, system) if part)


USE_STEP = timedelta(minutes=1)


class SessionStore(db.SessionStore):
    """Django's store in the database, by the model :class:`UserSession`."""

    request: HttpRequest | None = None  # set by dashboard/accounts/middleware.py
    _row: UserSession | None = None

    @classmethod
    def get_model_class(cls) -> type[UserSession]:
        return UserSession

    def create_model_instance(self, data: dict[str, Any]) -> UserSession:
        row: UserSession = super().create_model_instance(data)
        row.user_id = get_user_model()._meta.pk.to_python(data.get(SESSION_KEY))
        row.address, row.browser = self.address, self.browser
        self._row = row
        return row

    def _get_session_from_db(self) -> UserSession | None:
        self._row = super()._get_session_from_db()
        return self._row

    @property
    def address(self) -> str:
        """Where the request came from."""
        return "" if self.request is None else client_address(self.request)[:64]

    @property
    def browser(self) -> str:
        """What sent the request."""
        return "" if self.request is None else browser_name(self.request.headers.get("User-Agent", ""))

    @property
    def row_id(self) -> Any:
        """The id of the session, which is not its key; None before it is stored."""
        return None if self._row is None else self._row.id

    @property
    def created_at(self) -> datetime:
        """When it was logged in, which gave it a new key; long ago before it is stored."""
        return datetime.min.replace(tzinfo=UTC) if self._row is None else self._row.created_at

    def record_use(self) -> None:
        """Store time, address and browser of a request of a user, at most once a minute.

        A database that is busy is no error: the request itself succeeded.
        """
        row, now = self._row, timezone.now()
        if row is None or row.user_id is None or row.last_used_at > now - USE_STEP:
            return
        try:
            rows = UserSession.objects.filter(pk=row.pk)
            rows.update(last_used_at=now, address=self.address, browser=self.browser)
        except DatabaseError:
            return
