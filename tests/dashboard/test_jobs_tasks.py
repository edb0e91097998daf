"""Every job model names a Celery task of its own: messages go by that name, to the queue of its workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings

from dashboard.jobs import queue
from dashboard.jobs.models import models_of

BATCH = {"experiments.run", "audits.run", "attacks.run", "account_data.export"}

MODELS = pytest.mark.parametrize("model", models_of(), ids=lambda model: model.__name__)


def test_no_two_models_share_a_task():
    names = [model.TASK for model in models_of()]
    assert len(set(names)) == len(names) == 6


@MODELS
class TestTask:
    def test_is_registered_where_celery_looks_for_tasks(self, model):
        current_app.loader.import_default_modules()
        assert current_app.tasks[model.TASK].name == model.TASK

    def test_message_goes_to_its_queue_and_carries_the_id_alone(self, model, monkeypatch):
        sent: list[tuple[str, dict[str, Any]]] = []
        monkeypatch.setattr(current_app, "send_task", lambda name, **rest: sent.append((name, rest)))
        monkeypatch.setattr(type(model._default_manager), "filter", lambda *_, **__: _Updated(), raising=False)
        job = model()
        assert queue.enqueue(job)
        queue_name = "batch" if model.TASK in BATCH else "interactive"
        assert queue_name in {one.name for one in settings.CELERY_TASK_QUEUES}
        assert sent == [(model.TASK, {"args": [str(job.pk)], "queue": queue_name, "ignore_result": True})]


class _Updated:
    def update(self, **_):
        return 1


def test_services_load_without_tasks():
    """A process that only submits needs no worker code: nothing registers a task as it is imported."""
    code = (
        "import django, sys; django.setup()\n"
        "import dashboard.releases.services, dashboard.experiments.services, dashboard.attacks.services\n"
        "import dashboard.audits.services, dashboard.datasets.services, dashboard.maintenance.cleanup\n"
        "print([name for name in sys.modules if name.startswith('dashboard.') and name.endswith('.tasks')])\n"
    )
    root = Path(__file__).parents[2]
    env = {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings", "CAIRN_HOME": str(root / "var" / "none")}
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, env=env, check=False)
    assert done.stdout.strip() == "[]", done.stderr
