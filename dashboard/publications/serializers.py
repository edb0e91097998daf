"""Public links in the API."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.publications.models import LICENCES, Publication


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


class PublicationUrls(serializers.Serializer[Any]):
    """Where to go from here."""

    self = serializers.CharField()
    page = serializers.CharField(
        allow_null=True, help_text="The public link; null if the server's secret key changed since it was made."
    )


class PublicationSerializer(serializers.ModelSerializer[Publication]):
    """A public link as its owner sees it; ``release`` is null once the release is discarded."""

    release = serializers.UUIDField(source="release_id", allow_null=True)
    title = serializers.CharField()
    author = serializers.CharField()
    licence = serializers.CharField()
    method = serializers.CharField(help_text="Mechanism, steps after it and level.")
    expired = serializers.BooleanField()
    urls = serializers.SerializerMethodField()

    class Meta:
        model = Publication
        fields = (
            *("id", "release", "kind", "title", "author", "licence", "method"),
            *("created_at", "expires_on", "expired", "urls"),
        )

    @extend_schema_field(PublicationUrls)
    def get_urls(self, row: Publication) -> dict[str, str | None]:
        return {"self": reverse("api:publication-detail", args=[row.pk]), "page": row.path or None}
