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


@admin.register(models.Membership)
class MembershipAdmin(ReadOnly):
    list_display = ("user", "role", "study", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "study")
    search_fields = ("user__username", "user__email", "study__slug")


@admin.register(models.Participant)
class ParticipantAdmin(ReadOnly):
    list_display = ("pseudonym", "status", "study", "user", "is_imported", "created_at")
    list_filter = ("status", "is_imported")
    list_select_related = ("user", "study")
    search_fields = ("pseudonym", "user__username", "study__slug")


@admin.register(models.Dialogue)
class DialogueAdmin(ReadOnly):
    list_display = ("key", "study", "position", "batch_key", "is_textless")
    list_filter = ("is_textless",)
    list_select_related = ("study",)
    search_fields = ("key", "study__slug")


@admin.register(models.Candidate)
class CandidateAdmin(ReadOnly):
    list_display = ("key", "dialogue", "source")
    list_select_related = ("dialogue", "source")
    search_fields = ("key", "dialogue__key")


@admin.register(models.Batch)
class BatchAdmin(ReadOnly):
    list_display = ("key", "study", "kind", "status", "n_items", "ratings_version")
    list_filter = ("status", "kind")
    list_select_related = ("study",)
    search_fields = ("key", "study__slug")


@admin.register(models.Assignment)
class AssignmentAdmin(ReadOnly):
    list_display = ("participant", "batch", "status", "claimed_at", "submitted_at", "is_imported")
    list_filter = ("status", "is_imported")
    list_select_related = ("participant", "batch")
    search_fields = ("participant__pseudonym", "batch__key", "batch__study__slug")


@admin.register(models.Seat)
class SeatAdmin(ReadOnly):
    list_display = ("batch", "number", "assignment", "lease_expires_at")
    list_select_related = ("batch", "assignment__participant", "assignment__batch")
    search_fields = ("batch__key", "batch__study__slug")


@admin.register(models.Item)
class ItemAdmin(ReadOnly):
    list_display = ("token", "batch", "dialogue", "source", "position")
    list_select_related = ("batch", "dialogue", "source")
    search_fields = ("batch__key", "dialogue__key")


@admin.register(models.Rating)
class RatingAdmin(ReadOnly):
    list_display = ("pk", "batch", "assignment", "criterion", "option", "revision", "answered_at")
    list_select_related = ("batch", "assignment__participant", "assignment__batch", "criterion", "option")
    search_fields = ("batch__key", "batch__study__slug", "assignment__participant__pseudonym")


@admin.register(models.RatingRevision)
class RatingRevisionAdmin(ReadOnly):
    list_display = ("pk", "rating", "number", "option", "answered_at", "received_at")
    list_select_related = ("rating__assignment__participant", "rating__batch", "rating__criterion", "option")
    search_fields = ("=rating__pk", "=client_key")


@admin.register(models.AgreementSnapshot)
class AgreementSnapshotAdmin(ReadOnly):
    list_display = ("study", "batch", "version", "n_ratings", "n_wanted", "computed_at")
    list_select_related = ("study", "batch")
    search_fields = ("study__slug", "batch__key")


@admin.register(models.AgreementCell)
class AgreementCellAdmin(ReadOnly):
    list_display = ("snapshot", "criterion", "source")
    list_select_related = ("snapshot__study", "snapshot__batch", "criterion", "source")
    search_fields = ("snapshot__study__slug", "criterion__key")


@admin.register(models.AnnotatorCell)
class AnnotatorCellAdmin(ReadOnly):
    list_display = ("snapshot", "criterion", "participant")
    list_select_related = ("snapshot__study", "snapshot__batch", "criterion", "participant")
    search_fields = ("snapshot__study__slug", "criterion__key", "participant__pseudonym")


@admin.register(models.ImportJob)
class ImportJobAdmin(ReadOnly):
    list_display = ("file_name", "study", "kind", "status", "is_dry_run", "n_errors", "created_at")
    list_filter = ("status", "kind", "is_dry_run")
    list_select_related = ("study",)
    search_fields = ("file_name", "study__slug", "=file_sha256")


@admin.register(models.Heartbeat)
class HeartbeatAdmin(ReadOnly):
    list_display = ("queue", "beaten_at")


@admin.register(models.Metric)
class MetricAdmin(ReadOnly):
    list_display = ("key", "study", "kind", "origin", "is_active", "created_at")
    list_filter = ("kind", "origin", "is_active")
    list_select_related = ("study",)
    search_fields = ("key", "study__slug")


@admin.register(models.JudgeRun)
class JudgeRunAdmin(ReadOnly):
    list_display = ("name", "study", "model", "endpoint", "status", "n_answered", "n_total", "created_at")
    list_filter = ("status",)
    list_select_related = ("study",)
    search_fields = ("name", "model", "study__slug")
