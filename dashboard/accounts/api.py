"""REST API of the accounts app: the base map with the user's own tiles, the trail of access, sessions."""

import uuid
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.accounts import base_map, selectors
from dashboard.accounts.base_map_data import base_map_config
from dashboard.accounts.models import Access, AccessEntry, BaseMapChoice, MapFile, User, UserSession
from dashboard.core.rest.parsing import JSONBody, valid
from dashboard.core.rest.views import ApiView, ApiViewSet, RowViewSet
from dashboard.maps.tiles import tile_response
from dashboard.storage.uploads import CappedFileHandler


class TileSourceSerializer(serializers.Serializer[Any]):
    """Where tiles come from."""

    url = serializers.CharField(help_text="With {z}, {x} and {y}.")
    name = serializers.CharField(allow_blank=True)
    attribution = serializers.CharField(allow_blank=True)
    zooms = serializers.ListField(child=serializers.IntegerField(), help_text="The lowest and the highest.")
    bounds = serializers.ListField(child=serializers.FloatField(), help_text="West, south, east, north; degrees.")


class MapFileSerializer(TileSourceSerializer):
    """A PMTiles file of this server."""

    own = serializers.BooleanField(help_text="Whether the user uploaded it; else it is the operator's.")
    vector = serializers.BooleanField(help_text="Whether its tiles are vectors, drawn without labels of streets.")


class TileServerSerializer(TileSourceSerializer):
    """Another server, which receives requests only of users who agreed to that."""

    host = serializers.CharField()
    attribution_url = serializers.CharField(allow_blank=True)
    referrer = serializers.CharField(help_text="The referrer policy of its requests.")


class BuiltInSerializer(serializers.Serializer[Any]):
    """Addresses of the built-in map's files."""

    world = serializers.CharField()
    detail = serializers.CharField()
    cities = serializers.CharField()


class BaseMapSerializer(serializers.Serializer[Any]):
    """What a user's maps show below their layers, and what there is to choose from."""

    choice = serializers.ChoiceField(choices=BaseMapChoice.choices)
    api = serializers.CharField()
    upload_mb = serializers.IntegerField(help_text="The largest file, in MB.")
    built_in = BuiltInSerializer()
    file = MapFileSerializer(allow_null=True)
    server = TileServerSerializer(allow_null=True)


class BaseMapRequest(serializers.Serializer[Any]):
    """A choice; that of the tile server names the host that is agreed to."""

    choice = serializers.ChoiceField(choices=BaseMapChoice.choices)
    host = serializers.CharField(default="", allow_blank=True, max_length=255)


class MapFileRequest(serializers.Serializer[Any]):
    """A PMTiles file, version 3."""

    file = serializers.FileField(max_length=None)


def _config(user: User) -> Response:
    user.refresh_from_db()
    return Response(BaseMapSerializer(base_map_config(user)).data, headers={"Cache-Control": "private, no-store"})


class BaseMapView(ApiView):
    """The user's base map."""

    parser_classes = (JSONBody,)

    @extend_schema(responses={200: BaseMapSerializer})
    def get(self, request: Request) -> Response:
        """Read the choice and what is offered."""
        return _config(request.user)

    @extend_schema(request=BaseMapRequest, responses={200: BaseMapSerializer})
    def patch(self, request: Request) -> Response:
        """Choose. Any choice but the tile server takes the agreement to it back."""
        base_map.choose_base_map(user=request.user, **valid(BaseMapRequest, request.data))
        return _config(request.user)


class MapFileView(ApiView):
    """The user's PMTiles file."""

    parser_classes = (MultiPartParser,)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        request.upload_handlers = [CappedFileHandler(request, settings.CAIRN_BASE_MAP_BYTES)]
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(request={"multipart/form-data": MapFileRequest}, responses={201: BaseMapSerializer})
    def post(self, request: Request) -> Response:
        """Upload a file in place of the one before, and show it."""
        base_map.store_map_file(user=request.user, upload=valid(MapFileRequest, request.data)["file"])
        response = _config(request.user)
        response.status_code = 201
        response["Location"] = reverse("api:base-map")
        return response

    @extend_schema(responses={200: BaseMapSerializer})
    def delete(self, request: Request) -> Response:
        """Remove it."""
        base_map.delete_map_file(user=request.user)
        return _config(request.user)


@require_safe
def own_tile(request: HttpRequest, pk: uuid.UUID, z: int, x: int, y: int) -> HttpResponse:
    """One tile of the user's own file."""
    return tile_response(get_object_or_404(MapFile, pk=pk, user=request.user).path, z, x, y)


class AccessSerializer(serializers.ModelSerializer[AccessEntry]):
    """A read of an original, a download, or a new member of a project."""

    class Meta:
        model = AccessEntry
        fields = (
            *("id", "created_at", "user_name", "access", "operation", "subject", "subject_id", "subject_name"),
            *("means", "means_id", "means_name"),
        )
        extra_kwargs = {
            "user_name": {"help_text": "Empty for readers of a public link."},
            "operation": {"help_text": "The name of the operation, such as dataset-track."},
            "means": {"help_text": "session, token, link or invitation."},
            "means_id": {"help_text": "Id of the session, link or invitation, or the first characters of the token."},
            "means_name": {"help_text": "The browser, the name of the token, or the role that the invitation gave."},
        }


class AccessFilter(filters.FilterSet):
    """By access and subject."""

    access = filters.ChoiceFilter(choices=Access.choices)
    subject_id = filters.UUIDFilter()


class AccessViewSet(mixins.ListModelMixin, ApiViewSet[AccessEntry]):
    """The trail of access: reads of the user's originals, and downloads of what is theirs, newest first."""

    serializer_class = AccessSerializer
    filterset_class = AccessFilter
    visible_to = staticmethod(selectors.access_to)


class SessionSerializer(serializers.ModelSerializer[UserSession]):
    """A browser that is logged in."""

    current = serializers.SerializerMethodField(help_text="Whether this request is of that session.")

    class Meta:
        model = UserSession
        fields = ("id", "browser", "address", "created_at", "last_used_at", "expires_at", "current")
        extra_kwargs = {
            "browser": {"help_text": "Browser and system by its User-Agent header; empty if unknown."},
            "address": {"help_text": "IPv4 address, or IPv6 network of 64 bits, of its last use."},
            "last_used_at": {"help_text": "To the minute."},
        }

    expires_at = serializers.DateTimeField(source="expire_date")

    def get_current(self, row: UserSession) -> bool:
        session = getattr(self.context["request"], "session", None)
        return session is not None and session.session_key == row.session_key


class SessionViewSet(RowViewSet[UserSession]):
    """Sessions: browsers that are logged in. A deleted one is logged out with its next request."""

    serializer_class = SessionSerializer
    visible_to = staticmethod(selectors.sessions_of)
    lookup_field = "id"
    lookup_url_kwarg = "pk"
