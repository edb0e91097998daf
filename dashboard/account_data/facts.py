"""The parts of an account's export that are rows, as plain values for JSON."""

from typing import Any

from dashboard.accounts.models import AccessEntry, Invitation, User
from dashboard.accounts.second_factor import is_enabled
from dashboard.accounts.selectors import sessions_of, tokens_of
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, LineageEntry, SourceFile
from dashboard.experiments.models import Experiment
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import events_of
from dashboard.publications.selectors import visible_publications
from dashboard.streams.models import LiveStream

RELEASES = ("release_id", "mechanism", "level", "unit", "amount", "epsilon", "radius_m", "stability", "created_at")
LIMITS = ("unit", "spent", "total", "total_epsilon", "total_radius_m")
ACCESS = (
    *("created_at", "user_name", "access", "operation", "subject", "subject_id", "subject_name"),
    *("means", "means_id", "means_name"),
)


def account(user: User) -> dict[str, Any]:
    """The account itself, its sessions, tokens and invitations; no password, secret or key."""
    invitations = Invitation.objects.filter(invited_by=user)
    return {
        **{name: getattr(user, name) for name in ("id", "username", "email", "date_joined", "last_login", "base_map")},
        "second_factor": is_enabled(user),
        "tokens": list(tokens_of(user).values("name", "token_key", "scopes", "created", "expiry", "last_used_at")),
        "sessions": list(sessions_of(user).values("id", "browser", "address", "created_at", "last_used_at")),
        "invitations": list(invitations.values("note", "project", "role", "created_at", "expires_at", "used_at")),
    }


def ledger(user: User) -> dict[str, Any]:
    """Uploads, what connects them, budgets and charges; amounts are in micro-ε (dashboard/datasets/ledger.py)."""
    files = SourceFile.objects.filter(owner=user).order_by("pk")
    facts = LineageEntry.objects.filter(source_file__owner=user).order_by("pk")
    return {
        "source_files": [
            {
                "id": file.pk,
                "lineage": file.lineage_id,
                "uploaded_at": file.created_at,
                "datasets": list(file.datasets.values_list("pk", flat=True)),
                "charges": list(BudgetEntry.objects.filter(source_file=file).values(*RELEASES)),
            }
            for file in files
        ],
        "budgets": list(Budget.objects.filter(lineage__owner=user).order_by("pk").values("lineage", *LIMITS)),
        "recorded": list(facts.values("fact", "source_file", "other", "share", "amounts", "created_at")),
    }


def access(user: User) -> list[dict[str, Any]]:
    """The trail of access to what is the user's, newest first."""
    return list(AccessEntry.objects.filter(owner=user).values(*ACCESS))


def publications(user: User) -> list[dict[str, Any]]:
    """Public links."""
    names = ("id", "release_id", "kind", "title", "author", "licence", "method", "created_at", "expires_on")
    return [{name: getattr(link, name) for name in names} | {"path": link.path} for link in visible_publications(user)]


def dataset(row: Dataset) -> dict[str, Any]:
    """How an upload was read."""
    names = ("id", "name", "kind", "file_name", "size_bytes", "original_removed_at", "options", "cleaning", "report")
    more = ("summary", "points", "tags", "state", "error", "created_at", "counted_from_id", "aggregation")
    return {name: getattr(row, name) for name in (*names, *more, "stay_detection", "sample", "decided")}


def landmark_set(row: LandmarkSet) -> dict[str, Any]:
    """A landmark set with the runs of its events."""
    names = ("id", "name", "method", "selection", "source_id", "created_at")
    return {name: getattr(row, name) for name in names} | events_of(row)


def experiment(row: Experiment) -> dict[str, Any]:
    """The description of an experiment."""
    names = ("id", "name", "dataset_id", "preset", "spec", "tags", "state", "error", "created_at", "finished_at")
    return {name: getattr(row, name) for name in names}


def stream(row: LiveStream) -> dict[str, Any]:
    """A live stream and all that it published."""
    names = ("id", "name", "dimensions", "spec", "state", "created_at")
    published = [{"time": timestamp.label, "counts": timestamp.numbers} for timestamp in row.timestamps.iterator()]
    return {name: getattr(row, name) for name in names} | {"published": published}
