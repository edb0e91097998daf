"""The WSGI application, without libraries that no request uses (docs/decisions/0032-web-process-memory.md)."""

import gc
import importlib
import os
import sys
import types
from typing import Any

from django.conf import settings
from django.core.signals import request_finished
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from dashboard.config.memory import release_free_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # Arrow's own pool holds 6 MB more from the first read on

UNUSED = ["pyarrow._s3fs", "pyarrow._azurefs", "pyarrow._gcsfs", "pyarrow._hdfs"]  # clients of remote file systems
if settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    UNUSED.append("django.contrib.postgres.fields")  # which imports PostgreSQL's driver
for name in UNUSED:
    sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # an import fails, and its importers do without


class _TestHelpers(types.ModuleType):
    """``rest_framework.test``, imported once it is used: only the schema's generator does; it has 2 MB."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules["rest_framework.test"] is self:
            del sys.modules["rest_framework.test"]
        return getattr(importlib.import_module("rest_framework.test"), name)

    def APIRequestFactory(self, *args: Any, **kwargs: Any) -> Any:  # noqa: N802 (its name there)
        """Make the factory that the generator of the schema imports."""
        return self.__getattr__("APIRequestFactory")(*args, **kwargs)


sys.modules.setdefault("rest_framework.test", _TestHelpers("rest_framework.test"))
application = get_wsgi_application()
_ = get_resolver().url_patterns  # imports every view, which the first request would do otherwise
request_finished.connect(release_free_memory)
gc.collect()  # what imports leave behind
gc.freeze()  # later collections look at what requests make
