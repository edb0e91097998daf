"""Rows of either of two conditions, read by the index of each.

Joined by OR, two conditions cannot both be read in the order of an index: all rows of both are fetched to sort or count
them. As two queries without common rows each is read in its own order, and only as far as a page needs.
"""

from typing import Any

from django.db.models import QuerySet
from django.db.models.sql.where import AND, OR, WhereNode


class Alternatives(WhereNode):
    """Two conditions joined by OR, of which the first is never unknown. Clones of a query keep the class."""


def mark_alternatives(rows: QuerySet[Any]) -> None:
    """Let :func:`parts_of` know the condition that the last ``filter`` of ``rows`` added: two, joined by OR."""
    children = rows.query.where.children
    last = children[-1]
    if not (isinstance(last, WhereNode) and last.connector == OR and len(last.children) == 2 and not last.negated):
        raise TypeError("the last condition is not two joined by OR")
    children[-1] = Alternatives(last.children, OR)


def parts_of(rows: QuerySet[Any]) -> list[QuerySet[Any]]:
    """Return querysets without common rows that together have those of ``rows``: one or two."""
    where = rows.query.where
    marked = [i for i, child in enumerate(where.children) if isinstance(child, Alternatives)]
    if len(marked) != 1 or where.connector != AND or where.negated or rows.query.is_sliced or rows.query.combinator:
        return [rows]
    first, second = where.children[marked[0]].children
    parts = []
    for condition in ([first], [second, WhereNode([first], AND, negated=True)]):
        part = rows._chain()
        part.query.where.children[marked[0]] = WhereNode(condition, AND)
        parts.append(part)
    return parts
