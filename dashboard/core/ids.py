"""Ids out of a query string."""

import uuid

from django.http import Http404


def uuid_or_404(text: str) -> uuid.UUID:
    """The id, or the answer that there is no such thing."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise Http404("There is no such id.") from None
