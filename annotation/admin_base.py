"""Base classes of the admin pages about studies: read-only, and limited to the user's own studies."""

from functools import cache
from typing import Any

from django.contrib import admin
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest

from annotation.access import managed_studies
from annotation.models import Study


@cache
def path_to_study(model: type[Model]) -> str | None:
    """Return the lookup that leads from a row to its study, such as participant__study, or None."""
    level: list[tuple[str, type[Model]]] = [("pk", model)]
    seen: set[type[Model]] = set()
    while level:
        for path, each in level:
            if each is Study:
                return path
        seen |= {each for _path, each in level}
        level = [
            (field.name if path == "pk" else f"{path}__{field.name}", field.related_model)
            for path, each in level
            for field in each._meta.fields
            if isinstance(field, ForeignKey) and not field.null and field.related_model not in seen
        ]
    return None


class ReadOnly(admin.ModelAdmin):
    """Show every row to a superuser, and to everybody else the rows of the studies they may configure."""

    show_full_result_count = False  # it would count millions of rows for every page

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if request.user.is_superuser:
            return rows
        path = path_to_study(self.model)  # type: ignore[arg-type]
        return rows.none() if path is None else rows.filter(**{f"{path}__in": managed_studies(request.user)})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
