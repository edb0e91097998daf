"""What releases have leaked of any event, over all uploads that hold it, and may leak: the budget of a lineage.

Amounts are integers in micro-ε of a unit of loss, and amounts of different units are never added (:class:`Unit`).
Trajectories have micro-ε per kilometre, since a release with level ε within r metres changes the probability of any
output by a factor of at most exp(ε·d/r) between two places d apart; count streams the ε of an event, check-ins that of
a user or of a record.

Every entry carries its own level (event, landmark, user) and the stability m of the cleaning before it: the most events
that an uploaded record decides. The sum is the composed loss of *any single uploaded record* over all releases of all
uploads that have it (dashboard/datasets/losses.py): a release
that protects each event with ε protects each record with m·ε, for a mechanism with independent draws
(docs/decisions/0018-stability-of-cleaning.md). It is no bound for landmarks or users together. Which uploads share
the limit: dashboard/datasets/lineage.py.
"""

import uuid
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any, NamedTuple, TypedDict

from django.db import transaction
from django.db.models import F
from pydantic import ValidationError

from dashboard.core.errors import Conflict, must_be
from dashboard.datasets import losses
from dashboard.datasets.lineage import known_source_of, lock_owner, source_of
from dashboard.datasets.losses import DIGITS, LARGEST, MICRO, MICRO_PER_KM, micro, whole
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, EventLoss, SourceFile, Unit
from privacy_engine.accounting.promise import Context
from privacy_engine.core.params import Epsilon, Frozen, RadiusM, explain
from privacy_engine.errors import ParameterErrors
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT, Mechanism

PER: dict[str, str] = {
    Unit.EVENT_PER_M: " per km",
    Unit.EVENT: " of one event",
    Unit.USER: " of one user",
    Unit.RECORD: " of one record",
}


class BudgetExceeded(Conflict):
    """The release would leak more than the owner allows."""

    code = "budget"

    def __init__(self, *, amount: int, spent: int, total: int, unit: str, radius_m: float | None = None) -> None:
        left, by_distance = max(total - spent, 0), unit == Unit.EVENT_PER_M
        scale = MICRO if radius_m is None else MICRO_PER_KM / radius_m
        per = PER[unit] if radius_m is None else f" within {radius_m:g} m"
        super().__init__(
            f"This release would spend ε = {amount / scale:g}{per} of a budget that has {left / scale:g} of "
            f"{total / scale:g} left. Choose a smaller ε{' or a larger radius' * by_distance}, or raise the budget.",
            field="mechanism.epsilon",
            rule="within the dataset's budget",
            value=amount / 1e6,
        )
        self.amount, self.spent, self.total = amount, spent, total

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"spent_per_km": self.spent / 1e6, "total_per_km": self.total / 1e6}


class Total(Frozen):
    """What all releases of a lineage together may leak within a radius, as its owner writes it."""

    epsilon: Epsilon
    radius_m: RadiusM


class PlainTotal(Frozen):
    """The same in a unit without a radius; ``unit`` is left out where a kind of data has no other unit."""

    epsilon: Epsilon
    unit: str | None = None


def parse_total(dataset: Dataset, description: Any) -> dict[str, Any]:
    """Return ``epsilon``, ``radius_m`` and ``unit`` of a described total of a dataset's releases.

    Raises
    ------
    ParameterErrors
        One error for each value that is missing, unknown or outside its domain.
    """
    by_distance = dataset.units[0] == Unit.EVENT_PER_M
    try:
        if by_distance:
            return Total.model_validate(description).model_dump() | {"unit": Unit.EVENT_PER_M}
        total = PlainTotal.model_validate(description)
    except ValidationError as error:
        raise ParameterErrors(explain(error, prefix="budget")) from None
    unit = total.unit or dataset.units[0]
    if unit not in dataset.units:
        raise ParameterErrors([must_be("budget.unit", f"one of {', '.join(dataset.units)}", unit, got=False)])
    return {"epsilon": total.epsilon, "radius_m": None, "unit": unit}


class Loss(NamedTuple):
    """What a release is charged: a level of a unit, ``times`` over."""

    unit: str
    epsilon: float
    radius_m: float | None
    times: int


class Spent(TypedDict):
    """What the event that spent most has spent, by how many releases, and how many events did (None: not known)."""

    per_km: float
    releases: int
    events: int | None


def charged_times(dataset: Dataset, mechanism: Mechanism) -> int:
    """Return how many times a release's level is charged: the events that an uploaded record decides (``stability``).

    Once at the level of a user: there ε holds for all events together, however many of them a record decides. Of a
    dataset ``counted`` from events, an event is charged once for each sensitivity by which it can change the counts.
    """
    if mechanism.protected_level() == "user":
        return 1
    counted = dataset.counted
    if counted is None:
        return dataset.stability
    return dataset.stability * counted.event_charges(mechanism.parameter("sensitivity"))


def budget_of(dataset: Dataset, unit: str | None = None) -> Budget | None:
    """Return the budget of the dataset's lineage in a unit (the usual); None where nothing was spent or limited."""
    file = known_source_of(dataset)
    return file and file.lineage.budget(unit or dataset.units[0])


@transaction.atomic
def locked(dataset: Dataset, unit: str) -> Budget:
    """Return the budget of the dataset's lineage, made if need be, locked to the end of the transaction."""
    lock_owner(dataset.owner_id)
    budget, _ = Budget.objects.get_or_create(lineage_id=source_of(dataset).lineage_id, unit=unit)
    return Budget.objects.select_for_update().get(pk=budget.pk)


def loss_of(dataset: Dataset, mechanism: Mechanism, context: Context = NO_CONTEXT) -> Loss:
    """Return what a release of ``mechanism`` over ``dataset`` is charged."""
    loss = mechanism.loss(context)
    return Loss(loss.unit, loss.epsilon, loss.radius_m, charged_times(dataset, mechanism))


@transaction.atomic
def reserve(
    *, dataset: Dataset, release_id: uuid.UUID, mechanism: Mechanism, context: Context = NO_CONTEXT
) -> BudgetEntry:
    """Charge a release before anything is drawn; call it in the transaction that creates the release's row.

    The charge is what the composed sum of the upload's worst event, rounded up to whole units, grows by: a tenth of a
    budget fits ten times. The level is charged once for each event that an uploaded record decides
    (:func:`charged_times`).

    Raises
    ------
    BudgetExceeded
        The total does not allow it. Nothing is charged.
    """
    loss = loss_of(dataset, mechanism, context)
    budget, file = locked(dataset, loss.unit), source_of(dataset)
    price = _price(file, loss.unit, [loss])
    # the rows are locked; the condition in the UPDATE holds even where a lock is a no-op
    while not Budget.objects.filter(pk=budget.pk, version=budget.version).update(version=F("version") + 1):
        budget.refresh_from_db()
        price = _price(file, loss.unit, [loss])
    amount = max(price.after - price.before, 1)
    if not price.fits:
        total = LARGEST if price.total is None else price.total
        radius_m = budget.total_radius_m
        raise BudgetExceeded(amount=amount, spent=price.before, total=total, unit=loss.unit, radius_m=radius_m)
    entry = BudgetEntry.objects.create(
        source_file=file,
        release_id=release_id,
        mechanism=mechanism.name,
        level=mechanism.protected_level(),
        unit=loss.unit,
        amount=amount,
        epsilon=loss.epsilon,
        radius_m=loss.radius_m,
        stability=loss.times,
    )
    losses.refresh_unit(file.lineage_id, loss.unit)
    return entry


class Price(NamedTuple):
    """What releases would be charged in a unit, in micro-ε: before and after them, and the limit."""

    unit: str
    before: int
    after: int
    total: int | None

    @property
    def fits(self) -> bool:
        """True if the limit allows it."""
        return self.after <= (LARGEST if self.total is None else self.total)

    def levels(self) -> dict[str, float | None]:
        """Return in ε what the releases are charged, what was spent before and is after them, and the limit."""
        amounts = {"price": self.after - self.before, "spent": self.before, "after": self.after, "total": self.total}
        return {name: None if amount is None else amount / MICRO for name, amount in amounts.items()}


def prices(dataset: Dataset, mechanisms: Sequence[Mechanism], context: Context = NO_CONTEXT) -> list[Price]:
    """Return what :func:`reserve` would charge for a release of each in turn, by unit; nothing is charged."""
    planned, file = [loss_of(dataset, mechanism, context) for mechanism in mechanisms], known_source_of(dataset)
    return [_price(file, unit, planned) for unit in dict.fromkeys(loss.unit for loss in planned)]


def _price(file: SourceFile | None, unit: str, planned: Sequence[Loss]) -> Price:
    """The price of losses, of those in ``unit``, for the worst event of a file."""
    with localcontext(prec=DIGITS):
        own = [micro(loss.epsilon, loss.radius_m, times=loss.times) for loss in planned if loss.unit == unit]
        more = losses.Charged(sum(own, Decimal(0)), len(own))
    if file is None:
        return Price(unit, 0, whole(more.amount), None)
    charged, budget = losses.charges(file.lineage_id, unit), file.lineage.budget(unit)
    carried = _loss(file, unit).carried
    before, after = (losses.worst(file, some).spent for some in (charged, losses.with_more(charged, file.pk, more)))
    return Price(unit, before + carried, after + carried, budget and budget.total)


def quote(dataset: Dataset, mechanisms: Sequence[Mechanism], context: Context = NO_CONTEXT) -> dict[str, Any]:
    """Return :func:`prices` of trajectory mechanisms, all in ε per km.

    ``stability`` is how many events an uploaded record decides: how many times each release's level is charged.
    """
    by_unit = prices(dataset, mechanisms, context) or [_price(known_source_of(dataset), Unit.EVENT_PER_M, [])]
    (price,) = by_unit
    levels = {f"{name}_per_km": level for name, level in price.levels().items()}
    return {**levels, "fits": price.fits, "stability": dataset.stability}


@transaction.atomic
def refund(*, release_id: uuid.UUID) -> bool:
    """Give a release's charge back, once; True if that happened now. Only for a release whose data was never loaded."""
    charge = BudgetEntry.objects.filter(release_id=release_id, amount__gt=0).select_related("source_file").first()
    if charge is None:
        return False
    lock_owner(charge.source_file.owner_id)
    if BudgetEntry.objects.filter(release_id=release_id, amount__lt=0).exists():
        return False
    columns = ("source_file", "mechanism", "level", "unit", "epsilon", "radius_m", "stability")
    same = {name: getattr(charge, name) for name in columns}
    BudgetEntry.objects.create(release_id=release_id, amount=-charge.amount, **same)
    losses.refresh_unit(SourceFile.objects.get(pk=charge.source_file_id).lineage_id, charge.unit)
    return True


def _loss(file: SourceFile, unit: str) -> EventLoss:
    return EventLoss.objects.filter(source_file=file, unit=unit).first() or EventLoss(source_file=file, spent=0)


def spent(dataset: Dataset, unit: str | None = None) -> Spent:
    """Return what that event of the dataset's upload has spent in a unit which spent most.

    It counts releases of this upload and of every other that holds the event.
    """
    file = known_source_of(dataset)
    loss = _loss(file, unit or dataset.units[0]) if file else EventLoss(spent=0)
    return {"per_km": loss.spent / MICRO, "releases": loss.releases, "events": loss.events if loss.spent else 0}
