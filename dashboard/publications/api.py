"""REST API of the publications app."""

from typing import Any

from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.idempotency import HEADER, sent_key
from dashboard.core.rest.parsing import JSONBody, valid
from dashboard.core.rest.views import ApiView, RowViewSet
from dashboard.projects.models import Role
from dashboard.publications import services
from dashboard.publications.models import Publication
from dashboard.publications.selectors import visible_publications
from dashboard.publications.serializers import PublicationRequest, PublicationSerializer
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases

IDEMPOTENCY_KEY = OpenApiParameter(
    HEADER, str, OpenApiParameter.HEADER, description="The same key gives the same public link."
)


class PublicationFilter(filters.FilterSet):
    """By release, and by the dataset of the release."""

    release = filters.UUIDFilter(field_name="release_id")
    dataset = filters.UUIDFilter(field_name="release__dataset_id")


class PublicationViewSet(RowViewSet[Publication]):
    """Public links: pages of published releases that need no account. Deleting one revokes it at once."""

    serializer_class = PublicationSerializer
    filterset_class = PublicationFilter
    queryset = Publication.objects.none()
    visible_to = staticmethod(visible_publications)
    delete_role = Role.EDITOR  # who may publish may revoke

    def perform_destroy(self, instance: Publication) -> None:
        services.revoke_publication(publication=instance)


class ReleasePublicationsView(ApiView):
    """Public links of one release."""

    unsafe_scope = "publish"
    parser_classes = (JSONBody,)

    @extend_schema(operation_id="releases_publications_list", responses={200: PublicationSerializer(many=True)})
    def get(self, request: Request, pk: Any = None) -> Response:
        """The public links of this release, newest first."""
        rows = visible_publications(request.user).filter(release=self._release(request, pk))
        return Response(PublicationSerializer(rows, many=True).data)

    @extend_schema(
        operation_id="releases_publications_create",
        request=PublicationRequest,
        responses={201: PublicationSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: Any = None) -> Response:
        """Publish this finished release under a new link: a page without an account, for all who have the link."""
        release = self._release(request, pk)
        self.check_object_permissions(request, release)
        params = valid(PublicationRequest, request.data)
        key = sent_key(request, release.owner_id)
        made = services.publish_release(release=release, idempotency_key=key, **params)
        return Response(PublicationSerializer(made).data, status=201)

    def _release(self, request: Request, pk: Any) -> Release:
        return get_object_or_404(visible_releases(request.user), pk=pk)
