"""The WSGI application, without libraries that no request uses (docs/notes/processes.md).

Requests are handled by a few threads of its own, each with a connection to the database. Threads of the web server
wait for them and send what was made: many may send at once, as to those who follow a live stream.
"""

import gc
import importlib
import linecache
import os
import sys
import types
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django
from django.conf import settings
from django.core.signals import request_finished
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.urls import get_resolver

from dashboard.core import computing, static_files
from dashboard.core.database_errors import forget_connection
from dashboard.core.memory import release_free_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # Arrow's own pool holds 6 MB more from the first read on

REQUESTS = 8
"""Handled at once."""
UNUSED = ["pyarrow._s3fs", "pyarrow._azurefs", "pyarrow._gcsfs", "pyarrow._hdfs"]  # clients of remote file systems
if settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    UNUSED.append("django.contrib.postgres.fields")  # which imports PostgreSQL's driver
for name in UNUSED:
    sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # an import fails, and its importers do without


class _OnCall(types.ModuleType):
    """A module that only the generator of the schema needs, imported once its function is called."""

    def __init__(self, name: str, function: str) -> None:
        super().__init__(name)
        setattr(self, function, lambda *args, **kwargs: getattr(self._imported(), function)(*args, **kwargs))

    def _imported(self) -> types.ModuleType:
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        return importlib.import_module(self.__name__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._imported(), name)


for name, function in {
    "rest_framework.test": "APIRequestFactory",  # 2 MB
    "django.contrib.admindocs.views": "simplify_regex",  # 0.7 MB: the admin site
}.items():
    sys.modules.setdefault(name, _OnCall(name, function))
django.setup()
static_files.collect()  # the middleware lists them
handler = get_wsgi_application()
from dashboard.storage import installation  # noqa: E402  models can be imported now

installation.require_in_server(exit_code=3 if "gunicorn" in sys.modules else 1)  # gunicorn starts others again
_ = get_resolver().url_patterns  # imports every view, which the first request would do otherwise
request_finished.connect(release_free_memory)
linecache.clearcache()  # sources, of which pydantic read the docstrings of fields: 0.3 MB
gc.collect()  # what imports leave behind
gc.freeze()  # later collections look at what requests make


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request in a thread that does nothing else; the thread that calls sends the response."""
    computing.use_process()
    return _threads.submit(_handled, environ, start_response).result()


def _handled(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    try:
        return handler(environ, start_response)
    finally:
        close_old_connections()  # by its time; Django does it in the thread that has sent the response


_threads = ThreadPoolExecutor(REQUESTS, "request")
request_finished.connect(lambda **_: forget_connection(), weak=False)  # that sending opened
