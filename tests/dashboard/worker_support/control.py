"""A substitute for the web process: returns responses of the real API, and real rows, for JSON lines on stdin."""

import json
import os
import sys
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import django

django.setup()

from celery import current_app  # noqa: E402
from django.db import close_old_connections, connection  # noqa: E402
from django.utils import timezone  # noqa: E402
from rest_framework.test import APIClient  # noqa: E402

from dashboard.accounts.models import User  # noqa: E402
from dashboard.datasets import execution, services  # noqa: E402
from dashboard.datasets.models import BudgetEntry, Dataset  # noqa: E402
from dashboard.experiments.models import Experiment  # noqa: E402
from dashboard.jobs.models import OPEN, State  # noqa: E402
from dashboard.jobs.tasks import TASKS  # noqa: E402
from dashboard.landmarks.services import mark_landmarks  # noqa: E402
from dashboard.releases.models import Release  # noqa: E402
from dashboard.storage.stored_path import stored_files  # noqa: E402
from privacy_engine.data import Trajectory  # noqa: E402

api = APIClient()


def begin(*, lon, lat):
    owner, _ = User.objects.get_or_create(username="owner")
    api.force_authenticate(owner)
    series = [Trajectory(lon, lat, [60.0 * i for i in range(len(lon))])]
    row = Dataset(owner=owner, name="Test", state=State.READY, progress=1.0, finished_at=timezone.now())
    for column, value in execution.store(row.folder, series, token=uuid.uuid4(), kind="trajectory").items():
        setattr(row, column, value)
    row.save(force_insert=True)
    marks = mark_landmarks(owner=owner, dataset=row, method={"name": "manual", "events": [0, 3]})
    return {"dataset": str(row.pk), "landmark_set": str(marks.pk)}


def call(*, method, path, body=None):
    started = time.perf_counter()
    answer = getattr(api, method)(path, body, format="json")
    seconds = time.perf_counter() - started
    return {"status": answer.status_code, "seconds": seconds, "json": answer.json() if answer.content else None}


def upload(*, path, fields=None):
    """Upload a file, which a worker reads however small it is."""
    services.NOW_PLAIN_BYTES = services.NOW_PACKED_BYTES = -1
    with Path(path).open("rb") as file:
        answer = api.post("/api/v1/datasets/", {"file": file, **(fields or {})}, format="multipart")
    return {"status": answer.status_code, "json": answer.json()}


def race(*, body, key, times):
    together = threading.Barrier(times)

    def one(_):
        client = APIClient()
        client.force_authenticate(User.objects.get(username="owner"))
        together.wait()
        try:
            answer = client.post("/api/v1/releases/", body, format="json", headers={"Idempotency-Key": key})
            return [answer.status_code, answer.json().get("id")]
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def row(*, pk):
    found = Release.objects.get(pk=pk)
    names = ("state", "attempt", "error", "data_file", "data_sha256", "summary", "stage", "progress")
    return {name: getattr(found, name) for name in names} | {
        "files": sorted(path.name for path in found.folder.iterdir()),
        "errors": sorted(path.name for path in found.dataset.folder.iterdir(f"errors-{pk}-")),
        "charges": list(BudgetEntry.objects.filter(release_id=pk).values_list("amount", flat=True)),
        "data_path": "" if stored_files().shared else os.fspath(found.data_path),
    }


def experiment(*, pk):
    found = Experiment.objects.get(pk=pk)
    names = ("state", "attempt", "error", "progress", "table_sha256")
    parts = Counter(found.parts.values_list("state", flat=True))
    return {name: getattr(found, name) for name in names} | {"parts": dict(parts)}


def enqueue(*, pk, times):
    for _ in range(times):
        TASKS[Release].apply_async(args=[pk])
    return times


def enqueue_unknown():
    return str(current_app.send_task("no.such.task", args=["1"]).id)


def cancel_open():
    over = {"state": State.CANCELLED, "finished_at": timezone.now(), "token": None, "lease_until": None}
    return Release.objects.filter(state__in=OPEN).update(**over)


def age_enqueued_at(*, pk):
    return Release.objects.filter(pk=pk).update(enqueued_at=timezone.now() - timezone.timedelta(hours=1))


def errors():
    return list(Release.objects.exclude(error=None).values_list("error", flat=True))


DO = (begin, call, upload, race, row, experiment, enqueue, enqueue_unknown, cancel_open, age_enqueued_at, errors)
ANSWERS = {answer.__name__: answer for answer in DO}

if __name__ == "__main__":
    out = sys.stdout
    sys.stdout = sys.stderr
    Path(sys.argv[1]).touch()
    for line in sys.stdin:
        request = json.loads(line)
        close_old_connections()  # as between two requests: the database may have been restarted
        try:
            answer = {"result": ANSWERS[request.pop("do")](**request)}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)
