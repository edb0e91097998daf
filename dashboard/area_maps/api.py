"""REST API of the area_maps app, and the tiles that it serves."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from dashboard.area_maps import selectors, services
from dashboard.area_maps.models import AreaMap
from dashboard.area_maps.serializers import AreaMapRequest, AreaMapSerializer
from dashboard.core.rest.operations import operation
from dashboard.jobs.models import State
from dashboard.jobs.viewsets import JobViewSet
from dashboard.maps.tiles import tile_response


class AreaMapViewSet(JobViewSet[AreaMap]):
    """Maps of areas: fetched once from the archive of the operator, after consent, and served from here."""

    serializer_class = AreaMapSerializer
    visible_to = staticmethod(selectors.visible_area_maps)

    @operation(AreaMapRequest, AreaMapSerializer, status=(200, 201))
    def create(self, **params: Any) -> tuple[AreaMap, bool]:
        """Agree that ``host`` serves the region of a dataset; 200 and the map there is, if any."""
        return services.fetch_area_map(user=self.request.user, **params)


@require_safe
def area_tile(request: HttpRequest, pk: uuid.UUID, z: int, x: int, y: int) -> HttpResponse:
    """One tile of the map of an area, to those who may read its dataset."""
    row = get_object_or_404(AreaMap.objects.visible_to(request.user).only("data_file"), pk=pk, state=State.DONE)
    return tile_response(row.data_path, z, x, y)
