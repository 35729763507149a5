"""Show the data in the admin. What people entered can be read here but is changed only through services."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext

from annotation import models
from annotation.access import signed_in
from annotation.admin_base import ReadOnly
from annotation.forms import StudyForm
from annotation.services.studies import create_study, update_study


class NewStudyForm(StudyForm):
    """Create the study while validating: only creating it checks everything, and errors appear beside their field."""

    made: models.Study
    owner: Any

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if not self.errors:
            try:
                self.made = create_study(owner=self.owner, now=timezone.now(), **self.cleaned_data)
            except ValidationError as refusal:
                self.add_error(None, refusal)


@admin.register(models.Study)
class StudyAdmin(ReadOnly):
    """Create a study as on its page. In an existing study, only fields that no service depends on can change."""

    list_display = ("slug", "name", "status", "protocol_version", "seats", "created_at")
    list_filter = ("status",)
    list_select_related = ("protocol_version__protocol",)
    search_fields = ("slug", "name")
    editable = ("name", "description", "platform")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj:
            return super().get_form(request, obj, change, **kwargs)
        return type("OwnStudyForm", (NewStudyForm,), {"owner": signed_in(request.user)})

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return super().get_fields(request, obj) if obj else list(StudyForm.base_fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [each.name for each in models.Study._meta.fields if each.name not in self.editable] if obj else []

    def view_on_site(self, obj: models.Study) -> str:
        return reverse("study", args=[obj.slug])

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        steps = gettext(
            "Import dialogues, make batches and invite people. Your study's page guides you through these steps."
        )
        link = format_html('{} <a href="{}">{}</a>', steps, self.view_on_site(obj), obj.name)
        answer = super().response_add(request, obj, post_url_continue)
        self.message_user(request, link, messages.INFO)
        return answer

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return super().save_form(request, form, change) if change else form.made

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            update_study(obj, by=signed_in(request.user), now=timezone.now(), **form.cleaned_data)

    def save_related(self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool) -> None:
        """Save nothing: a study has no related forms here."""


@admin.register(models.Source)
class SourceAdmin(ReadOnly):
    list_display = ("key", "name", "study", "is_reference")
    list_filter = ("is_reference",)
    list_select_related = ("study",)
    search_fields = ("key", "name", "study__slug")
    fields = ("study", "key", "name", "is_reference", "position")
    readonly_fields = ("study", "key", "is_reference", "position")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)


def show(
    model: type[Model],
    *columns: str,
    filters: tuple[str, ...] = (),
    related: tuple[str, ...] = (),
    search: tuple[str, ...] = (),
) -> None:
    """Add a page on which the rows of a model can be read."""
    options = {"list_display": columns, "list_filter": filters, "list_select_related": related, "search_fields": search}
    admin.register(model)(type(f"{model.__name__}Admin", (ReadOnly,), options))


show(
    models.Membership, "user", "role", "study", "created_at",
    filters=("role",), related=("user", "study"), search=("user__username", "user__email", "study__slug"),
)  # fmt: skip
show(
    models.Participant, "pseudonym", "status", "study", "user", "is_imported", "created_at",
    filters=("status", "is_imported"), related=("user", "study"), search=("pseudonym", "user__username", "study__slug"),
)  # fmt: skip
show(
    models.Dialogue, "key", "study", "position", "batch_key", "is_textless",
    filters=("is_textless",), related=("study",), search=("key", "study__slug"),
)  # fmt: skip
show(models.Candidate, "key", "dialogue", "source", related=("dialogue", "source"), search=("key", "dialogue__key"))
show(
    models.Batch, "key", "study", "kind", "status", "n_items", "ratings_version",
    filters=("status", "kind"), related=("study",), search=("key", "study__slug"),
)  # fmt: skip
show(
    models.Assignment, "participant", "batch", "status", "claimed_at", "submitted_at", "is_imported",
    filters=("status", "is_imported"),
    related=("participant", "batch"),
    search=("participant__pseudonym", "batch__key", "batch__study__slug"),
)  # fmt: skip
show(
    models.Seat, "batch", "number", "assignment", "lease_expires_at",
    related=("batch", "assignment__participant", "assignment__batch"), search=("batch__key", "batch__study__slug"),
)  # fmt: skip
show(
    models.Item, "token", "batch", "dialogue", "source", "position",
    related=("batch", "dialogue", "source"), search=("batch__key", "dialogue__key"),
)  # fmt: skip
show(
    models.Rating, "pk", "batch", "assignment", "criterion", "option", "revision", "answered_at",
    related=("batch", "assignment__participant", "assignment__batch", "criterion", "option"),
    search=("batch__key", "batch__study__slug", "assignment__participant__pseudonym"),
)  # fmt: skip
show(
    models.RatingRevision, "pk", "rating", "number", "option", "answered_at", "received_at",
    related=("rating__assignment__participant", "rating__batch", "rating__criterion", "option"),
    search=("=rating__pk", "=client_key"),
)  # fmt: skip
show(
    models.AgreementSnapshot, "study", "batch", "version", "n_ratings", "n_wanted", "computed_at",
    related=("study", "batch"), search=("study__slug", "batch__key"),
)  # fmt: skip
show(
    models.AgreementCell, "snapshot", "criterion", "source",
    related=("snapshot__study", "snapshot__batch", "criterion", "source"),
    search=("snapshot__study__slug", "criterion__key"),
)  # fmt: skip
show(
    models.AnnotatorCell, "snapshot", "criterion", "participant",
    related=("snapshot__study", "snapshot__batch", "criterion", "participant"),
    search=("snapshot__study__slug", "criterion__key", "participant__pseudonym"),
)  # fmt: skip
show(
    models.ImportJob, "file_name", "study", "kind", "status", "is_dry_run", "n_errors", "created_at",
    filters=("status", "kind", "is_dry_run"), related=("study",), search=("file_name", "study__slug", "=file_sha256"),
)  # fmt: skip
show(models.Heartbeat, "queue", "beaten_at")
show(
    models.Metric, "key", "study", "kind", "origin", "is_active", "created_at",
    filters=("kind", "origin", "is_active"), related=("study",), search=("key", "study__slug"),
)  # fmt: skip
show(
    models.JudgeRun, "name", "study", "model", "endpoint", "status", "n_answered", "n_total", "created_at",
    filters=("status",), related=("study",), search=("name", "model", "study__slug"),
)  # fmt: skip
