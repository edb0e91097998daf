"""REST API of losses before any release: a landmark set's report, budgets for a target."""

from typing import Any

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import must_be
from dashboard.core.filenames import content_disposition, file_name
from dashboard.core.rest.parsing import AnyAccept, JSONBody, valid
from dashboard.core.rest.views import ApiView
from dashboard.datasets.people import person_of
from dashboard.landmarks.correlation import named, parse_correlation
from dashboard.landmarks.loss_serializers import LossQuery, PlanRequest, correlation_of
from dashboard.landmarks.report import mask_of_series
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine.analysis.budget_plan import BudgetPlan, plan
from privacy_engine.analysis.loss_report import LossReport, losses

FORMATS = ("json", "csv")


class LandmarkSetLossView(ApiView):
    """What mechanisms would leak over a landmark set under correlation; no position is read unless cell_m is given."""

    content_negotiation_class = AnyAccept

    @extend_schema(
        parameters=[
            LossQuery,
            OpenApiParameter(
                "format", str, enum=list(FORMATS), description="As a file: json is this answer, csv has every event."
            ),
        ],
        responses={(200, "application/json"): LossReport, (200, "text/csv"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: Any = None) -> Any:
        row = get_object_or_404(visible_landmark_sets(request.user), pk=pk)
        self.read_rows = [row]
        query = request.query_params.copy()
        form = _format(query.pop("format", [""])[-1])
        params = valid(LossQuery, query)
        points, series = params.pop("points"), params.pop("series")
        correlation = correlation_of(params, row.dataset)
        found = losses(mask_of_series(row, series), correlation=correlation, **params)
        if form == "csv":
            answer: Any = StreamingHttpResponse(found.lines(), content_type="text/csv; charset=utf-8")
        else:
            answer = Response(found.shown(points, landmark_set=str(row.pk), series=series).model_dump())
        if form:
            answer["Content-Disposition"] = content_disposition(
                file_name(row.dataset.name, row.name, "landmark loss", extension=form)
            )
        answer["Cache-Control"] = "private, no-store"
        return answer


class BudgetPlanView(ApiView):
    """Budgets whose temporal loss stays at a target. Nothing is stored or spent."""

    parser_classes = (JSONBody,)

    @extend_schema(request=PlanRequest, responses={200: BudgetPlan})
    def post(self, request: Request) -> Response:
        params = valid(PlanRequest, request.data)
        dataset, n = None, params.get("n", 0)
        if "landmark_set" in params:
            row = get_object_or_404(visible_landmark_sets(request.user), pk=params["landmark_set"])
            dataset = row.dataset
            n = len(person_of(dataset, params["series"]))
        with named("correlation"):
            correlation = parse_correlation(dataset=dataset, **params["correlation"])
        kept = {name: params[name] for name in ("alpha", "radius_m", "method", "points")}
        return Response(plan(n=n, correlation=correlation, **kept).model_dump())


def _format(text: str) -> str:
    if text and text not in FORMATS:
        raise must_be("format", " or ".join(FORMATS), text)
    return text
