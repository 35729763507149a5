"""The admin pages of protocols: one page edits a version with all its parts; it is read-only unless a draft."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import nested_admin
from django.contrib import admin, messages
from django.contrib.auth import get_permission_codename
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Model, QuerySet
from django.forms import Field, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils import timezone
from django.utils.functional import keep_lazy_text
from django.utils.html import format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from protocols import services
from protocols.admin_faults import NAMES_OF_PARTS, faults_of
from protocols.admin_forms import (
    CriteriaFormSet,
    NewVersionForm,
    PartForm,
    PartFormSet,
    ProtocolForm,
    VersionForm,
    form_field,
    label_of,
    words_of,
)
from protocols.bundles import check_bundle, complete_bundle, dump_bundle
from protocols.forms import PublishForm
from protocols.labels import place_words
from protocols.linting import lint
from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import next_version_name

Status = ProtocolVersion.Status
Shown = str | Callable[[Any], str]
PARENTS: dict[type, str] = {Explanation: "option", Option: "criterion", Example: "criterion", Criterion: "version"}


def is_frozen(version: Model | None) -> bool:
    return isinstance(version, ProtocolVersion) and version.pk is not None and version.status != Status.DRAFT


def may_change_parts(request: HttpRequest) -> bool:
    parts = (Criterion, Option, Explanation, Example)
    codenames = (
        get_permission_codename(action, part._meta) for part in parts for action in ("add", "change", "delete")
    )
    return request.user.has_perms([f"protocols.{codename}" for codename in codenames])


def version_of(obj: Model | None) -> Model | None:
    """Return the version that a part belongs to."""
    while type(obj) in PARENTS:
        obj = getattr(obj, PARENTS[type(obj)], None)
    return obj


@cache
def as_shown(field: models.Field) -> Callable[[Any], Any]:
    """Return a read-only display of a model field, with the label and the notation of a draft's form."""
    typed, known = form_field(field, None), words_of(field)
    choices = dict(known.choices) if known else {}
    is_box = isinstance(field, models.BooleanField)

    def shown(row: Any) -> Any:
        value = getattr(row, field.name)
        if is_box:
            return value
        if value in ("", None, {}, []):
            return "-"
        return typed.prepare_value(value) if typed else choices.get(value, value)

    # Without the question mark: the page of a frozen version adds a colon to every label.
    without_mark = keep_lazy_text(lambda question: question.rstrip("?？"))
    shown.short_description = without_mark(label_of(field))  # type: ignore[attr-defined]
    shown.boolean = is_box  # type: ignore[attr-defined]
    return shown


class DocumentMixin:
    """Shared behaviour of the pages of a version and its parts. Editable model fields appear automatically."""

    model: type[Model]
    form = PartForm
    first: Sequence[str] = ()
    left_out: frozenset[str] = frozenset()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not is_frozen(version_of(obj)) and super().has_change_permission(request, obj)  # type: ignore[misc]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not is_frozen(version_of(obj)) and super().has_delete_permission(request, obj)  # type: ignore[misc]

    def formfield_for_dbfield(self, db_field: models.Field, request: HttpRequest, **kwargs: Any) -> Field | None:
        return form_field(db_field, super().formfield_for_dbfield(db_field, request, **kwargs))  # type: ignore[misc]

    def own_fields(self, obj: Model | None) -> list[Shown]:
        editable = [field for field in self.model._meta.fields if field.editable and field.name not in self.left_out]
        rest = [each for each in editable if not each.primary_key and each.name not in self.first]
        chosen = [self.model._meta.get_field(name) for name in self.first] + rest
        # Parts are ordered by their position.
        by_name = ("position",) if is_frozen(version_of(obj)) else [each.name for each in chosen]
        return [each.name if each.name in by_name else as_shown(each) for each in chosen]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Shown]:
        return self.own_fields(obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Shown]:
        return [each for each in self.own_fields(obj) if not isinstance(each, str)]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        fields, n = self.get_fields(request, obj), len(self.first)
        groups: list[Any] = [(None, {"fields": fields[:n]})]
        if fields[n:]:
            groups.append((_("More settings"), {"fields": fields[n:], "classes": ["collapse"]}))
        return groups


class PartInline(DocumentMixin, nested_admin.NestedStackedInline):
    formset = PartFormSet
    template = "admin/protocols/part.html"
    extra = 0
    sortable_field_name = "position"

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not is_frozen(version_of(obj)) and super().has_add_permission(request, obj)


class ExplanationInline(PartInline):
    model = Explanation
    verbose_name, verbose_name_plural = NAMES_OF_PARTS[Explanation]
    first = ("text", "sub_dimension", "key", "position")
    left_out = frozenset({"option"})


class OptionInline(PartInline):
    model = Option
    verbose_name, verbose_name_plural = NAMES_OF_PARTS[Option]
    first = ("label", "definition", "value", "role", "asks", "position")
    left_out = frozenset({"criterion"})
    inlines = [ExplanationInline]


class ExampleInline(PartInline):
    model = Example
    first = ("title", "history", "candidates", "position")
    left_out = frozenset({"criterion"})


class CriterionInline(PartInline):
    model = Criterion
    formset = CriteriaFormSet
    first = ("name", "question", "kind", "scale", "position")
    left_out = frozenset({"version"})
    inlines = [OptionInline, ExampleInline]


@admin.register(Protocol)
class ProtocolAdmin(admin.ModelAdmin):
    form = ProtocolForm
    list_display = ["slug", "name", "created_at"]
    search_fields = ["slug", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Protocol | None = None) -> list[str]:
        published = obj and obj.versions.exclude(status=Status.DRAFT).exists()
        return [*(["slug", "name"] if published else []), *(["versions"] if obj else [])]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Redirect to the form for a new version: a protocol is created together with its first version."""
        return HttpResponseRedirect(new_version_page())

    @admin.display(description=_("Versions"))
    def versions(self, obj: Protocol) -> str:
        rows = obj.versions.order_by("-created_at", "-pk")
        links = [(page_of(row), row.version, f"({row.get_status_display()})") for row in rows]
        more = gettext("Add %(name)s") % {"name": ProtocolVersion._meta.verbose_name}
        links.append((f"{new_version_page()}?protocol={obj.pk}", more, ""))
        return format_html_join("", '<p><a href="{}">{}</a> {}</p>', links)


def published_sentence(version: ProtocolVersion) -> str:
    """Return a message that begins with the protocol's name: the admin capitalises messages, and a key is lowercase."""
    return gettext("%(version)s is published.") % {"version": f"{version.protocol.name} {version.version}"}


def new_version_page() -> str:
    return reverse("admin:protocols_protocolversion_add")


def page_of(version: ProtocolVersion) -> str:
    return reverse("admin:protocols_protocolversion_change", args=[version.pk])


@admin.register(ProtocolVersion)
class ProtocolVersionAdmin(DocumentMixin, nested_admin.NestedModelAdmin):
    list_display = ["protocol", "version", "status", "language", "published_at"]
    list_display_links = ["protocol", "version"]
    list_filter = ["status", "protocol", "language"]
    list_select_related = ["protocol"]
    search_fields = ["protocol__slug", "protocol__name", "version"]
    change_form_template = "admin/protocols/version.html"
    form = VersionForm
    first = ("version", "language", "unit", "order", "summary")
    left_out = frozenset({"protocol", "parent", "status"})
    inlines = [CriterionInline]
    actions = ["publish"]

    # --- who may change it: a page without some of the parts could not be stored as a whole -----------------
    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and may_change_parts(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and may_change_parts(request)

    # --- the form ------------------------------------------------------------------------------------
    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **({} if obj else {"form": NewVersionForm}), **kwargs)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        (title, own), *rest = super().get_fieldsets(request, obj)
        names = ["protocol", "name", "slug"] if obj is None else ["protocol"]
        hidden = ["revision"] if obj and self.has_change_permission(request, obj) else []
        return [(title, own | {"fields": [*names, *own["fields"], *hidden]}), *rest]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Shown]:
        """Make protocol and version read-only in an existing draft: others cite a version by its name."""
        return [*super().get_readonly_fields(request, obj), *(["protocol", "version"] if obj else [])]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"version": services.FIRST_DRAFT} | super().get_changeform_initial_data(request)

    # --- storing: CriteriaFormSet has already stored the document ----------------------------------------
    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return form.instance

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: CriteriaFormSet has stored the row with the document."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        stored = formsets[0].stored
        form.instance.pk, form.instance.protocol, form.instance.version = stored.pk, stored.protocol, stored.version
        if "_publish" in request.POST:
            services.publish_version(stored, now=timezone.now())

    def construct_change_message(
        self, request: HttpRequest, form: ModelForm, formsets: Iterable[Any], add: bool = False
    ) -> Any:
        return [{"added" if add else "changed": {}}]

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return self._published(request, obj) or super().response_add(request, obj, post_url_continue)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._published(request, obj) or super().response_change(request, obj)

    def _published(self, request: HttpRequest, obj: ProtocolVersion) -> HttpResponse | None:
        if "_publish" not in request.POST:
            return None
        self.message_user(request, published_sentence(obj), messages.SUCCESS)
        return HttpResponseRedirect(page_of(obj))

    # --- deleting a draft ----------------------------------------------------------------------------
    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """List only the drafts: delete_draft removes their parts, which Django would report as protected."""
        return [str(each) for each in objs], {str(self.opts.verbose_name_plural): len(objs)}, set(), []

    def delete_model(self, request: HttpRequest, obj: ProtocolVersion) -> None:
        services.delete_draft(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ProtocolVersion]) -> None:
        for version in queryset:
            try:
                services.delete_draft(version)
            except services.NotDraft as refusal:
                self.message_user(request, str(refusal), messages.ERROR)

    # --- actions on a version ----------------------------------------------------------------------------
    @admin.action(description=_("Publish: freeze the selected drafts"), permissions=["change"])
    def publish(self, request: HttpRequest, queryset: QuerySet[ProtocolVersion]) -> None:
        for version in queryset.select_related("protocol"):
            try:
                services.publish_version(version, now=timezone.now())
            except InvalidBundle as error:
                said = gettext("%(version)s was not published. %(why)s") % {"version": version, "why": error}
                self.message_user(request, said, messages.ERROR)
            else:
                self.message_user(request, published_sentence(version), messages.SUCCESS)

    def get_urls(self) -> list[Any]:
        draft = self.admin_site.admin_view(require_POST(self.new_draft))
        return [path("<int:pk>/draft/", draft, name="protocols_protocolversion_draft"), *super().get_urls()]

    def new_draft(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Copy a version to a draft with the next free name and redirect to the draft."""
        version = self.get_object(request, str(pk))
        if version is None or not self.has_add_permission(request):
            raise PermissionDenied
        try:
            draft = services.new_draft(version, version_name=next_version_name(version), now=timezone.now())
        except InvalidBundle as refusal:
            said = gettext("%(version)s was not copied. %(why)s") % {"version": version, "why": refusal}
            self.message_user(request, said, messages.ERROR)
            return HttpResponseRedirect(page_of(version))
        said = gettext("%(draft)s is a draft with the contents of %(version)s.")
        self.message_user(request, said % {"draft": draft, "version": version}, messages.SUCCESS)
        return HttpResponseRedirect(page_of(draft))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        obj = context.get("original")
        doc = dump_bundle(obj) if obj and not is_frozen(obj) else None  # warnings are about drafts without faults
        more = {
            "why_frozen": services.not_draft_sentence(obj) if is_frozen(obj) else "",
            "may_draft": self.has_add_permission(request),
            "next_name": next_version_name(obj) if obj else "",
            "show_publish": not is_frozen(obj),
            "sure_label": PublishForm.base_fields["is_sure"].label,
            "warnings": [
                {"place": place_words(each.path), "sentence": each.sentence, "advice": each.advice}
                for each in (lint(complete_bundle(doc)) if doc and not check_bundle(doc) else [])
            ],
            "show_save_and_add_another": False,
            "faults": faults_of(context["adminform"].form, context["inline_admin_formsets"][0].formset)
            if context["errors"]
            else [],
        }
        # Without its own action, the form would be sent to the page's address with the #fragment of a fault's link.
        kwargs["form_url"] = kwargs.get("form_url") or request.get_full_path()
        return super().render_change_form(request, context | more, *args, **kwargs)
