"""Pages of long lists."""

from functools import cached_property
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.core.paginator import Page, Paginator
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


class KeyPaginator(Paginator):
    """Pages of a queryset, of which a page's keys are read first and then its rows alone.

    Annotations, related rows and large columns are so computed and read for the rows of a page, never to be sorted.
    """

    @cached_property
    def count(self) -> int:
        """How many rows there are on all pages."""
        return count_of(self.object_list)

    def page(self, number: Any) -> Page:
        """Return the page; errors as Django's."""
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        end = start + self.per_page
        if end + self.orphans >= self.count:
            end = self.count
        return self._get_page(_rows(self.object_list, start, end), number, self)


def count_of(rows: QuerySet[Any]) -> int:
    """Return how many rows there are."""
    return sum(part.count() for part in parts_of(rows))


def first_rows(rows: QuerySet[Any], count: int) -> list[Any]:
    """Return the first ``count`` rows: their keys are read first, as of a page."""
    return _rows(rows, 0, count)


def _rows(rows: QuerySet[Any], start: int, end: int) -> list[Any]:
    keys = _keys(rows, start, end)
    by_key = {row.pk: row for row in rows.filter(pk__in=keys).order_by()}
    return [by_key[key] for key in keys if key in by_key]


def _keys(rows: QuerySet[Any], start: int, end: int) -> list[Any]:
    """The primary keys of rows of a page; of two alternatives in the order of both, merged by the database."""
    parts, order = parts_of(rows), _plain_order(rows)
    if len(parts) == 1 or order is None:
        return list(rows.values_list("pk", flat=True)[start:end])
    names = [name.removeprefix("-") for name in order]
    first, *others = (part.order_by().values_list(*names) for part in parts)
    key = names.index(rows.model._meta.pk.name)
    return [row[key] for row in first.union(*others, all=True).order_by(*order)[start:end]]


def _plain_order(rows: QuerySet[Any]) -> list[str] | None:
    """The names of the columns by which rows are sorted, the primary key last; None where there are expressions."""
    meta = rows.model._meta
    order = [*(rows.query.order_by or (meta.ordering if rows.query.default_ordering else ()))]
    if not rows.query.standard_ordering or not all(isinstance(name, str) for name in order):
        return None
    key = meta.pk.name
    order = [name[:-2] + key if name in ("pk", "-pk") else name for name in order]
    if key not in [name.removeprefix("-") for name in order]:
        order.append(key)
    try:
        for column in order:
            meta.get_field(column.removeprefix("-"))
    except FieldDoesNotExist:  # an annotation, or a column of a related row
        return None
    return order
