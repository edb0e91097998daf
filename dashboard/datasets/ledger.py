"""The budget of a lineage of uploads: what its releases leak together, and may leak.

One unit for all: integer micro-ε per kilometre, since a release with level ε within r metres changes the probability
of any output by a factor of at most exp(ε·d/r) between two places d apart. Every entry carries its own level (event,
landmark, user) and the stability m of the cleaning before it: the most events that one uploaded record decides. The sum
is the composed loss of *any one uploaded record* over all releases: a release that protects each event with ε protects
each record with m·ε, for a mechanism with independent draws (docs/decisions/0018-stability-of-cleaning.md). It says
nothing about landmarks or users together. Which uploads share one budget: dashboard/datasets/lineage.py.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any, TypedDict

from django.db import transaction
from django.db.models import Count, F, Q
from pydantic import ValidationError

from dashboard.core.errors import Conflict
from dashboard.datasets.lineage import LARGEST, known_source_of, lock_owner, source_of
from dashboard.datasets.models import Budget, BudgetEntry, Dataset
from privacy_engine.errors import ParameterErrors
from privacy_engine.params import Epsilon, Frozen, RadiusM, explain
from privacy_engine.promise import Context
from privacy_engine.registry import NO_CONTEXT, Mechanism

MICRO_PER_KM = 1000 * 1_000_000
DIGITS = 60
DUST = Decimal("1e-9")  # of a unit: what a division to 60 digits may leave, so that three thirds are one whole


class BudgetExceeded(Conflict):
    """The release would leak more than the owner allows."""

    code = "budget"

    def __init__(self, *, amount: int, spent: int, total: int) -> None:
        left = max(total - spent, 0)
        super().__init__(
            f"This release would spend ε = {amount / 1e6:g} per km of a budget that has {left / 1e6:g} of "
            f"{total / 1e6:g} left. Ask for a smaller level or a larger radius, or raise the budget.",
            field="mechanism.epsilon",
            rule="within the dataset's budget",
            value=amount / 1e6,
        )
        self.amount, self.spent, self.total = amount, spent, total

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"spent_per_km": self.spent / 1e6, "total_per_km": self.total / 1e6}


class Total(Frozen):
    """What all releases of a lineage together may leak, as its owner writes it."""

    epsilon: Epsilon  # type: ignore[valid-type]
    radius_m: RadiusM  # type: ignore[valid-type]

    @classmethod
    def parse(cls, description: Any) -> Total:
        """The described total.

        Raises
        ------
        ParameterErrors
            One error for each number that is missing or outside its domain.
        """
        try:
            return cls.model_validate(description)
        except ValidationError as error:
            raise ParameterErrors(explain(error, prefix="budget")) from None


class Quote(TypedDict):
    """What several releases would be charged, and what the lineage has leaked and may leak; all in ε per km.

    ``stability`` is how many events one uploaded record decides: how many times each release's level is charged.
    """

    price_per_km: float
    spent_per_km: float
    after_per_km: float
    total_per_km: float | None
    fits: bool
    stability: int


class Spent(TypedDict):
    """What the releases of a lineage leaked together."""

    per_km: float
    releases: int


def micro_per_km(epsilon: float, radius_m: float, *, times: int = 1) -> Decimal:
    """A level within a radius (as written, so that 0.1 is a tenth) in the ledger's unit, not yet rounded."""
    with localcontext(prec=DIGITS):
        return times * Decimal(repr(float(epsilon))) * MICRO_PER_KM / Decimal(repr(float(radius_m)))


def whole(amount: Decimal) -> int:
    """Rounded up to whole units.

    >>> whole(3 * micro_per_km(1, 3)) == whole(micro_per_km(1, 1))
    True
    """
    with localcontext(prec=DIGITS):
        return max(math.ceil(amount - DUST), 1)


def charged_times(dataset: Dataset, mechanism: Mechanism) -> int:
    """Return how many times a release's level is charged: the events that one uploaded record decides.

    Once at the level of a user: there ε holds for all events together, however many of them one record decides.
    """
    return 1 if mechanism.level == "user" else dataset.stability


def budget_of(dataset: Dataset) -> Budget | None:
    """Return the budget of the dataset's lineage; None while it has none."""
    file = known_source_of(dataset)
    return file and file.budget


@transaction.atomic
def locked(dataset: Dataset) -> Budget:
    """Return the budget of the dataset's lineage, made if need be, locked to the end of the transaction."""
    lock_owner(dataset.owner_id)
    return Budget.objects.select_for_update().get(pk=source_of(dataset).budget_id)


def composed(budget: Budget) -> Decimal:
    """Everything charged and not given back, exactly."""
    kinds = budget.entries.values_list("epsilon", "radius_m", "stability").order_by().annotate(
        charged=Count("pk", filter=Q(amount__gt=0)), given_back=Count("pk", filter=Q(amount__lt=0))
    )  # fmt: skip
    with localcontext(prec=DIGITS):
        parts = (micro_per_km(epsilon, radius, times=m * (n - back)) for epsilon, radius, m, n, back in kinds)
        return sum(parts, Decimal(0))


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
    budget, times = locked(dataset), charged_times(dataset, mechanism)
    with localcontext(prec=DIGITS):
        epsilon = mechanism.charged_epsilon(context)
        after = whole(composed(budget) + micro_per_km(epsilon, mechanism.radius_m, times=times))
    amount = max(after - budget.spent, 1)
    allowed = Q(total__isnull=True) | Q(total__gte=F("spent") + amount)
    # the row is locked; the condition in the UPDATE holds even where a lock is a no-op
    if not Budget.objects.filter(allowed, pk=budget.pk, spent__lte=LARGEST - amount).update(spent=F("spent") + amount):
        total = LARGEST if budget.total is None else budget.total
        raise BudgetExceeded(amount=amount, spent=budget.spent, total=total)
    return BudgetEntry.objects.create(
        source_file=source_of(dataset),
        release_id=release_id,
        mechanism=mechanism.name,
        level=mechanism.level,
        amount=amount,
        epsilon=epsilon,
        radius_m=mechanism.radius_m,
        stability=times,
    )


def quote(dataset: Dataset, mechanisms: Sequence[Mechanism], context: Context = NO_CONTEXT) -> Quote:
    """What :func:`reserve` would charge for one release of each, one after the other; nothing is charged or locked."""
    budget = budget_of(dataset)
    before = budget.spent if budget else 0
    total = budget.total if budget else None
    with localcontext(prec=DIGITS):
        leaked = composed(budget) if budget else Decimal(0)
        after = before
        for mechanism in mechanisms:
            times = charged_times(dataset, mechanism)
            leaked += micro_per_km(mechanism.charged_epsilon(context), mechanism.radius_m, times=times)
            after = max(whole(leaked), after + 1)
    return {
        "price_per_km": (after - before) / 1e6,
        "spent_per_km": before / 1e6,
        "after_per_km": after / 1e6,
        "total_per_km": None if total is None else total / 1e6,
        "fits": after <= (LARGEST if total is None else total),
        "stability": dataset.stability,
    }


@transaction.atomic
def refund(*, release_id: uuid.UUID) -> bool:
    """Give a release's charge back, once; True if that happened now. Only for one whose data was never loaded."""
    charge = BudgetEntry.objects.filter(release_id=release_id, amount__gt=0).select_related("source_file").first()
    if charge is None:
        return False
    lock_owner(charge.source_file.owner_id)
    if BudgetEntry.objects.filter(release_id=release_id, amount__lt=0).exists():
        return False
    same = {name: getattr(charge, name) for name in ("source_file", "mechanism", "level", "epsilon", "radius_m")}
    same["stability"] = charge.stability
    BudgetEntry.objects.create(release_id=release_id, amount=-charge.amount, **same)
    Budget.objects.filter(source_files=charge.source_file).update(spent=F("spent") - charge.amount)
    return True


def spent(dataset: Dataset) -> Spent:
    """What the releases of the dataset's lineage (of this dataset or of another upload) leaked together."""
    budget = budget_of(dataset)
    if budget is None:
        return {"per_km": 0.0, "releases": 0}
    charged = budget.entries.filter(amount__gt=0).count() - budget.entries.filter(amount__lt=0).count()
    return {"per_km": budget.spent / 1e6, "releases": charged}
