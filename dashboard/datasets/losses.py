"""What events have spent: of each source file that event which spent most, over all releases of all uploads.

An event of a file has spent what the releases of that file were charged, of all files that hold the event, and of the
files ``whole``, in a unit; units are never added. The sum is exact, and rounded up once.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from typing import NamedTuple

from django.db.models import Count, F, Q

from dashboard.datasets.models import Budget, BudgetEntry, EventLoss, Lineage, SourceFile

MICRO = 1_000_000
MICRO_PER_KM = 1000 * MICRO
DIGITS = 60
LARGEST = 2**62  # the columns hold 2**63 - 1
DUST = Decimal("1e-9")  # of a unit: what a division to 60 digits may leave, so that three thirds are a whole


def micro(epsilon: float, radius_m: float | None = None, *, times: int = 1) -> Decimal:
    """Return a level (as written, so that 0.1 is a tenth) in micro-ε, per km where it holds within a radius; exact."""
    with localcontext(prec=DIGITS):
        level = times * Decimal(repr(float(epsilon)))
        return level * MICRO if radius_m is None else level * MICRO_PER_KM / Decimal(repr(float(radius_m)))


def whole(amount: Decimal) -> int:
    """Rounded up to whole units; nothing is nothing.

    >>> whole(3 * micro(1, 3)) == whole(micro(1, 1))
    True
    """
    with localcontext(prec=DIGITS):
        return max(math.ceil(amount - DUST), 1) if amount else 0


class Charged(NamedTuple):
    """What the releases of a source file were charged and not given back, in a unit, exactly."""

    amount: Decimal
    releases: int


class Worst(NamedTuple):
    """What the worst event of a source file has spent, rounded up; how many events did (None: not known)."""

    spent: int
    events: int | None
    releases: int


Charges = Mapping[int, Charged]
NOTHING = Charged(Decimal(0), 0)


def charges(lineage_id: int, unit: str) -> dict[int, Charged]:
    """Return what the source files of a lineage were charged in a unit, those that were."""
    entries = BudgetEntry.objects.filter(source_file__lineage=lineage_id, unit=unit).order_by()
    kinds = entries.values_list("source_file", "epsilon", "radius_m", "stability").annotate(
        charged=Count("pk", filter=Q(amount__gt=0)), given_back=Count("pk", filter=Q(amount__lt=0))
    )
    by_file: dict[int, Charged] = {}
    for file, epsilon, radius_m, times, charged, back in kinds:
        if charged > back:
            charge = Charged(micro(epsilon, radius_m, times=times), 1)
            by_file[file] = _sum([by_file.get(file, NOTHING), charge], charged - back)
    return by_file


def _sum(parts: Iterable[Charged], last: int = 1) -> Charged:
    """Add them up, the last ``last`` times."""
    with localcontext(prec=DIGITS):
        *some, end = parts
        amount = sum((part.amount for part in some), Decimal(0)) + last * end.amount
        return Charged(amount, sum(part.releases for part in some) + last * end.releases)


def with_more(charged: Charges, file: int, more: Charged) -> dict[int, Charged]:
    """Return the same with ``more`` for a file."""
    return {**charged, file: _sum([charged.get(file, NOTHING), more])}


def worst(file: SourceFile, charged: Charges) -> Worst:
    """Return what that event of ``file`` has spent which spent most, given what was charged.

    Of a file without readings nothing is known but what its own releases and those of the files ``whole`` spent.
    """
    whole_files = {file.pk, *file.whole}
    base = [charged[pk] for pk in whole_files if pk in charged]
    readings = [list(_spent(reading.classes, base, charged, whole_files)) for reading in file.readings.all()]
    if not readings:
        total = _sum([NOTHING, *base])
        return Worst(whole(total.amount), None, total.releases)
    most = max(spent for reading in readings for spent, _, _ in reading)
    counts = [sum(many for spent, _, many in reading if spent == most) for reading in readings]
    releases = max(many for reading in readings for spent, many, _ in reading if spent == most)
    return Worst(most, max(counts) if most else 0, releases)


def _spent(
    classes: Iterable[tuple[list[int], int]], base: list[Charged], charged: Charges, counted: set[int]
) -> Iterator[tuple[int, int, int]]:
    """What each class spent, by how many releases, and how many events it has."""
    for files, many in classes:
        held = [charged[pk] for pk in files if pk in charged and pk not in counted]
        total = _sum([NOTHING, *base, *held])
        yield whole(total.amount), total.releases, many


def refresh(lineage_id: int) -> None:
    """Compute and store what the events of all files of a lineage have spent. The owner must be locked."""
    entries = BudgetEntry.objects.filter(source_file__lineage=lineage_id)
    stored = EventLoss.objects.filter(source_file__lineage=lineage_id)
    units = {*entries.order_by().values_list("unit", flat=True).distinct(), *stored.values_list("unit", flat=True)}
    files = list(SourceFile.objects.filter(lineage=lineage_id).prefetch_related("readings"))
    for unit in sorted(units):
        _refresh(lineage_id, unit, files)


def refresh_unit(lineage_id: int, unit: str) -> None:
    """The same in a unit."""
    _refresh(lineage_id, unit, SourceFile.objects.filter(lineage=lineage_id).prefetch_related("readings"))


def _refresh(lineage_id: int, unit: str, files: Iterable[SourceFile]) -> None:
    charged = charges(lineage_id, unit)
    known = {row.source_file_id: row for row in EventLoss.objects.filter(source_file__lineage=lineage_id, unit=unit)}
    most = 0
    new: list[EventLoss] = []
    changed: list[EventLoss] = []
    for file in files:
        loss = worst(file, charged)
        row = known.get(file.pk) or EventLoss(source_file=file, unit=unit, spent=0)
        spent = min(loss.spent + row.carried, LARGEST)
        most = max(most, spent)
        if (row.spent, row.events, row.releases) != (spent, loss.events, loss.releases):
            row.spent, row.events, row.releases = spent, loss.events, loss.releases
            (changed if row.pk else new).append(row)
    EventLoss.objects.bulk_create(new)
    EventLoss.objects.bulk_update(changed, ["spent", "events", "releases"], batch_size=100)
    Budget.objects.filter(lineage=lineage_id, unit=unit).update(spent=most, version=F("version") + 1)


def refresh_all(lineages: Iterable[Lineage | int]) -> None:
    """:func:`refresh` of each."""
    for lineage in lineages:
        refresh(lineage if isinstance(lineage, int) else lineage.pk)
