"""REST API of losses before any release: a landmark set's report, budgets for a target."""

from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import must_be
from dashboard.core.filenames import content_disposition, file_name
from dashboard.core.rest.json_text import json_response
from dashboard.core.rest.parsing import AnyAccept, JSONBody, valid
from dashboard.core.rest.views import ApiView
from dashboard.landmarks.loss_serializers import LossQuery, PlanRequest
from dashboard.landmarks.report import losses_of, plan_of
from dashboard.landmarks.selectors import visible_landmark_sets
from privacy_engine.analysis.budget_plan import BudgetPlan
from privacy_engine.analysis.loss_report import LossReport

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
        content = losses_of(row, params, form)
        if form == "csv":
            answer: Any = FileResponse(content, content_type="text/csv; charset=utf-8")
        else:
            answer = json_response(content)
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
        row = None
        if "landmark_set" in params:
            row = get_object_or_404(visible_landmark_sets(request.user), pk=params["landmark_set"])
        return Response(plan_of(row, params).model_dump())


def _format(text: str) -> str:
    if text and text not in FORMATS:
        raise must_be("format", " or ".join(FORMATS), text)
    return text
