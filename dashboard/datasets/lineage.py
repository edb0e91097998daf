"""Lineages: which source files of an owner share one budget, and why.

Two source files are connected if a sketch of the one shares most of its events with a sketch of the other, unless the
owner recorded that they are of other people. A lineage is a connected component, and has one :class:`Budget`. Datasets
made from the same bytes have the same source file, whatever reading or cleaning. See docs/decisions/0023.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Sum

from dashboard.core.errors import Conflict
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, LineageEntry, SourceFile, SourceSketch
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError
from privacy_engine.event_sketch import EventSketch, Overlap, overlap, sketch_of

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

    @property
    def digest(self) -> str:
        """The SHA-256 of both sketches: the same for two readings with the same events."""
        return hashlib.sha256(len(self.timed).to_bytes(8) + self.timed + self.places).hexdigest()


def evidence_of(path: Path | None, series: Sequence[Trajectory]) -> Evidence:
    """Return the evidence of the file at ``path`` (None if it is gone); ``series`` are its events as they were read."""
    timed = all(one.time_s is not None for one in series)
    return Evidence(
        file_digest=_digest_of(path) if path else "",
        timed=sketch_of(series, _key("timed events 1")[:16], timed=True).to_bytes() if timed else b"",
        places=sketch_of(series, _key("places 1")[:16], timed=False).to_bytes(),
    )


def _key(purpose: str) -> bytes:
    return hmac.digest(settings.CAIRN_LEDGER_KEY.encode(), f"cairn {purpose}".encode(), "sha256")


def _digest_of(path: Path) -> str:
    mac = hmac.new(_key("file 1"), digestmod=hashlib.sha256)
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
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
    file = SourceFile.objects.filter(owner_id=owner_id, file_digest=evidence.file_digest).first()
    if file is None:
        budget = Budget.objects.create(owner_id=owner_id)
        file = SourceFile.objects.create(owner_id=owner_id, budget=budget, file_digest=evidence.file_digest)
    found: dict[int, float] = {}
    sketch, new = SourceSketch.objects.get_or_create(
        source_file=file, digest=evidence.digest, defaults={"timed": evidence.timed, "places": evidence.places}
    )
    if new:
        found = matches(sketch, SourceSketch.objects.filter(source_file__owner_id=owner_id).exclude(source_file=file))
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
    """Record every new pair, and make the budgets of connected files one."""
    decided = _latest({file.pk, *found})
    new = [pk for pk in sorted(found) if frozenset((file.pk, pk)) not in decided]
    others = SourceFile.objects.select_related("budget").in_bulk(new)
    for pk in new:
        one = LineageEntry(fact=Fact.SHARED, source_file=file, other=others[pk], share=round(found[pk], 4))
        one.spent, one.other_spent = file.budget.spent, others[pk].budget.spent
        one.save()
    together = {file.budget_id, *(one.budget_id for one in others.values())}
    if len(together) > 1:
        merge(Budget.objects.select_for_update().filter(pk__in=together).order_by("pk"))


def merge(budgets: Iterable[Any]) -> Any:
    """Make several budgets the oldest of them: spent adds up, the smallest limit holds, but never below what is spent.

    Takes rows of any state of the models, so that a migration can call it.
    """
    first, *others = list(budgets)
    limits = [one for one in (first, *others) if one.total is not None]
    first.spent = min(sum(one.spent for one in (first, *others)), LARGEST)
    if limits:
        least = min(limits, key=lambda one: one.total)
        first.total, first.total_epsilon, first.total_radius_m = least.total, least.total_epsilon, least.total_radius_m
        if first.total < first.spent:  # nothing is left of it
            first.total = first.spent
            first.total_epsilon = first.spent / 1e6 * first.total_radius_m / 1000
    first.save()
    for one in others:
        one.source_files.update(budget=first)
        one.delete()
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
    sharing = set(file.budget.source_files.exclude(pk=file.pk).values_list("pk", flat=True))
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
    pairs = [LineageEntry(fact=Fact.OTHER_PEOPLE, source_file=file, other_id=pk) for pk in sorted(chosen)]
    for one in pairs:
        one.spent, one.other_spent = _charged({file.pk}), _charged({one.other_id})
        one.save()
    _divide(file.budget)


def _divide(budget: Budget) -> None:
    """One budget for each connected part of its files; that of the oldest file keeps the row."""
    parts = _components(list(budget.source_files.order_by("pk").values_list("pk", flat=True)))
    limit = {name: getattr(budget, name) for name in ("total", "total_epsilon", "total_radius_m")}
    for part in parts[1:]:
        own = Budget.objects.create(owner_id=budget.owner_id, spent=_charged(part), **limit)
        SourceFile.objects.filter(pk__in=part).update(budget=own)
    Budget.objects.filter(pk=budget.pk).update(spent=_charged(parts[0]))


def _charged(files: Iterable[int]) -> int:
    return BudgetEntry.objects.filter(source_file__in=files).aggregate(all=Sum("amount"))["all"] or 0


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
        return SourceFile.objects.select_related("budget").get(pk=dataset.source_file_id)
    by_content = SourceFile.objects.filter(owner_id=dataset.owner_id, file_digest="")
    return by_content.filter(content_digest=dataset.content_digest).select_related("budget").first()


def source_of(dataset: Dataset) -> SourceFile:
    """The same, made if need be; the owner must be locked (:func:`lock_owner`)."""
    file = known_source_of(dataset)
    if file is None:
        budget = Budget.objects.create(owner_id=dataset.owner_id)
        file = SourceFile.objects.create(
            owner_id=dataset.owner_id, budget=budget, content_digest=dataset.content_digest
        )
    if dataset.source_file_id is None:
        Dataset.objects.filter(pk=dataset.pk, source_file=None).update(source_file=file)
        dataset.source_file = file
    return file
