"""What a user may do with a row, for templates: no query for each row."""

from typing import Any

from django import template

from dashboard.projects.access import may
from dashboard.projects.models import Role

register = template.Library()


@register.filter
def may_read(user: Any, row: Any) -> bool:
    """Return whether ``user`` may read ``row``."""
    return row is not None and may(user, row, Role.VIEWER)


@register.filter
def may_change(user: Any, row: Any) -> bool:
    """Return whether ``user`` may change ``row``, and add to it."""
    return may(user, row, Role.EDITOR)


@register.filter
def may_delete(user: Any, row: Any) -> bool:
    """Return whether ``user`` may delete ``row``."""
    return may(user, row, Role.OWNER)
