"""The budget of a lineage of uploads: what its releases leak together, and may leak.

Amounts are integers in micro-ε of one unit of loss, and amounts of different units are never added (:class:`Unit`).
Trajectories have micro-ε per kilometre, since a release with level ε within r metres changes the probability of any
output by a factor of at most exp(ε·d/r) between two places d apart; count streams the ε of one event, check-ins that of
one user or of one record.

Every entry carries its own level (event, landmark, user) and the stability m of the cleaning before it: the most events
that one uploaded record decides. The sum is the composed loss of *any one uploaded record* over all releases: a release
that protects each event with ε protects each record with m·ε, for a mechanism with independent draws
(docs/decisions/0018-stability-of-cleaning.md). It is no bound for landmarks or users together. Which uploads share
one budget: dashboard/datasets/lineage.py.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any, NamedTuple, TypedDict

from django.db import transaction
from django.db.models import Count, F, Q
from pydantic import ValidationError

from dashboard.core.errors import Conflict
from dashboard.datasets.lineage import LARGEST, known_source_of, lock_owner, source_of
from dashboard.datasets.models import Budget, BudgetEntry, Dataset, Unit
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.mechanism import NO_CONTEXT, Mechanism
from privacy_engine.mechanisms.base.stream import StreamMechanism
from privacy_engine.params import Epsilon, Frozen, RadiusM, explain
from privacy_engine.promise import Context

MICRO = 1_000_000
MICRO_PER_KM = 1000 * MICRO
DIGITS = 60
DUST = Decimal("1e-9")  # of a unit: what a division to 60 digits may leave, so that three thirds are one whole


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
    """The same in a unit without a radius; ``unit`` is left out where a kind of data has one unit alone."""

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
        rule = f"one of {', '.join(dataset.units)}"
        refused = ParameterError(f"budget.unit must be {rule}", field="budget.unit", rule=rule, value=unit)
        raise ParameterErrors([refused])
    return {"epsilon": total.epsilon, "radius_m": None, "unit": unit}


class Loss(NamedTuple):
    """What one release is charged: a level of a unit, ``times`` over."""

    unit: str
    epsilon: float
    radius_m: float | None
    times: int


class Spent(TypedDict):
    """What the releases of a lineage leaked together."""

    per_km: float
    releases: int


def micro(epsilon: float, radius_m: float | None = None, *, times: int = 1) -> Decimal:
    """Return a level (as written, so that 0.1 is a tenth) in micro-ε, per km where it holds within a radius; exact."""
    with localcontext(prec=DIGITS):
        level = times * Decimal(repr(float(epsilon)))
        return level * MICRO if radius_m is None else level * MICRO_PER_KM / Decimal(repr(float(radius_m)))


def whole(amount: Decimal) -> int:
    """Rounded up to whole units.

    >>> whole(3 * micro(1, 3)) == whole(micro(1, 1))
    True
    """
    with localcontext(prec=DIGITS):
        return max(math.ceil(amount - DUST), 1)


def charged_times(dataset: Dataset, mechanism: Mechanism) -> int:
    """Return how many times a release's level is charged: the events that one uploaded record decides.

    Once at the level of a user: there ε holds for all events together, however many of them one record decides. Of
    counted events one event can change the counts by more than the sensitivity of the release, and is charged for that.
    """
    if mechanism.protected_level() == "user":
        return 1
    counted = dataset.counted
    if counted is None:
        return dataset.stability
    assert isinstance(mechanism, StreamMechanism)
    return dataset.stability * counted.event_charges(mechanism.sensitivity)


def budget_of(dataset: Dataset, unit: str | None = None) -> Budget | None:
    """Return the budget of the dataset's lineage in a unit (the usual one); None where nothing was spent or limited."""
    file = known_source_of(dataset)
    return file and file.lineage.budget(unit or dataset.units[0])


@transaction.atomic
def locked(dataset: Dataset, unit: str) -> Budget:
    """Return the budget of the dataset's lineage, made if need be, locked to the end of the transaction."""
    lock_owner(dataset.owner_id)
    budget, _ = Budget.objects.get_or_create(lineage_id=source_of(dataset).lineage_id, unit=unit)
    return Budget.objects.select_for_update().get(pk=budget.pk)


def composed(budget: Budget) -> Decimal:
    """Everything charged and not given back, exactly."""
    kinds = budget.entries.values_list("epsilon", "radius_m", "stability").order_by().annotate(
        charged=Count("pk", filter=Q(amount__gt=0)), given_back=Count("pk", filter=Q(amount__lt=0))
    )  # fmt: skip
    with localcontext(prec=DIGITS):
        parts = (micro(epsilon, radius, times=m * (n - back)) for epsilon, radius, m, n, back in kinds)
        return sum(parts, Decimal(0))


def loss_of(dataset: Dataset, mechanism: Mechanism, context: Context = NO_CONTEXT) -> Loss:
    """Return what one release of ``mechanism`` over ``dataset`` is charged."""
    loss = mechanism.loss(context)
    return Loss(loss.unit, loss.epsilon, loss.radius_m, charged_times(dataset, mechanism))


@transaction.atomic
def reserve(
    *, dataset: Dataset, release_id: uuid.UUID, mechanism: Mechanism, context: Context = NO_CONTEXT
) -> BudgetEntry:
    """Charge a release before anything is drawn; call it in the transaction that creates the release's row.

    The charge is what the composed sum, rounded up to whole units, grows by: a tenth of a budget fits ten times. The
    level is charged once for each event that one uploaded record decides (:func:`charged_times`).

    Raises
    ------
    BudgetExceeded
        The total does not allow it. Nothing is charged.
    """
    loss = loss_of(dataset, mechanism, context)
    budget = locked(dataset, loss.unit)
    with localcontext(prec=DIGITS):
        after = whole(composed(budget) + micro(loss.epsilon, loss.radius_m, times=loss.times))
    amount = max(after - budget.spent, 1)
    allowed = Q(total__isnull=True) | Q(total__gte=F("spent") + amount)
    # the row is locked; the condition in the UPDATE holds even where a lock is a no-op
    if not Budget.objects.filter(allowed, pk=budget.pk, spent__lte=LARGEST - amount).update(spent=F("spent") + amount):
        total = LARGEST if budget.total is None else budget.total
        spent, radius_m = budget.spent, budget.total_radius_m
        raise BudgetExceeded(amount=amount, spent=spent, total=total, unit=loss.unit, radius_m=radius_m)
    return BudgetEntry.objects.create(
        source_file=source_of(dataset),
        release_id=release_id,
        mechanism=mechanism.name,
        level=mechanism.protected_level(),
        unit=loss.unit,
        amount=amount,
        epsilon=loss.epsilon,
        radius_m=loss.radius_m,
        stability=loss.times,
    )


class Price(NamedTuple):
    """What releases would be charged in one unit, in micro-ε: before and after them, and the limit."""

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
    """Return what :func:`reserve` would charge for one release of each in turn, by unit; nothing is charged."""
    losses = [loss_of(dataset, mechanism, context) for mechanism in mechanisms]
    return [_price(dataset, unit, losses) for unit in dict.fromkeys(loss.unit for loss in losses)]


def _price(dataset: Dataset, unit: str, losses: Sequence[Loss]) -> Price:
    budget = budget_of(dataset, unit)
    after = before = budget.spent if budget else 0
    with localcontext(prec=DIGITS):
        leaked = composed(budget) if budget else Decimal(0)
        for loss in losses:
            if loss.unit == unit:
                leaked += micro(loss.epsilon, loss.radius_m, times=loss.times)
                after = max(whole(leaked), after + 1)
    return Price(unit, before, after, budget and budget.total)


def quote(dataset: Dataset, mechanisms: Sequence[Mechanism], context: Context = NO_CONTEXT) -> dict[str, Any]:
    """Return :func:`prices` of trajectory mechanisms, all in ε per km.

    ``stability`` is how many events one uploaded record decides: how many times each release's level is charged.
    """
    found = prices(dataset, mechanisms, context) or [_price(dataset, Unit.EVENT_PER_M, [])]
    (price,) = found
    levels = {f"{name}_per_km": level for name, level in price.levels().items()}
    return {**levels, "fits": price.fits, "stability": dataset.stability}


@transaction.atomic
def refund(*, release_id: uuid.UUID) -> bool:
    """Give a release's charge back, once; True if that happened now. Only for one whose data was never loaded."""
    charge = BudgetEntry.objects.filter(release_id=release_id, amount__gt=0).select_related("source_file").first()
    if charge is None:
        return False
    lock_owner(charge.source_file.owner_id)
    if BudgetEntry.objects.filter(release_id=release_id, amount__lt=0).exists():
        return False
    columns = ("source_file", "mechanism", "level", "unit", "epsilon", "radius_m", "stability")
    same = {name: getattr(charge, name) for name in columns}
    BudgetEntry.objects.create(release_id=release_id, amount=-charge.amount, **same)
    charged = Budget.objects.filter(lineage__source_files=charge.source_file, unit=charge.unit)
    charged.update(spent=F("spent") - charge.amount)
    return True


def spent(dataset: Dataset, unit: str | None = None) -> Spent:
    """Return what the releases of the dataset's lineage leaked, of this upload or of another one, in one unit."""
    budget = budget_of(dataset, unit)
    if budget is None:
        return {"per_km": 0.0, "releases": 0}
    charged = budget.entries.filter(amount__gt=0).count() - budget.entries.filter(amount__lt=0).count()
    return {"per_km": budget.spent / MICRO, "releases": charged}
