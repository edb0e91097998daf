"""Lineages: which source files of an owner share one budget, and why.

Two source files are connected if a sketch of the one shares most of its events with a sketch of the other, unless the
owner recorded that they are of other people. A lineage is a connected component, and has one :class:`Budget` for each
unit of loss. Datasets made from the same bytes have the same source file, whatever reading, cleaning or kind of data.
See docs/decisions/0023.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Sum

from dashboard.core.errors import Conflict
from dashboard.core.keys import derived_key
from dashboard.datasets import tombstones
from dashboard.datasets.models import (
    Budget,
    BudgetEntry,
    Dataset,
    Kind,
    Lineage,
    LineageEntry,
    SourceFile,
    SourceSketch,
)
from dashboard.storage.stored_path import Source, located
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError
from privacy_engine.event_sketch import EventSketch, Overlap, overlap
from privacy_engine.progress import advance

CHUNK = 1 << 20
LARGEST = 2**62  # the column holds 2**63 - 1
Fact = LineageEntry.Fact
Pair = frozenset[int]


@dataclass(frozen=True)
class Evidence:
    """What identifies an upload: a keyed digest of its bytes, and sketches of its events before any cleaning."""

    file_digest: str
    timed: bytes
    places: bytes
    kind: str = Kind.TRAJECTORY

    @property
    def digest(self) -> str:
        """The SHA-256 of both sketches: the same for two readings with the same events."""
        return hashlib.sha256(len(self.timed).to_bytes(8) + self.timed + self.places).hexdigest()


def evidence_of(path: Source | None, data: Any, kind: str = Kind.TRAJECTORY) -> Evidence:
    """Return the evidence of the file at ``path`` (None if it is gone); ``data`` are its events as they were read."""
    timed, places = datatypes[kind].sketches(data, derived_key("timed events 1")[:16], derived_key("places 1")[:16])
    return Evidence(
        file_digest=_digest_of(path) if path else "",
        timed=b"" if timed is None else timed.to_bytes(),
        places=b"" if places is None else places.to_bytes(),
        kind=kind,
    )


def _digest_of(path: Source) -> str:
    mac = hmac.new(derived_key("file 1"), digestmod=hashlib.sha256)
    with located(path) as local, local.open("rb") as file:
        while piece := file.read(CHUNK):
            advance()
            mac.update(piece)
    return mac.hexdigest()


# Writing -----------------------------------------------------------------------------------------


def lock_owner(owner_id: Any) -> None:
    """Lock what the ledger holds of an owner until the transaction ends; every write of ledger and lineages does.

    Two uploads at once, each unknown to the other, would otherwise not be compared. On SQLite the transaction itself
    is the lock (BEGIN IMMEDIATE).
    """
    get_user_model().objects.select_for_update(no_key=True).filter(pk=owner_id).values_list("pk", flat=True).first()


@transaction.atomic
def register(*, owner_id: Any, evidence: Evidence, content_digest: str = "") -> SourceFile:
    """Return the source file of an upload; one that is new joins the lineages that it shares most events with.

    ``content_digest`` finds what was uploaded before the ledger knew source files and has no sketch.
    """
    lock_owner(owner_id)
    own = SourceFile.objects.filter(owner_id=owner_id, file_digest=evidence.file_digest)
    file = own.first()
    taken = file is None and tombstones.take_over_file(owner_id, evidence.file_digest)
    if taken:
        file = own.first()
    if file is None:
        lineage = Lineage.objects.create(owner_id=owner_id)
        file = SourceFile.objects.create(owner_id=owner_id, lineage=lineage, file_digest=evidence.file_digest)
    found: dict[int, float] = {}
    stored = {"timed": evidence.timed, "places": evidence.places, "kind": evidence.kind}
    sketch, new = SourceSketch.objects.get_or_create(source_file=file, digest=evidence.digest, defaults=stored)
    if new or taken:
        others = SourceSketch.objects.filter(source_file__owner_id=owner_id, kind=evidence.kind)
        found = matches(sketch, others.exclude(source_file=file))
        left = SourceSketch.objects.filter(source_file__lineage__owner=None, kind=evidence.kind)
        found |= tombstones.take_over(owner_id, matches(sketch, left))
    earlier = SourceFile.objects.filter(owner_id=owner_id, file_digest="", content_digest=content_digest or "none")
    found |= dict.fromkeys(earlier.values_list("pk", flat=True), 1.0)
    _connect(file, found)
    file.refresh_from_db()
    return file


def matches(sketch: Any, others: Any) -> dict[int, float]:
    """The source files that share most events with ``sketch``, each with the largest share."""
    found: dict[int, float] = {}
    for other in others.iterator(chunk_size=100):  # each is up to 64 kB
        common = compared(sketch, other)
        if common.most:
            found[other.source_file_id] = max(common.share, found.get(other.source_file_id, 0.0))
    return found


def compared(one: Any, other: Any) -> Overlap:
    """Return the overlap of two stored sketches: by place and time where both have times, else by place."""
    column = "timed" if one.timed and other.timed else "places"
    return overlap(*(EventSketch.from_bytes(bytes(getattr(row, column))) for row in (one, other)))


def _connect(file: SourceFile, found: dict[int, float]) -> None:
    """Record every new pair, and make the lineages of connected files one."""
    decided = _latest({file.pk, *found})
    new = [pk for pk in sorted(found) if frozenset((file.pk, pk)) not in decided]
    others = SourceFile.objects.in_bulk(new)
    for pk in new:
        amounts = _amounts(_spent(file.lineage_id), _spent(others[pk].lineage_id))
        LineageEntry.objects.create(
            fact=Fact.SHARED, source_file=file, other=others[pk], share=round(found[pk], 4), amounts=amounts
        )
    first, *rest = sorted({file.lineage_id, *(one.lineage_id for one in others.values())})
    if not rest:
        return
    budgets = Budget.objects.select_for_update().filter(lineage__in=[first, *rest]).order_by("pk")
    for unit in {one.unit for one in budgets}:
        merged = merge(one for one in budgets if one.unit == unit)
        Budget.objects.filter(pk=merged.pk).update(lineage=first)
    SourceFile.objects.filter(lineage__in=rest).update(lineage=first)
    Lineage.objects.filter(pk__in=rest).delete()


def _spent(lineage_id: int) -> dict[str, int]:
    return dict(Budget.objects.filter(lineage=lineage_id).values_list("unit", "spent"))


def _amounts(own: dict[str, int], other: dict[str, int]) -> dict[str, list[int]]:
    """Return, by unit, what two budgets hold."""
    return {unit: [own.get(unit, 0), other.get(unit, 0)] for unit in sorted({*own, *other})}


def merge(budgets: Iterable[Any]) -> Any:
    """Make several budgets the oldest of them: spent adds up, the smallest limit holds, but never below what is spent.

    All are of one unit.
    """
    first, *others = list(budgets)
    limits = [one for one in (first, *others) if one.total is not None]
    first.spent = min(sum(one.spent for one in (first, *others)), LARGEST)
    if limits:
        least = min(limits, key=lambda one: one.total)
        first.total, first.total_epsilon, first.total_radius_m = least.total, least.total_epsilon, least.total_radius_m
        if first.total < first.spent:  # nothing is left of it
            first.total = first.spent
            per_km = 1 if first.total_radius_m is None else first.total_radius_m / 1000
            first.total_epsilon = first.spent / 1e6 * per_km
    for one in others:
        one.delete()
    first.save()
    return first


@transaction.atomic
def record_other_people(*, dataset: Dataset, others: Sequence[int] | None = None) -> None:
    """Record that the dataset's file is of other people than ``others`` (None: all it shares its budget with).

    The budgets are divided where nothing connects the files any more: each part keeps what its own files' releases
    spent, and the limit.

    Raises
    ------
    Conflict
        The dataset shares its budget with no other upload.
    ParameterError
        One of ``others`` does not share it.
    """
    lock_owner(dataset.owner_id)
    file = source_of(dataset)
    sharing = set(file.lineage.source_files.exclude(pk=file.pk).values_list("pk", flat=True))
    if not sharing:
        rule = "an upload that shares its budget with another"
        raise Conflict(
            "This dataset shares its budget with no other upload. Datasets made from the same file always share one.",
            field="lineage",
            rule=rule,
        )
    for pk in others or []:
        if pk not in sharing:
            rule = f"source files that share the budget: {', '.join(map(str, sorted(sharing)))}"
            raise ParameterError(f"others must be {rule}, got {pk}", field="others", rule=rule, value=pk)
    chosen = sharing if others is None else set(others)
    for pk in sorted(chosen):
        amounts = _amounts(_charged({file.pk}), _charged({pk}))
        LineageEntry.objects.create(fact=Fact.OTHER_PEOPLE, source_file=file, other_id=pk, amounts=amounts)
    _divide(file.lineage)


def _divide(lineage: Lineage) -> None:
    """One lineage for each connected part of its files, with the same limits; that of the oldest file keeps the row."""
    parts = _components(list(lineage.source_files.order_by("pk").values_list("pk", flat=True)))
    budgets = list(lineage.budgets.order_by("pk"))
    for part in parts[1:]:
        own, charged = Lineage.objects.create(owner_id=lineage.owner_id), _charged(part)
        SourceFile.objects.filter(pk__in=part).update(lineage=own)
        for budget in budgets:
            limit = {name: getattr(budget, name) for name in ("unit", "total", "total_epsilon", "total_radius_m")}
            Budget.objects.create(lineage=own, spent=charged.get(budget.unit, 0), **limit)
    charged = _charged(parts[0])
    for budget in budgets:
        Budget.objects.filter(pk=budget.pk).update(spent=charged.get(budget.unit, 0))


def _charged(files: Iterable[int]) -> dict[str, int]:
    """Return what the releases of ``files`` were charged, by unit."""
    charges = BudgetEntry.objects.filter(source_file__in=files).order_by().values_list("unit")
    return dict(charges.annotate(all=Sum("amount")))


def _components(files: Sequence[int]) -> list[set[int]]:
    """The connected parts of ``files``, in the order of their first one."""
    near: dict[int, set[int]] = {pk: set() for pk in files}
    for pair, fact in _latest(files).items():
        if fact == Fact.SHARED:
            one, other = pair
            if one in near and other in near:
                near[one].add(other)
                near[other].add(one)
    parts: list[set[int]] = []
    for pk in files:
        if not any(pk in part for part in parts):
            parts.append(_reached(pk, near.__getitem__))
    return parts


def _reached(start: int, near: Callable[[int], set[int]]) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        fresh = near(waiting.pop()) - found
        found |= fresh
        waiting += fresh
    return found


def _latest(files: Iterable[int]) -> dict[Pair, str]:
    """What was recorded last of each pair of which one is in ``files``."""
    entries = LineageEntry.objects.filter(source_file__in=files) | LineageEntry.objects.filter(other__in=files)
    rows = entries.order_by("pk").values_list("source_file_id", "other_id", "fact")
    return {frozenset((one, other)): fact for one, other, fact in rows}


# Reading -----------------------------------------------------------------------------------------


def known_source_of(dataset: Dataset) -> SourceFile | None:
    """Return the source file of a dataset; None while it has none."""
    if dataset.source_file_id:
        return SourceFile.objects.select_related("lineage").get(pk=dataset.source_file_id)
    by_content = SourceFile.objects.filter(owner_id=dataset.owner_id, file_digest="")
    return by_content.filter(content_digest=dataset.content_digest).select_related("lineage").first()


def source_of(dataset: Dataset) -> SourceFile:
    """The same, made if need be; the owner must be locked (:func:`lock_owner`)."""
    file = known_source_of(dataset)
    if file is None:
        lineage = Lineage.objects.create(owner_id=dataset.owner_id)
        file = SourceFile.objects.create(
            owner_id=dataset.owner_id, lineage=lineage, content_digest=dataset.content_digest
        )
    if dataset.source_file_id is None:
        Dataset.objects.filter(pk=dataset.pk, source_file=None).update(source_file=file)
        dataset.source_file = file
    return file
