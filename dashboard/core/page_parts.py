"""What a page shows of the apps above its own: they add it as they start, and the page does not know them."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

Part = Callable[[HttpRequest, Any], dict[str, Any]]
_parts: dict[str, list[Part]] = {}


def add_part(page: str, part: Part) -> None:
    """Show on ``page``, named as its URL is, what ``part`` returns for a request and the subject of the page."""
    _parts.setdefault(page, []).append(part)


def parts_of(page: str, request: HttpRequest, subject: Any) -> dict[str, Any]:
    """What all parts return for ``subject``, as context of a template."""
    return {name: value for part in _parts.get(page, ()) for name, value in part(request, subject).items()}
