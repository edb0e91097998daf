"""The address of the OpenAPI schema."""

from threading import Lock

from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response

_BUILDING = Lock()


class SchemaView(SpectacularAPIView):
    """One schema is built at a time: the first resolves the extensions of drf-spectacular, unsafely between threads."""

    def _get_schema_response(self, request: Request) -> Response:
        with _BUILDING:
            response: Response = super()._get_schema_response(request)
        return response
