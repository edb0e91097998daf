"""One row of each kind that an owner can have."""

from __future__ import annotations

from datetime import timedelta

from django.utils.timezone import now

from dashboard.account_data.services import request_export
from dashboard.accounts.models import Invitation, User, UserSession
from dashboard.attacks.services import submit_attack
from dashboard.audits.services import submit_audit
from dashboard.datasets import resumable
from dashboard.datasets.models import Dataset
from dashboard.experiments.services import submit_experiment
from dashboard.landmarks.services import mark_landmarks
from dashboard.projects.models import Role
from dashboard.projects.services import add_member, create_project, move_row
from dashboard.publications.services import publish_release
from dashboard.releases import execution
from dashboard.releases.services import submit_release
from dashboard.streams.models import StreamState
from dashboard.streams.services import change_state, open_stream, publish_events
from privacy_engine.attacks import attacks
from privacy_engine.audit import AuditSpec
from privacy_engine.experiments import presets
from privacy_engine.spec import ReleaseSpec
from tests.dashboard import kinds

HOME_WORK = {"name": "home-work", "distance_m": 200.0, "duration_s": 1800.0, "within_m": 500.0}


def rows_of(owner: User, dataset: Dataset) -> dict[str, str]:
    """Ids of new rows by the first part of their addresses; the dataset must be ready and of a trajectory."""
    marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [0]})
    mechanism = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}
    release = submit_release(
        owner=owner, dataset=dataset, landmark_set=marks, spec=ReleaseSpec.parse({"mechanism": mechanism})
    )
    execution.run(release.pk)
    release.refresh_from_db()
    upload = resumable.begin(owner=owner, length=1000)
    counts = ReleaseSpec.parse({"mechanism": kinds.STREAM})
    stream, _ = open_stream(owner=owner, name="Counts", dimensions=["a", "b"], spec=counts)
    publish_events(stream=stream, events=[{"time": 1, "counts": [2, 3]}])
    change_state(stream=stream, state=StreamState.CLOSED)  # or its live connection would stay open
    link = publish_release(release=release)
    session = UserSession.objects.create(user=owner, session_key="of-the-owner", expire_date=now() + timedelta(days=1))
    invitation = Invitation.objects.create(digest="x", invited_by=owner, expires_at=now() + timedelta(days=1))
    few = presets.parse({"name": "temporal-distance", "repetitions": 2})
    experiment = submit_experiment(owner=owner, preset=few)
    project, _ = create_project(owner=owner, name="Study"), User.objects.create_user("colleague")
    member = add_member(project=project, username="colleague", role=Role.EDITOR)
    for row in (dataset, experiment, stream):
        move_row(user=owner, row=row, project=project.pk)
    return {
        "datasets": str(dataset.pk),
        "landmark-sets": str(marks.pk),
        "releases": str(release.pk),
        "jobs": str(release.pk),
        "publications": str(link.pk),
        "published": str(link.pk),
        "uploads": str(upload.pk),
        "experiments": str(experiment.pk),
        "projects": str(project.pk),
        "members": str(member.pk),
        "attacks": str(submit_attack(owner=owner, release=release, attack=attacks.parse(HOME_WORK))[0].pk),
        "streams": str(stream.pk),
        "sessions": str(session.id),
        "account-exports": str(request_export(owner=owner).pk),
        "invitations": str(invitation.pk),
        "audits": str(submit_audit(owner=owner, spec=AuditSpec(mechanism=mechanism, trials=1000)).pk),
    }
