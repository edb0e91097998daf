"""Pages of releases of check-ins: the form, and the comparison of models with baselines and the evaluation."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from django.http import HttpRequest
from django.urls import reverse

from dashboard.core.page_parts import parts_of
from dashboard.core.palette import neutral, palette
from dashboard.core.templatetags.display import day, metres, number, whole
from dashboard.datasets.models import Dataset, Unit
from dashboard.datasets.public_areas import AREAS, SAMPLE, box_around, public_areas
from dashboard.releases.common.pages import QuotedPages
from dashboard.releases.downloads import context_of
from dashboard.releases.models import Release
from privacy_engine.core.geo import distance_m
from privacy_engine.data.grid import Grid
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms

K = 10
"""Cells that the page ranks."""
EVALUATION = "recommendation-epsilon"
"""The preset that evaluates models over ε."""
SIDES = ("west", "south", "east", "north")
EVALUATED = ("epsilon", "privacy_unit", *SIDES, "side")
"""Parameters that an evaluation has as a release has them; the others are as presets have them."""
URLS = {
    "recommend": "recommend",
    "reference": "recommend-reference",
    "map": "model-map",
    "truth": "true-densities",
    "histories": "histories",
    "venues": "venues",
    "data": "data",
    "notebook": "notebook",
}
MEASURES = {
    "hit-rate@1": "HR@1",
    "hit-rate@5": "HR@5",
    "hit-rate@10": "HR@10",
    "hit-rate-by-user@10": "HR@10 by user",
    "reciprocal-rank": "MRR",
}
"""Short titles of the columns of an evaluation that the chart shows."""
FIRST_MEASURE = "hit-rate@10"
BASELINES: tuple[dict[str, Any], ...] = (
    {"name": "checkin-markov", "title": "Non-private", "note": "owner only", "style": neutral("--foreground", "dash")},
    {"name": "checkin-nearest", "title": "Nearest cell", "note": "public", "style": neutral("--muted", "long dash")},
    {
        "name": "checkin-popularity",
        "title": "DP popularity",
        "note": "same ε",
        "style": palette("checkins")["checkin-popularity"],
    },
)
BASELINE_STYLES = {baseline["name"]: baseline["style"] for baseline in BASELINES if baseline["style"]["marker"] is None}
"""Baselines without a guarantee, or without a need of it, have no colour of a mechanism."""
SEEDED = (
    "A seeded simulation: who knows the seed can compute its noise, so it protects no check-in. It spends no budget "
    "and is never published. ε and ratio are those of a published model with the same parameters."
)
LARGEST = 1e6
"""Probability ratios above it are shown as powers of ten."""


WEAKER = "checkin-privtree"
"""The mechanism that the form also offers with check-ins protected individually."""


class CheckInPages(QuotedPages):
    """Pages of check-ins."""

    common: ClassVar = frozenset(EVALUATED) - {"privacy_unit"} | {"contributions"}
    expected: ClassVar = "hit"

    def fields(self, cls: type[Mechanism], dataset: Dataset) -> list[dict[str, Any]]:
        """Of detected stays only users are protected: an event can change any number of them."""
        fields = super().fields(cls, dataset)
        if dataset.stay_detection is None:
            return fields
        users = [choice for field in fields for choice in field["choices"] if choice["value"] == Unit.USER]
        return [field | {"choices": users} if field["name"] == "privacy_unit" else field for field in fields]

    def weaker(self, dataset: Dataset, listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        own = {"privacy_unit": str(Unit.RECORD)}
        some = [mechanism for mechanism in listed if mechanism["name"] == WEAKER and dataset.stay_detection is None]
        return [mechanism | {"own": own} for mechanism in some]

    def beside_form(self, dataset: Dataset) -> dict[str, Any]:
        fields = {field["name"]: field for field in self.fields(mechanisms[WEAKER], dataset)}
        bounds = None if dataset.sample else (dataset.summary or {})["bounds"]
        box = AREAS[SAMPLE] if bounds is None else box_around(bounds)
        sides = [fields[name] | {"default": side} for name, side in zip(SIDES, box, strict=True)]
        return {"section": "recommend", "sides": sides, "is_box_from_data": bounds is not None}

    def beside_fields(self, dataset: Dataset) -> dict[str, Any]:
        """The areas that a public grid can begin with."""
        return {"areas": public_areas()}

    def comparison(self, request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
        return super().comparison(request, dataset) | {"section": "recommend"}

    def compared(
        self, request: HttpRequest, dataset: Dataset, rows: Sequence[Release], listed: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        shown = [_release_row(row, entry) for row, entry in zip(rows, listed, strict=True)]
        shown.sort(key=lambda row: row["seeded"])  # published models first, the newest of each first
        requested = request.GET.get("release", "")
        known = [row for row in shown if row["id"] == requested] or [row for row in shown if not row["seeded"]] or shown
        known[0]["chosen"] = True
        fitted = {row["mechanism"] for row in shown}
        measures = [{"name": name, "short": short, "first": name == FIRST_MEASURE} for name, short in MEASURES.items()]
        return {
            "chosen": known[0],
            "k": K,
            "places": range(K),
            "measures": measures,
            "baselines": BASELINES,
            "experiments": reverse("experiments:list"),
            "page": {
                "k": K,
                "dataset": str(dataset.pk),
                "name": dataset.name,
                "releases": shown,
                "missing": [_defaults(cls) for cls in _simulated() if cls.registered_name() not in fitted],
                "baselines": BASELINES,
                "measures": measures,
                "models": _models(),
                **parts_of("releases:compare:checkins", request, dataset),
                "urls": {
                    "releases": reverse("api:release-list"),
                    "experiments": reverse("api:experiment-list"),
                    "expected": reverse("api:release-expected-hits"),
                    "form": reverse("releases:new", args=[dataset.pk]),
                },
                "preset": EVALUATION,
            },
        }


def _models() -> dict[str, dict[str, Any]]:
    """Return title and style of every model that an evaluation may have, by the name of its mechanism."""
    titles = {baseline["name"]: baseline["title"] for baseline in BASELINES if baseline["name"] in BASELINE_STYLES}
    styles = palette("checkins") | BASELINE_STYLES
    names = [cls.registered_name() for cls in mechanisms.of("checkins")]
    models = {name: mechanisms[name].title for name in names} | titles
    return {name: {"title": title, "style": styles.get(name, {})} for name, title in models.items()}


def _simulated() -> list[type[Mechanism]]:
    """Return the mechanisms that need nothing but check-ins with positions."""
    classes = (cls for cls in mechanisms.of("checkins") if issubclass(cls, CheckInMechanism))
    return [cls for cls in classes if cls.publishable and not cls.needs_venues]


def _defaults(cls: type[Mechanism]) -> dict[str, Any]:
    """Return the parameters of a mechanism with the values that its form starts with."""
    fields = [{"name": field["name"], "value": _value(field)} for field in cls.fields()]
    return {"name": cls.registered_name(), "fields": fields}


def _value(field: dict[str, Any]) -> Any:
    usual = [choice["value"] for choice in field["choices"]] or [field["example"]]
    return usual[0] if field["default"] is None else field["default"]


def _release_row(row: Release, listed: dict[str, Any]) -> dict[str, Any]:
    mechanism: Any = row.parsed_spec.mechanism
    unit = "user" if mechanism.privacy_unit == "user" else "check-in"
    urls = {key: reverse(f"api:release-{name}", args=[row.pk]) for key, name in URLS.items()}
    exports = row.formats
    label = f"ε = {number(mechanism.epsilon, 6)} per {unit}"
    return {
        **{name: listed[name] for name in ("id", "title", "heading", "mechanism", "style")},
        "level": label,
        "grid": _grid_text(mechanism.grid),
        "short": f"ε {number(mechanism.epsilon, 6)} per {unit}",
        "epsilon": float(mechanism.epsilon),
        "unit": mechanism.privacy_unit,
        "spec": row.spec["mechanism"],
        "unusual": _unusual(mechanism),
        "seeded": row.seeded,
        "date": ("simulated" if row.seeded else "published") + f" {day(row.finished_at)}",
        "promise_title": "Not private" if row.seeded else label,
        "promise": SEEDED if row.seeded else mechanism.guarantee(context_of(row)).statement,
        "losses": _losses(mechanism, row.dataset),
        "losses_note": _losses_note(mechanism, row.dataset),
        "formats": exports,
        "chosen": False,
        "urls": listed["urls"] | urls,
    }


def _unusual(mechanism: Any) -> list[str]:
    """Return the parameters, as their labels, that differ from those with which an evaluation fits the mechanism."""
    cls, own = type(mechanism), mechanism.model_dump()
    usual = mechanisms.parse(with_examples(cls, {name: own[name] for name in EVALUATED})).model_dump()
    if mechanism.privacy_unit == "record":
        del usual["contributions"]  # it bounds users alone
    labels = {field["name"]: field["label"] for field in cls.fields()}
    return [labels[name] for name, value in usual.items() if name in labels and value != own[name]]


def _grid_text(grid: Grid) -> str:
    """Return how many cells there are and how large those in the south-west are: public grid 16 × 16, cells …"""
    west, south, east, north = grid.boxes()[0]
    wide, high = distance_m(west, south, east, south), distance_m(west, south, west, north)
    size = f"{metres(float(wide))} × {metres(float(high))}"
    return f"public grid {grid.columns} × {grid.rows}, cells {size}"


def _losses(mechanism: Any, dataset: Dataset) -> list[dict[str, str]]:
    """Return ε and the largest ratio of probabilities for a person and for a check-in, as text.

    Where users are added or removed, a changed check-in is a user removed and another added: 2 ε.
    """
    epsilon, most = float(mechanism.epsilon), (dataset.summary or {})["most_per_user"]
    if mechanism.privacy_unit == "user":
        checkin = epsilon if mechanism.relation == "replace-one" else 2 * epsilon
        return [_loss("One person", epsilon, ""), _loss("One check-in", checkin, "at most ")]
    return [_loss("One check-in", epsilon, ""), _loss(f"One person with {whole(most)}", most * epsilon, "at most ")]


def _loss(protected: str, epsilon: float, prefix: str) -> dict[str, str]:
    return {
        "protected": protected,
        "epsilon": f"{prefix}{number(epsilon, 6)}",
        "ratio": f"{prefix}{ratio_text(epsilon)}",
    }


def ratio_text(epsilon: float) -> str:
    """Return exp(ε) as text.

    >>> ratio_text(1.0), ratio_text(746.0)
    ('2.72', '10^324')
    """
    if epsilon <= math.log(LARGEST):
        return str(number(math.exp(epsilon), 3))
    return f"10^{math.ceil(epsilon / math.log(10))}"


def _losses_note(mechanism: Any, dataset: Dataset) -> str:
    epsilon, most = number(mechanism.epsilon, 6), (dataset.summary or {})["most_per_user"]
    if mechanism.privacy_unit == "user":
        return (
            f"At most {whole(mechanism.contributions)} places of each person are used. A model with ε = {epsilon} per "
            f"check-in could instead reach ε = {number(most * mechanism.epsilon, 6)} for the most active person of "
            f"this upload, with {whole(most)} check-ins: a figure for you as the owner, no release contains it."
        )
    return (
        f"The {whole(most)} check-ins of the most active person of this upload together have up to {whole(most)} times "
        f"the ε of one: a figure for you as the owner, no release contains it. A model with ε per user bounds it."
    )


ADAPTER = CheckInPages()
