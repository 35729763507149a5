"""Pagination of lists in the API: clients may ask for up to 500 rows at once."""

from rest_framework.pagination import PageNumberPagination


class Pagination(PageNumberPagination):
    page_size_query_param = "page_size"
    max_page_size = 500
