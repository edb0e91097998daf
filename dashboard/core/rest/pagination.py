"""How lists are paged."""

import re
from typing import Any

from django.core.paginator import Paginator
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from dashboard.core.errors import must_be
from dashboard.core.paging import KeyPaginator

_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)


class Pages(PageNumberPagination):
    """25 a page, up to 200 by ``page_size``."""

    django_paginator_class = KeyPaginator

    page_size = 25
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int:
        """Return the requested size.

        Raises
        ------
        ParameterError
            It is not a whole number from 1 to ``max_page_size``.
        """
        text = request.query_params.get(self.page_size_query_param, str(self.page_size))
        if not _WHOLE.fullmatch(text) or not 1 <= int(text) <= self.max_page_size:
            raise must_be("page_size", f"a whole number from 1 to {self.max_page_size}", text)
        return int(text)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        limits = {"page": {"minimum": 1}, "page_size": {"minimum": 1, "maximum": self.max_page_size}}
        parameters: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        return [parameter | {"schema": parameter["schema"] | limits[parameter["name"]]} for parameter in parameters]


class SequencePages(Pages):
    """Pages of what is no queryset, and of small rows: up to 5,000."""

    django_paginator_class = Paginator
    max_page_size = 5_000
