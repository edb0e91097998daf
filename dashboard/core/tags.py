"""Tags: short texts by which a user groups rows, stored as a text ",first,second,"."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from dashboard.core.errors import must_be
from dashboard.core.paging import parts_of
from dashboard.core.text import one_line
from privacy_engine.errors import ParameterError

MOST = 10
LONGEST = 30
LENGTH = MOST * (LONGEST + 1) + 1
"""Of the stored text."""


def parse_tags(tags: Sequence[str]) -> str:
    """Return what is stored of ``tags``, each once.

    Raises
    ------
    ParameterError
        There are more than :data:`MOST`, or a tag is longer than :data:`LONGEST` characters or contains a comma.

    >>> parse_tags(["pilot", " 2024 ", "pilot", ""]), parse_tags([])
    (',pilot,2024,', '')
    """
    distinct = list(dict.fromkeys(filter(None, (one_line(tag, LONGEST + 1) for tag in tags))))
    for tag in distinct:
        if len(tag) > LONGEST or "," in tag:
            rule = f"at most {LONGEST} characters, without a comma"
            raise ParameterError(f"tags must have {rule}, got {tag!r}", field="tags", rule=rule, value=tag)
    if len(distinct) > MOST:
        raise must_be("tags", f"at most {MOST} tags", len(distinct))
    return f",{','.join(distinct)}," if distinct else ""


def tag(row: Any, tags: Sequence[str]) -> None:
    """Group a row by other tags; errors of :func:`parse_tags`."""
    row.stored_tags = parse_tags(tags)
    row.save(update_fields=["stored_tags"])


def tags_of(stored: str) -> list[str]:
    """Return the tags in a stored text.

    >>> tags_of(",pilot,2024,"), tags_of("")
    (['pilot', '2024'], [])
    """
    return [tag for tag in stored.split(",") if tag]


def tag_choices(rows: QuerySet[Any]) -> list[tuple[str, str]]:
    """Return the tags of ``rows``, which have ``stored_tags``, in order, as the choices of a field."""
    tagged = parts_of(rows.exclude(stored_tags="").order_by())
    stored = {text for part in tagged for text in part.values_list("stored_tags", flat=True).distinct()}
    return [(tag, tag) for tag in sorted({tag for text in stored for tag in tags_of(text)})]
