"""Pages of long lists."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator


class KeyPaginator(Paginator):
    """Pages of a queryset, of which a page's keys are read first and then its rows alone.

    Annotations, related rows and large columns are so computed and read for the rows of one page, never to be sorted.
    """

    def page(self, number: Any) -> Page:
        """Return the page; errors as Django's."""
        number = self.validate_number(number)
        start = (number - 1) * self.per_page
        end = start + self.per_page
        if end + self.orphans >= self.count:
            end = self.count
        keys = list(self.object_list.values_list("pk", flat=True)[start:end])
        found = {row.pk: row for row in self.object_list.filter(pk__in=keys).order_by()}
        return self._get_page([found[key] for key in keys if key in found], number, self)
