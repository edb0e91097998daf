"""What the export of an account has: a list of members, each opened when it is packed."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from django.core.exceptions import ObjectDoesNotExist
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Sum

from dashboard.account_data import facts
from dashboard.attacks import files as attack_files
from dashboard.attacks.models import Attack
from dashboard.audits import files as audit_files
from dashboard.audits.models import Audit
from dashboard.core.filenames import file_stem
from dashboard.datasets.models import Dataset
from dashboard.experiments import files as experiment_files
from dashboard.experiments.models import Experiment
from dashboard.jobs.models import State
from dashboard.releases import downloads, reproduce
from dashboard.releases.models import Release
from dashboard.streams.models import LiveStream
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.datatypes import datatypes

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
        ("account.json", partial(facts.account, owner)),
        ("ledger.json", partial(facts.ledger, owner)),
        ("access.json", partial(facts.access, owner)),
        ("publications.json", partial(facts.publications, owner)),
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
        entries.append(Member(path, partial(_json, partial(facts.stream, stream))))
    return entries


def bytes_of_originals(owner: Any) -> int:
    """Together, as they were uploaded."""
    kept = Dataset.objects.filter(owner=owner, original_removed_at=None)
    return int(kept.aggregate(all=Sum("size_bytes"))["all"] or 0)


def _of_dataset(row: Dataset) -> Iterator[Member]:
    folder = f"datasets/{file_stem(row.name, row.pk.hex[:8])}"
    yield Member(f"{folder}/dataset.json", partial(_json, partial(facts.dataset, row)))
    if row.original_path.exists():
        suffix = re.search(r"(?:\.[A-Za-z0-9]{1,10}){0,2}$", row.file_name)
        yield Member(f"{folder}/original{suffix[0] if suffix else ''}", row.original_path.open)
    elif row.points_file:
        yield Member(f"{folder}/points.parquet", row.points_path.open)
    for marks in row.landmark_sets.defer("packed").order_by("created_at", "pk"):
        yield Member(f"{folder}/landmark-sets/{marks.pk}.json", partial(_json, partial(facts.landmark_set, marks)))
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
    yield Member(f"{stem}.json", partial(_json, partial(facts.experiment, row)))
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
