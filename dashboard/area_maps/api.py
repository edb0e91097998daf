"""REST API of the area_maps app, and the tiles that it serves."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.area_maps import selectors, services
from dashboard.area_maps.models import AreaMap
from dashboard.area_maps.serializers import AreaMapRequest, AreaMapSerializer
from dashboard.core.rest.parsing import valid
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.jobs.viewsets import JobFilter, JobViewSet
from dashboard.maps.tiles import tile_response


class AreaMapViewSet(JobViewSet[AreaMap]):
    """Maps of areas: fetched once from the archive of the operator, after consent, and served from here."""

    serializer_class = AreaMapSerializer
    filterset_class = JobFilter
    queryset = AreaMap.objects.none()
    visible_to = staticmethod(selectors.visible_area_maps)

    @extend_schema(request=AreaMapRequest, responses={200: AreaMapSerializer, 201: AreaMapSerializer})
    def create(self, request: Request) -> Response:
        """Agree that ``host`` serves the region of a dataset; 200 and the map there is, if any."""
        params = valid(AreaMapRequest, request.data)
        params["dataset"] = get_object_or_404(visible_datasets(request.user), pk=params["dataset"])
        row, new = services.fetch_area_map(user=request.user, **params)
        return self.row_response(row, status=201 if new else 200)


@require_safe
def area_tile(request: HttpRequest, pk: uuid.UUID, z: int, x: int, y: int) -> HttpResponse:
    """One tile of the map of an area, to those who may read its dataset."""
    row = get_object_or_404(AreaMap.objects.visible_to(request.user).only("data_file"), pk=pk, state=State.DONE)
    return tile_response(row.data_path, z, x, y)
