"""Reads of the datasets app."""

from typing import Any

from django.db.models import Case, Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce

from dashboard.core.errors import Conflict
from dashboard.core.templatetags.display import metres
from dashboard.datasets import ledger, lineage, quota
from dashboard.datasets.models import (
    Budget,
    BudgetEntry,
    Dataset,
    EventLoss,
    LineageEntry,
    SourceFile,
    Unit,
    Upload,
    kind_text,
    unit_text,
)
from dashboard.datasets.scale import stored_scale
from dashboard.jobs.models import State
from privacy_engine.analysis.reference_radius import reference_radius, within
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError


def visible_datasets(user: Any) -> QuerySet[Dataset]:
    """Those that the user may read, newest first."""
    return Dataset.objects.visible_to(user).select_related("project").order_by("-created_at", "pk")


def visible_uploads(user: Any) -> QuerySet[Upload]:
    """The user's own."""
    return Upload.objects.visible_to(user)


def with_sizes(datasets: QuerySet[Dataset]) -> QuerySet[Dataset]:
    """The same, each with how many there are of ``landmark_set_count``, ``release_count`` and ``experiment_count``."""

    def count(related: str) -> Any:  # counted apart: joined, rows of each sort would multiply those of another
        rows = Dataset._meta.get_field(related).related_model.objects.order_by().filter(dataset=OuterRef("pk"))
        return Coalesce(Subquery(rows.values("dataset").annotate(n=Count("pk")).values("n")), 0)

    names = {"landmark_set_count": "landmark_sets", "release_count": "releases", "experiment_count": "experiments"}
    return datasets.annotate(**{name: count(related) for name, related in names.items()})


def storage_of(user: Any) -> dict[str, int | None]:
    """Bytes of the user's uploads that are ``used``, and the ``quota``; None without a limit."""
    return {"used": quota.used_bytes(user), "quota": quota.quota_of(user)}


def with_ledger(datasets: QuerySet[Dataset]) -> QuerySet[Dataset]:
    """The same, each with its budget: ``spent_micro``, ``spent_releases``, ``spent_events``, ``total_*``, ``sharing``.

    What is spent is that of the event that spent most. ``sharing`` is the number of other uploads of its lineage.
    """
    # by the file, since a lineage would be joined to every row that is counted or sorted
    file = OuterRef("source_file")
    unit = OuterRef("usual_unit")
    budget = Budget.objects.filter(lineage__source_files=file, unit=unit)
    loss = EventLoss.objects.filter(source_file=file, unit=unit)
    files = SourceFile.objects.filter(lineage__source_files=file).exclude(pk=file)
    usual = Case(*(When(kind=kind, then=Value(datatype.units[0])) for kind, datatype in datatypes.items()))
    return datasets.annotate(usual_unit=usual).annotate(
        spent_micro=Subquery(loss.values("spent")),
        spent_events=Subquery(loss.values("events")),
        spent_releases=Subquery(loss.values("releases")),
        total_epsilon=Subquery(budget.values("total_epsilon")),
        total_radius_m=Subquery(budget.values("total_radius_m")),
        sharing=Subquery(files.order_by().values("lineage").annotate(n=Count("pk")).values("n")),
    )


def shared_with(dataset: Dataset, user: Any, unit: str | None = None) -> list[dict[str, Any]]:
    """The other uploads of the dataset's lineage: their datasets, when they came, what they share and spent.

    A user other than the owner sees those with a dataset that they may read. ``shared_events`` is how many events of
    this upload the other holds: none of those connected by a third, null where all are counted as shared.
    ``share`` is that of the smaller upload's events.
    """
    file = lineage.known_source_of(dataset)
    if file is None:
        return []
    others = file.lineage.source_files.exclude(pk=file.pk).prefetch_related(
        Prefetch("datasets", Dataset.objects.visible_to(user), to_attr="readable")
    )
    facts = {
        entry.other_id if entry.source_file_id == file.pk else entry.source_file_id: entry
        for entry in recorded(dataset, user)
        if entry.fact == LineageEntry.Fact.SHARED
    }
    held = _held(file)
    charges = (
        BudgetEntry.objects.filter(source_file__lineage=file.lineage, unit=unit or dataset.units[0])
        .order_by()
        .values("source_file")
    )
    spent = {row["source_file"]: row["all"] for row in charges.annotate(all=Sum("amount"))}
    return [
        {
            "id": other.pk,
            "datasets": other.readable,
            "uploaded_at": other.created_at,
            "spent_per_km": spent.get(other.pk, 0) / 1e6,
            **_sharing(other, file, held, facts.get(other.pk)),
        }
        for other in others
        if other.readable or dataset.owner_id == user.pk
    ]


def _held(file: SourceFile) -> dict[int, int]:
    """How many events of a file each other file holds, at the most of a reading."""
    counts: dict[int, int] = {}
    for classes in file.readings.values_list("classes", flat=True):
        many: dict[int, int] = {}
        for files, count in classes:
            for pk in files:
                many[pk] = many.get(pk, 0) + count
        counts |= {pk: max(count, counts.get(pk, 0)) for pk, count in many.items()}
    return counts


def _sharing(other: SourceFile, file: SourceFile, held: dict[int, int], fact: LineageEntry | None) -> dict[str, Any]:
    if other.pk in file.whole:
        share = None if other.inherited or fact is None else fact.share
        return {"shared_events": None, "share": share, "how": LineageEntry.How.WHOLE.value}
    many = held.get(other.pk, 0)
    share, how = (fact.share, fact.how) if fact and many else (0.0, "")
    return {"shared_events": many, "share": share, "how": how}


def recorded(dataset: Dataset, user: Any) -> list[LineageEntry]:
    """What was recorded about the dataset's file and another, oldest first; see :func:`shared_with`."""
    if dataset.source_file_id is None:
        return []
    entries = LineageEntry.objects.filter(Q(source_file=dataset.source_file_id) | Q(other=dataset.source_file_id))
    if dataset.owner_id != user.pk:
        files = Dataset.objects.visible_to(user).values("source_file")
        entries = entries.filter(source_file__in=files, other__in=files)
    return list(entries.order_by("pk"))


def require_ready(dataset: Dataset) -> None:
    """Refuse a dataset that has no points yet.

    Raises
    ------
    Conflict
        The dataset is not ready.
    """
    if dataset.state != State.READY:
        raise Conflict(
            f"The dataset must be ready, it is {dataset.state}.", field="state", rule="ready", value=dataset.state
        )


def require_kind(dataset: Dataset, *kinds: str) -> None:
    """Refuse a dataset of another kind of data than these.

    Raises
    ------
    ParameterError
        Its data are of another kind.
    """
    if dataset.kind not in kinds:
        right = " or ".join(map(kind_text, kinds))
        message = f"dataset must hold {right}, it holds {kind_text(dataset.kind)}"
        raise ParameterError(message, field="dataset", rule=", ".join(kinds), value=dataset.kind)


MARKABLE = tuple(kind for kind, datatype in datatypes.items() if datatype.has_landmarks)


def markable(rows: QuerySet[Dataset]) -> QuerySet[Dataset]:
    """Those whose events can be landmarks."""
    return rows.filter(kind__in=MARKABLE)


def require_markable(dataset: Dataset) -> None:
    """Refuse a dataset whose events cannot be landmarks; errors of :func:`require_kind`."""
    require_kind(dataset, *MARKABLE)


def require_ready_of(dataset: Dataset, kind: str) -> None:
    """Refuse a dataset that has no points yet or is of another kind of data: :func:`require_ready`, then the kind."""
    require_ready(dataset)
    require_kind(dataset, kind)


def require_releasable(dataset: Dataset) -> None:
    """Refuse data that every mechanism of their kind would refuse, before anything is charged.

    Raises
    ------
    ParameterError
        Counts are not whole, or too large; check-ins have no positions.
    """
    if lack := dataset.data_type.unreleasable(dataset.summary or {}):
        field, rule, reason = lack
        message = f"dataset must have {rule} as its {field}, or no mechanism can release it{reason}"
        raise ParameterError(message, field="dataset", rule=f"{field}: {rule}", value=str(dataset.pk))


def has_venues(dataset: Dataset) -> bool:
    """Return whether its check-ins came with a list of venues."""
    return bool((dataset.summary or {}).get("venues"))


USUAL_RADIUS_M = 200.0  # where the owner has named none and the extent is not known


def reference_radius_m(dataset: Dataset, budget: Budget | None) -> float:
    """Return the radius within which levels of a dataset are stated.

    That is the limit's radius, else that of the first release that was charged, so that uploads that share a budget
    share it too; before any, that for the extent.
    """
    if budget and budget.total_radius_m:
        return float(budget.total_radius_m)
    charged = budget and budget.entries.filter(radius_m__isnull=False).order_by("pk").first()
    if charged:
        return float(charged.radius_m)
    scale = stored_scale(dataset)
    return reference_radius(scale).radius_m if scale else USUAL_RADIUS_M


def spending(dataset: Dataset, user: Any) -> dict[str, Any]:
    """What the event that spent most has spent, as a level (of trajectories: within the radius that the owner chose).

    Other datasets that share the budget are named where ``user`` may read them.
    """
    spent, budget = ledger.spent(dataset), ledger.budget_of(dataset)
    by_distance = dataset.units[0] == Unit.EVENT_PER_M
    radius_m = reference_radius_m(dataset, budget) if by_distance else None
    share = 1.0 if radius_m is None else radius_m / 1000
    return {
        "unit": unit_text(dataset.units[0]),
        "radius_m": radius_m,
        "total": budget and budget.total_epsilon,
        "spent": spent["per_km"] * share,
        "releases": spent["releases"],
        "events": spent["events"],
        "over": bool(budget and budget.total is not None and spent["per_km"] * 1e6 > budget.total),
        "more": [_more(dataset, unit) for unit in dataset.units[1:]] + _of_other_kinds(dataset),
        "stability": dataset.stability,
        "others": [
            row | {"spent": row["spent_per_km"] * share, "how_text": dict(LineageEntry.How.choices).get(row["how"], "")}
            for row in shared_with(dataset, user)
        ],
        "decisions": [entry for entry in recorded(dataset, user) if entry.fact == LineageEntry.Fact.OTHER_PEOPLE],
    }


def _more(dataset: Dataset, unit: str) -> dict[str, Any]:
    spent = ledger.spent(dataset, unit)
    if unit != Unit.EVENT_PER_M:
        return {"unit": unit_text(unit), "spent": spent["per_km"], "releases": spent["releases"]}
    radius_m = reference_radius_m(dataset, ledger.budget_of(dataset, unit))
    text = f"{unit_text(unit)}, within {metres(radius_m)}"
    return {"unit": text, "spent": within(spent["per_km"], 1000, radius_m), "releases": spent["releases"]}


def _of_other_kinds(dataset: Dataset) -> list[dict[str, Any]]:
    """What datasets of other kinds spent that are made of the same uploads: counts, or the events counted in them."""
    file = lineage.known_source_of(dataset)
    losses = EventLoss.objects.filter(source_file=file) if file else EventLoss.objects.none()
    kinds = [_more(dataset, loss.unit) for loss in losses.exclude(unit__in=dataset.units).order_by("unit")]
    return [kind for kind in kinds if kind["releases"]]
