"""What the export of an account has: a list of members, each opened when it is packed."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from django.core.exceptions import ObjectDoesNotExist
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Sum

from dashboard.accounts.models import AccessEntry, Invitation, User
from dashboard.accounts.second_factor import is_enabled
from dashboard.accounts.selectors import sessions_of, tokens_of
from dashboard.attacks import files as attack_files
from dashboard.attacks.models import Attack
from dashboard.audits import files as audit_files
from dashboard.audits.models import Audit
from dashboard.core.filenames import file_stem
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, LineageEntry, SourceFile
from dashboard.experiments import files as experiment_files
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import events_of
from dashboard.publications.models import Publication
from dashboard.publications.selectors import visible_publications
from dashboard.releases import downloads, reproduce
from dashboard.releases.models import Release
from dashboard.streams.models import LiveStream
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.datatypes import datatypes

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
    return [_facts(link) | {"path": link.path} for link in visible_publications(user)]


COLUMNS: dict[type, tuple[str, ...]] = {
    Dataset: (
        *("id", "name", "kind", "file_name", "size_bytes", "original_removed_at", "options", "cleaning", "report"),
        *("summary", "points", "tags", "state", "error", "created_at", "counted_from_id", "aggregation"),
        *("stay_detection", "sample", "decided"),
    ),
    LandmarkSet: ("id", "name", "method", "selection", "source_id", "created_at"),
    Experiment: ("id", "name", "dataset_id", "preset", "spec", "tags", "state", "error", "created_at", "finished_at"),
    LiveStream: ("id", "name", "dimensions", "spec", "state", "created_at"),
    Publication: ("id", "release_id", "kind", "title", "author", "licence", "method", "created_at", "expires_on"),
}
"""What the export has of a row, by its model."""


def _facts(row: Any, more: Callable[[Any], dict[str, Any]] = lambda _: {}) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COLUMNS[type(row)]} | more(row)


def _published(row: LiveStream) -> dict[str, Any]:
    return {"published": [{"time": at.label, "counts": at.numbers} for at in row.timestamps.iterator()]}


README = """\
All that Cairn stores of the account {name}, packed for its owner.

It has the original locations. Keep it as you keep them; what may be passed on is in the folders "releases".

account.json            the account, its sessions, tokens (without the tokens themselves) and invitations
ledger.json             what the releases of each upload spent of its privacy budget
access.json             who read originals and downloaded files, as far as that is kept
publications.json       public links
datasets/NAME/          original: the file as it was uploaded; points.parquet in place of it where there is none
  dataset.json          how it was read, its report, tags
  landmark-sets/        the landmarks of each set, by event
  releases/NAME/        the released data with its privacy label; label.json, configuration.json
experiments/            description of each experiment, and its table of results once it is done
attacks/  audits/       results
streams/                what each live stream published

Check the files: sha256sum -c SHA256SUMS
"""


class Member(NamedTuple):
    """A file of the export: its path in the ZIP, and how it is opened.

    ``open`` raises FileNotFoundError where its subject was deleted meanwhile.
    """

    path: str
    open: Callable[[], BinaryIO]


def members(owner: Any) -> list[Member]:
    """Every file of the export of ``owner``, as the rows are now."""
    texts: list[tuple[str, Callable[[], Any]]] = [
        ("account.json", partial(account, owner)),
        ("ledger.json", partial(ledger, owner)),
        ("access.json", partial(access, owner)),
        ("publications.json", partial(publications, owner)),
    ]
    entries = [Member("README.txt", lambda: BytesIO(README.format(name=owner.get_username()).encode()))]
    entries += [Member(path, partial(_json, make)) for path, make in texts]
    for dataset in Dataset.objects.filter(owner=owner).order_by("created_at", "pk"):
        entries += _of_dataset(dataset)
    for experiment in Experiment.objects.filter(owner=owner).order_by("created_at", "pk"):
        entries += _of_experiment(experiment)
    for attack in Attack.objects.filter(owner=owner, state=State.DONE).order_by("created_at", "pk"):
        entries.append(Member(f"attacks/{attack.pk}.json", partial(_first, attack_files.export, attack, "json")))
    for audit in Audit.objects.filter(owner=owner, state=State.DONE).order_by("created_at", "pk"):
        entries.append(Member(f"audits/{audit.pk}.json", partial(_first, audit_files.export, audit, "json")))
    for stream in LiveStream.objects.filter(owner=owner).order_by("created_at", "pk"):
        path = f"streams/{file_stem(stream.name, stream.pk.hex[:8])}.json"
        entries.append(Member(path, partial(_json, partial(_facts, stream, _published))))
    return entries


def bytes_of_originals(owner: Any) -> int:
    """Together, as they were uploaded."""
    kept = Dataset.objects.filter(owner=owner, original_removed_at=None)
    return int(kept.aggregate(all=Sum("size_bytes"))["all"] or 0)


def _of_dataset(row: Dataset) -> Iterator[Member]:
    folder = f"datasets/{file_stem(row.name, row.pk.hex[:8])}"
    yield Member(f"{folder}/dataset.json", partial(_json, partial(_facts, row)))
    if row.original_path.exists():
        suffix = re.search(r"(?:\.[A-Za-z0-9]{1,10}){0,2}$", row.file_name)
        yield Member(f"{folder}/original{suffix[0] if suffix else ''}", row.original_path.open)
    elif row.points_file:
        yield Member(f"{folder}/points.parquet", row.points_path.open)
    for marks in row.landmark_sets.defer("packed").order_by("created_at", "pk"):
        yield Member(f"{folder}/landmark-sets/{marks.pk}.json", partial(_json, partial(_facts, marks, events_of)))
    for release in row.releases.filter(state=State.DONE).order_by("created_at", "pk"):
        yield from _of_release(release, f"{folder}/releases/{release.public_stem}")


def _of_release(row: Release, folder: str) -> Iterator[Member]:
    fmt, export = next(iter(datatypes[row.kind].exports.items()))
    path = f"{folder}/release.{export.extension}"
    yield Member(path, partial(_first, downloads.export, row, fmt))
    yield Member(f"{folder}/label.json", partial(_json, partial(downloads.label, row)))
    yield Member(f"{folder}/configuration.json", lambda: BytesIO(reproduce.configuration([row]).encode()))


def _of_experiment(row: Experiment) -> Iterator[Member]:
    stem = f"experiments/{file_stem(row.name, row.pk.hex[:8])}"
    yield Member(f"{stem}.json", partial(_json, partial(_facts, row)))
    if row.state == State.DONE:
        yield Member(f"{stem}.csv", partial(_first, experiment_files.export, row, "csv"))


def _first(export: Callable[[Any, str], tuple[BinaryIO, str, str]], row: Any, fmt: str) -> BinaryIO:
    """The file of an export; that of a row that is deleted meanwhile is left out."""
    return _existing(row, lambda: export(row, fmt)[0])


def _json(make: Callable[[], Any]) -> BinaryIO:
    try:
        content = make()
    except ObjectDoesNotExist as error:
        raise FileNotFoundError(str(error)) from None
    pieces = DjangoJSONEncoder(indent=2, ensure_ascii=False, allow_nan=False).iterencode(content)
    return BytesIO("".join(reported(pieces, ROWS)).encode() + b"\n")


def _existing(row: Any, read: Callable[[], BinaryIO]) -> BinaryIO:
    if not type(row)._default_manager.filter(pk=row.pk).exists():
        raise FileNotFoundError(str(row.pk))
    return read()
