"""REST API of the publications app."""

from typing import Any

from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.idempotency import sent_key
from dashboard.core.rest.operations import idempotency_key, operation, requested
from dashboard.core.rest.parsing import JSONBody
from dashboard.core.rest.row_fields import Address, UrlsField
from dashboard.core.rest.views import ApiView, RowViewSet
from dashboard.projects.models import Role
from dashboard.publications import services
from dashboard.publications.models import LICENCES, Publication
from dashboard.publications.selectors import visible_publications
from dashboard.releases.models import Release
from dashboard.releases.selectors import visible_releases


class PublicationRequest(serializers.Serializer[Any]):
    """What the public page is called, by whom, under which licence, and until when its link is valid."""

    title = serializers.CharField(
        max_length=200,
        allow_blank=True,
        default="",
        help_text="Shown to every reader; without it the page is called by its mechanism. Never the dataset's name.",
    )
    author = serializers.CharField(
        max_length=100,
        allow_blank=True,
        default="",
        help_text="Who publishes, as readers see it; without it no author is named.",
    )
    licence = serializers.CharField(
        max_length=200,
        allow_blank=True,
        default="",
        help_text=f"What readers may do: {', '.join(LICENCES)} (SPDX), or other terms as a text.",
    )
    expires_on = serializers.DateField(
        allow_null=True, default=None, help_text="The last day of the link, UTC; null: no end."
    )


LINK = Address(
    lambda row: row.path or None, "The public link; null if the server's secret key changed since it was made."
)


class PublicationSerializer(serializers.ModelSerializer[Publication]):
    """A public link as its owner sees it; ``release`` is null once the release is discarded."""

    release = serializers.UUIDField(source="release_id", allow_null=True)
    title = serializers.CharField()
    author = serializers.CharField()
    licence = serializers.CharField()
    method = serializers.CharField(help_text="Mechanism, steps after it and level.")
    expired = serializers.BooleanField()
    urls = UrlsField("publication", others={"page": LINK})

    class Meta:
        model = Publication
        fields = (
            *("id", "release", "kind", "title", "author", "licence", "method"),
            *("created_at", "expires_on", "expired", "urls"),
        )


IDEMPOTENCY_KEY = idempotency_key("The same key gives the same public link.")


class PublicationFilter(filters.FilterSet):
    """By release, and by the dataset of the release."""

    release = filters.UUIDFilter(field_name="release_id")
    dataset = filters.UUIDFilter(field_name="release__dataset_id")


class PublicationViewSet(RowViewSet[Publication]):
    """Public links: pages of published releases that need no account. Deleting one revokes it at once."""

    serializer_class = PublicationSerializer
    filterset_class = PublicationFilter
    visible_to = staticmethod(visible_publications)
    delete_role = Role.EDITOR  # who may publish may revoke

    def perform_destroy(self, instance: Publication) -> None:
        services.revoke_publication(publication=instance)


class ReleasePublicationsView(ApiView):
    """Public links of one release."""

    unsafe_scope = "publish"
    parser_classes = (JSONBody,)

    def get_object(self) -> Release:
        release: Release = get_object_or_404(visible_releases(self.request.user), pk=self.kwargs["pk"])
        self.check_object_permissions(self.request, release)
        return release

    @extend_schema(operation_id="releases_publications_list", responses={200: PublicationSerializer(many=True)})
    def get(self, request: Request, pk: Any = None) -> Response:
        """The public links of this release, newest first."""
        rows = visible_publications(request.user).filter(release=self.get_object())
        return Response(PublicationSerializer(rows, many=True).data)

    @operation(
        PublicationRequest,
        PublicationSerializer,
        status=201,
        row=requested,
        parameters=[IDEMPOTENCY_KEY],
        operation_id="releases_publications_create",
    )
    def post(self, release: Release, **params: Any) -> Publication:
        """Publish this finished release under a new link: a page without an account, for all who have the link."""
        key = sent_key(self.request, release.owner_id)
        return services.publish_release(release=release, idempotency_key=key, **params)
