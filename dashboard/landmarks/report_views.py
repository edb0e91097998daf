"""The page of a landmark set's report."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.core import computing
from dashboard.core.palette import palette
from dashboard.datasets.people import series_rows
from dashboard.landmarks import report
from dashboard.landmarks.promise import promise_context
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine.accounting.estimation import NOTE

MOST_SERIES = 2_000
"""Series of which any can be chosen."""


@require_safe
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """What mechanisms would leak over the set; budgets for a target. The script gets the numbers from the API."""
    landmark_set = get_object_or_404(visible_landmark_sets(request.user), pk=pk)
    computing.prepare()
    dataset = landmark_set.dataset
    choice = promise_context(dataset, landmark_set, landmarks=0).choice
    context = {
        "landmark_set": landmark_set,
        "dataset": dataset,
        "same": choice.same,
        "provided": choice.provided,
        "not_covered": choice.not_covered,
        "facts": report.set_facts(landmark_set),
        "series": series_rows(dataset, range(min(dataset.series_count, MOST_SERIES))),
        "page": {
            "landmark_set": str(pk),
            "palette": palette(dataset.kind),
            "note": NOTE,
            "time_zone": (dataset.options.get("time_zone") or "UTC") if dataset.has_time else None,
            "urls": {
                "loss": reverse("api:landmark-set-loss", args=[pk]),
                "plan": reverse("api:budget-plans"),
                "events": reverse("api:landmark-set-events", args=[pk]),
                "track": reverse("api:dataset-track", args=[dataset.pk]),
                "mechanisms": f"{reverse('api:mechanisms')}?kind={dataset.kind}",
            },
        },
    }
    return render(request, "landmarks/report.html", context)
