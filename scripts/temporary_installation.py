"""An installation in a temporary folder, of the source tree that is the working directory, for the scripts beside this.

Only addresses of the API are used, so that the tree may be of an earlier version.
"""

from __future__ import annotations

import io
import logging
import os
import random
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SEED = 7
API = "/api/v1/"


class Installation:
    """A user's client of the API, and the jobs that it starts, which run in this process."""

    def __init__(self) -> None:
        from celery import current_app
        from django.contrib.auth import get_user_model
        from django.core.management import call_command
        from django.test import Client
        from django.test.utils import setup_test_environment

        setup_test_environment()
        call_command("migrate", verbosity=0)
        current_app.loader.import_default_modules()
        self.tasks = current_app.tasks
        self.client = Client()
        self.client.force_login(get_user_model().objects.create_user("owner"))

    def get(self, path: str, **params: str) -> Any:
        """Return the response to a request for an address, or for a path below that of the API."""
        return self.client.get(path if path.startswith("/") else API + path, params)

    def post(self, path: str, body: dict[str, Any], **options: Any) -> Any:
        """Return the response to a request with a body of JSON, or a form of ``content_type=None``."""
        form = options.pop("form", False)
        return self.client.post(API + path, body, **({} if form else {"content_type": "application/json"}), **options)

    def upload(self, name: str, content: bytes, **more: str) -> str:
        """Import a dataset; returns its id."""
        file = io.BytesIO(content)
        file.name = name
        return self.made(self.post("datasets/", {"file": file, **more}, form=True))

    def made(self, response: Any) -> str:
        """Run the jobs that wait; returns the id of what the response made."""
        if response.status_code >= 300:
            raise SystemExit(f"refused: {response.status_code} {response.content.decode()[:2000]}")
        self.work()
        return str(response.json()["id"])

    def work(self) -> None:
        """Run the jobs that wait, and those that they start."""
        from django.apps import apps

        models = [one for one in apps.get_models() if getattr(one, "TASK", "") in self.tasks]
        while waiting := [(one, row.pk) for one in models for row in one._default_manager.filter(state="queued")]:
            for model, pk in waiting:
                self.tasks[model.TASK](str(pk))


@contextmanager
def installation() -> Iterator[Installation]:
    """Make an installation, and remove it after."""
    sys.path.insert(0, str(Path.cwd()))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"CAIRN_HOME": home, "CAIRN_DEBUG": "0", "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
        os.environ["REDIS_URL"] = "redis://127.0.0.1:1/0"  # none: the jobs are run here
        import django
        from django.conf import settings

        settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
        django.setup()
        logging.disable(logging.WARNING)  # of messages that no broker takes
        yield Installation()


def trajectories() -> bytes:
    """Two people's days in Paris, an event a minute: an hour's stay every three hours, and two stays at an event."""
    rng, lines = random.Random(SEED), ["user,time,lat,lon"]  # noqa: S311
    for person in "ab":
        lat, lon = 48.85, 2.35
        for i in range(600):
            if i % 180 > 60:
                lat, lon = lat + rng.uniform(-4e-4, 4.2e-4), lon + rng.uniform(-4e-4, 4.2e-4)
            lines.append(f"{person},2024-06-01T{8 + i // 60:02d}:{i % 60:02d}:00Z,{lat:.6f},{lon:.6f}")
    return _text(lines)


def counts() -> bytes:
    """Four counts a day for a month."""
    rng = random.Random(SEED)  # noqa: S311
    days = (f"2024-06-{1 + i:02d},{','.join(str(rng.randint(0, 90)) for _ in range(4))}" for i in range(30))
    return _text(["time,a,b,c,d", *days])


def check_ins() -> bytes:
    """An archive of thirty people's check-ins at forty places, and of a list of these places."""
    rng = random.Random(SEED)  # noqa: S311
    places = [(f"v{i}", f"{rng.uniform(48.81, 48.94):.6f}", f"{rng.uniform(2.26, 2.44):.6f}") for i in range(40)]
    lines = ["user_id,time,place_id"]
    for user in range(30):
        for i in range(12):
            lines.append(f"u{user},2024-06-{1 + i:02d}T{8 + user % 12:02d}:00:00Z,{rng.choice(places)[0]}")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("checkins.csv", _text(lines))
        archive.writestr(
            "venues.csv", _text(["place_id,lat,lon,name", *(f"{','.join(p)},place {p[0]}" for p in places)])
        )
    return out.getvalue()


def _text(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode()
