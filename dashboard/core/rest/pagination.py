"""How lists are paged."""

from rest_framework.pagination import PageNumberPagination


class Pages(PageNumberPagination):
    """50 a page, up to 200 by ``page_size``."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
