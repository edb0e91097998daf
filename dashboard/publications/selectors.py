"""Reads of the publications app."""

from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet

from dashboard.core.keys import digest_of
from dashboard.publications.models import Publication


def visible_publications(user: Any) -> QuerySet[Publication]:
    """Those that the user may read, newest first: the links that are the user's own or of releases in projects."""
    return Publication.objects.visible_to(user).select_related("release__dataset").order_by("-created_at", "pk")


def open_publication(token: str) -> Publication | None:
    """The publication behind a link; None if the link is unknown, revoked or expired.

    The lookup is by the token's digest, so its time does not depend on the tokens that exist.
    """
    today = datetime.now(UTC).date()
    valid = Publication.objects.filter(Q(expires_on__isnull=True) | Q(expires_on__gte=today))
    return valid.filter(digest=digest_of(token)).first()
