"""Runs of a release by a worker, in this process: undisturbed, interrupted, or with an expired lease."""

import numpy as np
from django.core.files.base import ContentFile
from django.utils import timezone

from dashboard.datasets.models import BudgetEntry
from dashboard.datasets.services import import_dataset
from dashboard.jobs import leases, queue
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import execution
from dashboard.releases.models import Release
from dashboard.releases.services import submit_release
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import refreshed
from tests.dashboard.api_helpers import RELEASES, UNIFORM


def executed(release):
    execution.run(release.pk)
    return refreshed(release)


def submitted(data, mechanism=UNIFORM, seed=None):
    """A waiting release over a landmark set, or of a dataset that needs none."""
    dataset, marks = (data.dataset, data) if isinstance(data, LandmarkSet) else (data, None)
    spec = ReleaseSpec.parse({"mechanism": mechanism, "seed": seed})
    return submit_release(owner=dataset.owner, dataset=dataset, landmark_set=marks, spec=spec)


def finished(marks, mechanism=UNIFORM, seed=None):
    release = executed(submitted(marks, mechanism, seed))
    assert release.state == "done", release.error
    return release


def charges(release):
    entries = BudgetEntry.objects.filter(release_id=release.pk).order_by("pk")
    return [np.sign(amount) for amount in entries.values_list("amount", flat=True)]


def interrupted(release, monkeypatch, interrupt):
    """The release after a run in which ``interrupt(row)`` happened just before its result was stored."""
    original = execution.draw_release

    def interrupting(row, lease):
        fields = original(row, lease)
        interrupt(row)
        return fields

    monkeypatch.setattr(execution, "draw_release", interrupting)
    execution.run(release.pk)
    monkeypatch.setattr(execution, "draw_release", original)
    return Release.objects.filter(pk=release.pk).first()


def stopped_in_its_first_part(monkeypatch, module, work, row, end):
    """Let the owner cancel or delete ``row`` while a part is worked off by ``work`` of the module; parts so far."""
    begun, plain = [], getattr(module, work)

    def stopped(part, lease):
        begun.append(part.pk)
        made = plain(part, lease)
        queue.request_cancel(refreshed(row)) if end == "cancel" else queue.delete(row)
        for held in leases._held:  # what the heartbeat does
            held._extend()
        return made

    monkeypatch.setattr(module, work, stopped)
    return begun


def fail(_):
    raise RuntimeError("48.8703 is a coordinate and must not be shown")


def expire(row):
    Release.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timezone.timedelta(seconds=1))


def secretive_release(owner, api, table, secret):
    """A finished release whose owner named everything so; 4 of 8 events are landmarks, and all 8 are marked."""
    owner.username = f"{secret} person"
    owner.save()
    upload = ContentFile(table.encode(), name=f"{secret}.csv")
    dataset = import_dataset(owner=owner, upload=upload, name=f"{secret} walk")
    paris = {"name": "manual", "events": [0, 2, 4, 7]}
    source = mark_landmarks(owner=owner, dataset=dataset, method=paris, name=f"{secret} places")
    coins = {"method": {"name": "dummies-one-sided", "epsilon": 1e-6}}
    made = api.post(f"/api/v1/landmark-sets/{source.pk}/dummies/", coins).json()
    assert made["count"] == 8  # 4 coins of e^-1e-6: one of 250,000 runs fails here
    body = {"dataset": str(dataset.pk), "landmark_set": made["id"], "mechanism": UNIFORM, "name": f"{secret} release"}
    return executed(Release.objects.get(pk=api.post(RELEASES, body).json()["id"]))


def drawn(owner, dataset, events=(0,), mechanism=UNIFORM, seed=None, method=None):
    """A finished release of a dataset in which these events, or those that ``method`` finds, are landmarks."""
    method = method or {"name": "manual", "events": list(events)}
    return finished(mark_landmarks(owner=owner, dataset=dataset, method=method), mechanism, seed)
