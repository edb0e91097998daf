"""Pages of streams: the list of count streams and live ones, the form that opens a live stream, and its page."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.core.paging import KeyPaginator, count_of, first_rows
from dashboard.core.palette import palette
from dashboard.core.rest.components import listing
from dashboard.datasets.selectors import visible_datasets, with_sizes
from dashboard.streams.models import LiveStream, StreamState
from dashboard.streams.selectors import budgets_before, published_before, visible_streams
from dashboard.streams.serializers import TimestampSerializer
from privacy_engine.data import CountStream
from privacy_engine.datatypes import datatypes
from privacy_engine.mechanisms.base.mechanism import Mechanism, offered

PER_PAGE = 20
SHOWN = 400
"""Timestamps that the page of a stream starts with."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show the user's newest count streams and all live ones."""
    streams = visible_streams(request.user)
    counts = visible_datasets(request.user).filter(kind=CountStream.kind)
    total = count_of(counts)
    context = {
        "counts": first_rows(with_sizes(counts), PER_PAGE),
        "more_counts": total if total > PER_PAGE else 0,
        "page": KeyPaginator(streams, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "streams/list.html", context)


@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """Show the form that opens a live stream."""
    data = {"url": reverse("api:stream-list"), "mechanisms": [_form_part(cls) for cls in offered(CountStream.kind)]}
    return render(request, "streams/new.html", {"data": data})


def _form_part(cls: type[Mechanism]) -> dict[str, Any]:
    """What the form has of a mechanism: of its choices those with a guarantee, and its sentence to be filled in."""
    described, sentence = listing(cls), f"{cls.sentence}. {cls.remark}".rstrip()
    example = {field["name"]: field["example"] for field in described["fields"] if field["required"]}

    def sound(field: dict[str, Any]) -> list[dict[str, Any]]:
        given = [(item, cls.model_validate(example | {field["name"]: item["value"]})) for item in field["choices"]]
        return [item for item, mechanism in given if not mechanism.unsound]

    fields = [field | {"choices": sound(field)} for field in described["fields"]]
    return {key: described[key] for key in ("name", "title", "summary")} | {"fields": fields, "sentence": sentence}


@require_safe
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Show what a stream published, as it is published."""
    row = get_object_or_404(visible_streams(request.user), pk=pk)
    mechanism = row.parsed_mechanism
    context = {
        "stream": row,
        "guarantee": mechanism.guarantee(),
        "formats": datatypes["stream"].exports.values(),
        "closed": row.state == StreamState.CLOSED,
        "example": _example(request, row),
        "data": _page_data(row),
    }
    return render(request, "streams/detail.html", context)


def _page_data(row: LiveStream) -> dict[str, Any]:
    names = {"events": "events", "live": "live", "self": "detail"}
    recent = published_before(row, SHOWN)
    return {
        "state": row.state,
        "states": dict(StreamState.choices),
        "dimensions": row.dimensions,
        "window": row.window,
        "epsilon": row.epsilon,
        "published": row.published,
        "style": palette("stream")[row.mechanism],
        "urls": {key: reverse(f"api:stream-{name}", args=[row.pk]) for key, name in names.items()},
        "recent": [TimestampSerializer(timestamp).data for timestamp in recent],
        "earlier": budgets_before(row, recent[0].position) if recent else [],
    }


def _example(request: HttpRequest, row: LiveStream) -> str:
    """A request that publishes a timestamp, to copy."""
    url = request.build_absolute_uri(reverse("api:stream-events", args=[row.pk]))
    counts = ", ".join("0" for _ in row.dimensions[:3]) + (", …" if len(row.dimensions) > 3 else "")
    time = '"2026-01-01T00:00:00Z"' if row.clock != "number" else "1"
    body = f'{{"events": [{{"time": {time}, "counts": [{counts}]}}]}}'
    key = "Idempotency-Key: A_NEW_ONE_FOR_EACH_REQUEST"
    return "\n".join(
        [
            f"curl {url} \\",
            f"  -H 'Authorization: Token YOUR_TOKEN' -H 'Content-Type: application/json' -H '{key}' \\",
            f"  -d '{body}'",
        ]
    )
