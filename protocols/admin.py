"""Browsing protocols, and editing drafts. The database freezes published versions; these pages say so beforehand."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.services import publish_version


def version_of(obj: Model) -> ProtocolVersion | None:
    match obj:
        case ProtocolVersion():
            return obj
        case Criterion():
            return obj.version
        case Option() | Example():
            return obj.criterion.version
        case Explanation():
            return obj.option.criterion.version
    return None


def is_frozen(obj: Model | None) -> bool:
    version = version_of(obj) if obj else None
    return version is not None and version.status != ProtocolVersion.Status.DRAFT


class FrozenMixin:
    """Changes are for drafts. Django asks an inline about its parent object."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not is_frozen(obj) and super().has_add_permission(request, *self._parent(obj))  # type: ignore[misc]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not is_frozen(obj) and super().has_change_permission(request, obj)  # type: ignore[misc]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not is_frozen(obj) and super().has_delete_permission(request, obj)  # type: ignore[misc]

    def _parent(self, obj: Model | None) -> tuple[Model | None, ...]:
        return (obj,) if isinstance(self, admin.options.InlineModelAdmin) else ()


class PartAdmin(FrozenMixin, admin.ModelAdmin):
    """A part is added on its parent's page and never moves: the database refuses both elsewhere."""

    parent: str

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [self.parent]


class CriterionInline(FrozenMixin, admin.StackedInline):
    model = Criterion
    extra = 0
    show_change_link = True


class OptionInline(FrozenMixin, admin.StackedInline):
    model = Option
    extra = 0
    show_change_link = True


class ExampleInline(FrozenMixin, admin.StackedInline):
    model = Example
    extra = 0


class ExplanationInline(FrozenMixin, admin.StackedInline):
    model = Explanation
    extra = 0


@admin.register(Protocol)
class ProtocolAdmin(admin.ModelAdmin):
    list_display = ["slug", "name", "created_at"]
    search_fields = ["slug", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Protocol | None = None) -> list[str]:
        published = obj and obj.versions.exclude(status=ProtocolVersion.Status.DRAFT).exists()
        return ["slug", "name"] if published else []


@admin.register(ProtocolVersion)
class ProtocolVersionAdmin(FrozenMixin, admin.ModelAdmin):
    list_display = ["protocol", "version", "status", "language", "published_at"]
    list_filter = ["status", "protocol", "language"]
    list_select_related = ["protocol"]
    search_fields = ["protocol__slug", "protocol__name", "version"]
    readonly_fields = ["status", "sha256", "published_at", "created_at"]
    inlines = [CriterionInline]
    actions = ["publish"]

    @admin.action(description=_("Publish: freeze the selected drafts"), permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[ProtocolVersion]) -> None:
        for version in queryset.select_related("protocol"):
            try:
                publish_version(version, now=timezone.now())
            except InvalidBundle as error:
                said = gettext("%(version)s is not published. %(why)s") % {"version": version, "why": error}
                self.message_user(request, said, messages.ERROR)
            else:
                said = gettext("%(version)s is published.") % {"version": version}
                self.message_user(request, said, messages.SUCCESS)


@admin.register(Criterion)
class CriterionAdmin(PartAdmin):
    parent = "version"
    list_display = ["name", "version", "scale", "position"]
    list_select_related = ["version__protocol"]
    list_filter = ["version__protocol"]
    search_fields = ["name", "key"]
    inlines = [OptionInline, ExampleInline]


@admin.register(Option)
class OptionAdmin(PartAdmin):
    parent = "criterion"
    list_display = ["label", "criterion", "role", "value", "asks", "position"]
    list_select_related = ["criterion"]
    list_filter = ["criterion__version__protocol"]
    search_fields = ["label", "key"]
    inlines = [ExplanationInline]
