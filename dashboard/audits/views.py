"""The audits page: a form, the result of an audit, the user's audits."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.audits.models import Audit
from dashboard.core.paging import KeyPaginator
from dashboard.core.templatetags.display import number
from privacy_engine.audit import ALTERATIONS, PREFIX, TITLES, NumpyLaplace, completed, provable, trials_field
from privacy_engine.core.component import Component
from privacy_engine.mechanisms.base.mechanism import mechanisms

PER_PAGE = 20
SHORTEST_AXIS = 1.2
"""In claims: an axis is at least that long, so that the mark of the claim is seen."""


@require_safe
def index(request: HttpRequest, pk: uuid.UUID | None = None) -> HttpResponse:
    """Show the form, the audit ``pk`` (the newest without ``pk``) and all audits of the user."""
    audits = Audit.objects.visible_to(request.user)
    shown = get_object_or_404(audits, pk=pk) if pk else audits.first()
    context = {
        "page": KeyPaginator(audits, PER_PAGE).get_page(request.GET.get("page")),
        "audit": shown,
        "facts": _facts(shown) if shown else [],
        "data": {
            "url": reverse("api:audit-list"),
            "list": reverse("audits:list"),
            "audit": str(shown.pk) if shown else None,
            "mechanisms": [_described(cls) for cls in mechanisms],
            "controls": [_described(NumpyLaplace)],
            "trials": trials_field(),
        },
        "alterations": [{"name": f"{PREFIX}{name}:", "title": TITLES[name]} for name in ALTERATIONS],
    }
    if shown and shown.outcome:
        context |= {"rows": _rows(shown.outcome), "provable": provable(len(shown.outcome["pairs"]), shown.trials)}
    return render(request, "audits/list.html", context)


def _described(cls: type[Component]) -> dict[str, Any]:
    """A mechanism as the form needs it; what an audit chooses itself is the default of its field."""
    name = cls.registered_name()
    chosen = completed({"name": name})[1]
    fields = [field | {"default": chosen.get(field["name"], field["default"])} for field in cls.fields()]
    return {"name": name, "title": cls.title, "summary": cls.summary, "fields": fields}


def _facts(row: Audit) -> list[dict[str, Any]]:
    """The parameters of an audit with their labels and units."""
    name = row.spec["mechanism"]["name"]
    cls = NumpyLaplace if name == NumpyLaplace.registered_name() else mechanisms.shown(name.rpartition(":")[2])
    labels = {field["name"]: field for field in cls.fields()}
    values = {key: value for key, value in row.spec["mechanism"].items() if key != "name"}
    return [
        {"label": field["label"], "unit": field["unit"], "text": _text(value)}
        for key, value in values.items()
        for field in [labels.get(key, {"label": key, "unit": ""})]
    ]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else number(value, 6)


def _rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs with what their charts draw: all lengths in per cent of an axis in claims, the same for every pair."""
    shares = [pair["lower_bound"] / pair["claimed"] for pair in result["pairs"]]
    axis = max(SHORTEST_AXIS, *(1.1 * share for share in shares))
    return [
        pair | {"bound": 100 * share / axis, "claim": 100 / axis}
        for pair, share in zip(result["pairs"], shares, strict=True)
    ]
