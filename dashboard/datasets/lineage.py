"""Lineages: which source files of an owner share events, and with them the limit.

Two source files are connected if they share an event, in any way of :mod:`dashboard.datasets.matching`, unless the
owner recorded that they are of other people. A lineage is a connected component, and has a :class:`Budget` for each
unit of loss, which holds for every event. Datasets made from the same bytes have the same source file, whatever
reading, cleaning or kind of data. See docs/explanation/ledger.md.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, Sum

from dashboard.core.errors import Conflict, must_be
from dashboard.datasets import event_classes, losses, matching, tombstones
from dashboard.datasets.evidence import Evidence, evidence_of
from dashboard.datasets.matching import matches
from dashboard.datasets.models import (
    Budget,
    BudgetEntry,
    Dataset,
    Lineage,
    LineageEntry,
    Reading,
    SourceFile,
    SourceSketch,
)

__all__ = ["Evidence", "evidence_of", "known_source_of", "lock_owner", "matches", "record_other_people", "register"]
__all__ += ["register_reading", "source_of"]

LARGEST = 2**62  # the column holds 2**63 - 1
Fact = LineageEntry.Fact
Pair = frozenset[int]


# Writing -----------------------------------------------------------------------------------------


def lock_owner(owner_id: Any) -> None:
    """Lock what the ledger holds of an owner until the transaction ends; every write of ledger and lineages does.

    Two uploads at once, each unknown to the other, would otherwise not be compared. On SQLite the transaction itself
    is the lock (BEGIN IMMEDIATE).
    """
    get_user_model().objects.select_for_update(no_key=True).filter(pk=owner_id).values_list("pk", flat=True).first()


@transaction.atomic
def register(*, owner_id: Any, evidence: Evidence, content_digest: str = "") -> SourceFile:
    """Return the source file of an upload; a new file joins the lineages that it shares events with.

    Call :func:`matching.prepare` before the transaction. ``content_digest`` finds what was uploaded before the ledger
    knew source files and has neither hashes nor sketch.
    """
    lock_owner(owner_id)
    own = SourceFile.objects.filter(owner_id=owner_id, file_digest=evidence.file_digest)
    file = own.first()
    taken = set() if file else tombstones.take_over_file(owner_id, evidence.file_digest)
    file = file or own.first()
    if file is None:
        lineage = Lineage.objects.create(owner_id=owner_id)
        file = SourceFile.objects.create(owner_id=owner_id, lineage=lineage, file_digest=evidence.file_digest)
    again = file.inherited or bool(taken)  # it was not compared with what its new owner uploaded
    if again:
        SourceFile.objects.filter(pk=file.pk).update(inherited=False)
        file.inherited = False
    earlier = SourceFile.objects.filter(owner_id=owner_id, file_digest="", content_digest=content_digest or "none")
    overlaps = {pk: matching.Match(share=1.0, whole=True) for pk in {*earlier.values_list("pk", flat=True), *taken}}
    register_reading(file, evidence, overlaps, again=again)
    file.refresh_from_db()
    return file


def register_reading(
    file: SourceFile,
    evidence: Evidence,
    overlaps: Mapping[int, matching.Match] = MappingProxyType({}),
    *,
    again: bool = False,
) -> None:
    """Record the events of a source file as they were read; the owner must be locked.

    A reading that is known already is compared with the owner's other uploads only if ``again``.
    """
    reading = file.readings.filter(digest=evidence.events_digest).first()
    known = reading is not None
    if reading is None:
        matching.store(evidence)
        fresh = evidence.fresh
        reading = Reading.objects.create(
            pk=evidence.id,
            source_file=file,
            digest=evidence.events_digest,
            kind=evidence.kind,
            sort=fresh.sort,
            events=fresh.events,
            sampled=fresh.sampled,
            classes=event_classes.of_no_other(fresh.events),
        )
    stored = {"timed": evidence.timed, "places": evidence.places, "kind": evidence.kind}
    sketch, _ = SourceSketch.objects.get_or_create(source_file=file, digest=evidence.digest, defaults=stored)
    if sketch.reading_id is None:
        SourceSketch.objects.filter(pk=sketch.pk).update(reading=reading)
    if not known or again:
        left = SourceSketch.objects.filter(Q(source_file__lineage__owner=None) | Q(source_file__inherited=True))
        left = left.filter(Q(source_file__lineage__owner=None) | Q(source_file__owner=file.owner_id))
        shares = matching.of_deleted_accounts(evidence, left.exclude(source_file=file))
        inherited = tombstones.take_over(file.owner_id, shares)
        ended = {pk: matching.Match(share=shares.get(pk, 0.0), whole=True) for pk in inherited}
        overlaps = {**matching.overlaps(evidence, file), **overlaps, **ended}
    _connect(file, reading, overlaps)


def _connect(file: SourceFile, reading: Reading, overlaps: Mapping[int, matching.Match]) -> None:
    """Record which events a reading shares with other files, and join the lineages of connected files."""
    decided = _latest({file.pk, *overlaps})
    shared = {pk: match for pk, match in overlaps.items() if decided.get(frozenset((file.pk, pk))) != Fact.OTHER_PEOPLE}
    others = SourceFile.objects.in_bulk(sorted(shared))
    for pk, other in others.items():
        match = shared[pk]
        if frozenset((file.pk, pk)) not in decided:
            amounts = _amounts(_spent(file.lineage_id), _spent(other.lineage_id))
            LineageEntry.objects.create(
                fact=Fact.SHARED,
                source_file=file,
                other=other,
                share=None if other.inherited else round(match.share, 4),
                how=LineageEntry.How.WHOLE if match.whole else match.how,
                amounts=amounts,
            )
        if match.whole:
            event_classes.count_wholly(file, other)
            continue
        for theirs, own_events, their_events in match.pairs:
            event_classes.add(reading, pk, own_events)
            event_classes.add(theirs, file.pk, their_events)
    _join({file.lineage_id, *(row.lineage_id for row in others.values())})


def _join(lineages: Collection[int]) -> None:
    """Make lineages the oldest of them. The smallest limit holds, also where more was spent already."""
    first, *rest = sorted(lineages)
    if rest:
        budgets = Budget.objects.select_for_update().filter(lineage__in=[first, *rest]).order_by("pk")
        for unit in {budget.unit for budget in budgets}:
            _join_budgets([budget for budget in budgets if budget.unit == unit], first)
        SourceFile.objects.filter(lineage__in=rest).update(lineage=first)
        Lineage.objects.filter(pk__in=rest).delete()
    losses.refresh(first)


def _join_budgets(budgets: Sequence[Budget], lineage_id: int) -> None:
    first, *others = budgets
    limits = [budget for budget in budgets if budget.total is not None]
    for other in others:
        other.delete()
    least = min(limits, key=lambda budget: budget.total or 0, default=first)
    columns = {name: getattr(least, name) for name in ("total", "total_epsilon", "total_radius_m")}
    Budget.objects.filter(pk=first.pk).update(lineage=lineage_id, **columns)


def _spent(lineage_id: int) -> dict[str, int]:
    return dict(Budget.objects.filter(lineage=lineage_id).values_list("unit", "spent"))


def _amounts(own: dict[str, int], other: dict[str, int]) -> dict[str, list[int]]:
    """Return, by unit, what two budgets hold."""
    return {unit: [own.get(unit, 0), other.get(unit, 0)] for unit in sorted({*own, *other})}


@transaction.atomic
def record_other_people(*, dataset: Dataset, others: Sequence[int] | None = None) -> None:
    """Record that the dataset's file is of other people than ``others`` (None: all it shares its budget with).

    What the releases of either spent does not count for events of the other any more. Lineages are divided where
    nothing connects the files any more; each part keeps the limit.

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
            raise must_be("others", f"source files that share the budget: {', '.join(map(str, sorted(sharing)))}", pk)
    chosen = sharing if others is None else set(others)
    for pk in sorted(chosen):
        amounts = _amounts(_charged({file.pk}), _charged({pk}))
        LineageEntry.objects.create(fact=Fact.OTHER_PEOPLE, source_file=file, other_id=pk, amounts=amounts)
        other = SourceFile.objects.get(pk=pk)
        for kept, gone in ((file, other), (other, file)):
            kept.whole = [pk for pk in kept.whole if pk != gone.pk]
            kept.save(update_fields=["whole"])
            for reading in kept.readings.all():
                event_classes.remove(reading, gone.pk)
    _divide(file.lineage)


def _divide(lineage: Lineage) -> None:
    """One lineage for each connected part of its files, with the same limits; that of the oldest file keeps the row."""
    parts = _components(list(lineage.source_files.order_by("pk")))
    lineages = [lineage.pk]
    for part in parts[1:]:
        own = Lineage.objects.create(owner_id=lineage.owner_id)
        lineages.append(own.pk)
        SourceFile.objects.filter(pk__in=part).update(lineage=own)
        for budget in lineage.budgets.order_by("pk"):
            limit = {name: getattr(budget, name) for name in ("unit", "total", "total_epsilon", "total_radius_m")}
            Budget.objects.create(lineage=own, **limit)
    losses.refresh_all(lineages)


def _charged(files: Iterable[int]) -> dict[str, int]:
    """Return what the releases of ``files`` were charged, by unit."""
    charges = BudgetEntry.objects.filter(source_file__in=files).order_by().values_list("unit")
    return dict(charges.annotate(all=Sum("amount")))


def _components(files: Sequence[SourceFile]) -> list[set[int]]:
    """The connected parts of ``files``, in the order of their first file."""
    near: dict[int, set[int]] = {file.pk: set() for file in files}
    pairs = {pair for pair, fact in _latest(near).items() if fact == Fact.SHARED}
    pairs |= {frozenset((file.pk, other)) for file in files for other in file.whole}
    for first, other in pairs:
        if first in near and other in near:
            near[first].add(other)
            near[other].add(first)
    parts: list[set[int]] = []
    for pk in near:
        if not any(pk in part for part in parts):
            parts.append(_reached(pk, near.__getitem__))
    return parts


def _reached(start: int, near: Callable[[int], set[int]]) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        fresh = near(waiting.pop()) - reached
        reached |= fresh
        waiting += fresh
    return reached


def _latest(files: Iterable[int]) -> dict[Pair, str]:
    """What was recorded last of each pair with a file in ``files``."""
    entries = LineageEntry.objects.filter(source_file__in=files) | LineageEntry.objects.filter(other__in=files)
    rows = entries.order_by("pk").values_list("source_file_id", "other_id", "fact")
    return {frozenset((file, other)): fact for file, other, fact in rows}


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
