"""A window, not a workshop: what people entered is read here and changed through services only."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from annotation import models


class ReadOnly(admin.ModelAdmin):
    show_full_result_count = False  # a count of millions of rows for every page

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(models.Study)
class StudyAdmin(ReadOnly):
    """Only what no service depends on can be changed."""

    list_display = ("slug", "name", "status", "protocol_version", "seats", "created_at")
    list_filter = ("status",)
    list_select_related = ("protocol_version__protocol",)
    search_fields = ("slug", "name")
    editable = ("name", "description", "platform")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [field.name for field in models.Study._meta.fields if field.name not in self.editable]


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
    list_display = ("pseudonym", "standing", "study", "user", "is_imported", "created_at")
    list_filter = ("standing", "is_imported")
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
    list_select_related = ("batch", "assignment")
    search_fields = ("batch__key", "batch__study__slug")


@admin.register(models.Item)
class ItemAdmin(ReadOnly):
    list_display = ("token", "batch", "dialogue", "source", "position")
    list_select_related = ("batch", "dialogue", "source")
    search_fields = ("batch__key", "dialogue__key")


@admin.register(models.Rating)
class RatingAdmin(ReadOnly):
    list_display = ("pk", "batch", "assignment", "criterion", "option", "revision", "answered_at")
    list_select_related = ("batch", "assignment", "criterion", "option")
    search_fields = ("batch__key", "batch__study__slug", "assignment__participant__pseudonym")


@admin.register(models.RatingRevision)
class RatingRevisionAdmin(ReadOnly):
    list_display = ("pk", "rating", "number", "option", "answered_at", "received_at")
    list_select_related = ("rating", "option")
    search_fields = ("=rating__pk", "=client_key")


@admin.register(models.AgreementSnapshot)
class AgreementSnapshotAdmin(ReadOnly):
    list_display = ("study", "batch", "version", "n_ratings", "n_wanted", "computed_at")
    list_select_related = ("study", "batch")
    search_fields = ("study__slug", "batch__key")


@admin.register(models.AgreementCell)
class AgreementCellAdmin(ReadOnly):
    list_display = ("snapshot", "criterion", "source")
    list_select_related = ("snapshot", "criterion", "source")
    search_fields = ("snapshot__study__slug", "criterion__key")


@admin.register(models.AnnotatorCell)
class AnnotatorCellAdmin(ReadOnly):
    list_display = ("snapshot", "criterion", "participant")
    list_select_related = ("snapshot", "criterion", "participant")
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
