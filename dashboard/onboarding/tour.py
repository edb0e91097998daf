"""First steps over the samples, for new users: a strip of links that ticks off what was done.

What is ticked is read from rows: landmark sets, releases, datasets, and the two visits that a user's row remembers.
Built in for every template as ``{% tour %}``; pages that are no step show nothing and query nothing.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from django import template
from django.template.context import Context
from django.urls import reverse

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import markable, visible_datasets
from dashboard.jobs.models import State
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.releases.selectors import visible_releases
from privacy_engine.landmarks.samples import samples

register = template.Library()

LIST = "datasets:list"
STEPS = (  # the page a step leads to, what it is called, what is to be seen there
    ("datasets:detail", "View the trajectory", "A synthetic day: positions are events, landmarks in terracotta."),
    ("landmarks:new", "Define landmarks", "Significant events: stay points, zones on the map, single events."),
    ("releases:new", "Create releases", "Choose mechanisms; noise and budget are shown beforehand."),
    ("releases:compare", "Compare", "Releases over the original: error, budget and temporal loss."),
    (LIST, "Upload your data", "Upload a file. It stays on this server, visible to you only."),
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One link of the strip."""

    title: str
    text: str
    url: str
    done: bool
    here: bool


@register.inclusion_tag("includes/tour.html", takes_context=True)
def tour(context: Context) -> dict[str, Any]:
    """The strip, or nothing: on other pages, after it was hidden, and where there is no sample."""
    request = context.get("request")
    match = request and request.resolver_match
    if not match or match.view_name not in [name for name, _, _ in STEPS] or not request.user.is_authenticated:
        return {}
    sample = _sample(request.user, context.get("dataset"))
    if sample is None:
        return {}
    steps = _steps(request.user, sample, match.view_name)
    current = next((step for step in steps if step.here), None) or next((step for step in steps if not step.done), None)
    return {"steps": steps, "current": current, "here": request.get_full_path(), "request": request}


def _sample(user: User, dataset: Dataset | None) -> Dataset | None:
    """The sample that the strip leads through: the page's own, else the first; None where nothing is to be shown."""
    if user.tour_shown is False or (dataset is not None and not _leads(dataset, user)):
        return None
    if user.tour_shown is None and _has_own(user):
        return None
    mine = markable(visible_datasets(user)).filter(owner=user, sample=True, state=State.READY)
    return dataset or mine.order_by("created_at").first()


def _leads(dataset: Dataset, user: User) -> bool:
    return dataset.sample and dataset.owner_id == user.pk and dataset.data_type.has_landmarks


def _steps(user: User, sample: Dataset, here: str) -> list[Step]:
    done = (
        user.tour_looked_at is not None,
        _has_marked(user),
        visible_releases(user).filter(owner=user, dataset__sample=True).exists(),
        user.tour_compared_at is not None,
        _has_own(user),
    )
    return [
        Step(title, text, _address(name, sample), ticked, name == here != LIST)
        for (name, title, text), ticked in zip(STEPS, done, strict=True)
    ]


def _address(name: str, sample: Dataset) -> str:
    return f"{reverse(name)}#upload" if name == LIST else reverse(name, args=[sample.pk])


def _has_own(user: User) -> bool:
    return visible_datasets(user).filter(owner=user, sample=False).exists()


def _has_marked(user: User) -> bool:
    """True if a sample has a set that it did not come with: of another method, or several."""
    mine = visible_landmark_sets(user).filter(dataset__owner=user)
    marked = list(mine.filter(dataset__sample=True).values_list("dataset_id", "method"))
    return len({dataset for dataset, _ in marked}) < len(marked) or any(method not in _given() for _, method in marked)


@cache
def _given() -> list[dict[str, Any]]:
    return [sample.landmarks.model_dump() for sample in samples()]
