"""Describe rows as the API shows them and bodies as it accepts them. Services check and change the data."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.access import RIGHTS, Right
from annotation.api.strict import StrictSerializer
from annotation.dealing import COUNTED, DIALOGUES
from annotation.forms import RESERVED_SLUGS
from annotation.importing.outcome import RECORDS, LineError, in_words, number_of_place
from annotation.models import Batch, ImportJob, Membership, Participant, Rating, Study
from annotation.selectors.studies import find_account
from annotation.services.repeating import not_beside_a_pilot
from annotation.services.status import LONGEST_REASON, missing_reason
from protocols.models import Option, ProtocolVersion
from protocols.selectors import find_version


class StudySerializer(StrictSerializer, serializers.ModelSerializer):
    """A study. `protocol` is slug@version; a slug alone means the highest published version."""

    protocol = serializers.CharField(max_length=130, source="protocol_version")
    role = serializers.CharField(source="my_role", read_only=True, help_text="Your own role in the study.")

    class Meta:
        model = Study
        fields = (
            "slug", "name", "description", "protocol", "status", "seats", "majority_rule", "word_scale", "kappa_floor",
            "equivalence_margin", "platform", "pay_amount", "pay_currency", "consent_text", "consent_version",
            "content_language", "text_format", "expected_minutes", "max_minutes", "is_joinable", "is_clearing_on_join",
            "role", "created_at",
        )  # fmt: skip
        read_only_fields = ("status", "created_at")
        extra_kwargs = {
            "seats": {"min_value": 1, "max_value": 1000},
            "kappa_floor": {"min_value": -1, "max_value": 1},
            "equivalence_margin": {"min_value": 1, "max_value": 99},
        }

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        if self.instance is not None and not isinstance(self.instance, list):
            fields["slug"].read_only = True
        return fields

    def validate_slug(self, slug: str) -> str:
        if slug in RESERVED_SLUGS:
            raise serializers.ValidationError(_("This slug is reserved. Choose another one."))
        return slug

    def validate_protocol(self, name: str) -> ProtocolVersion:
        try:
            return find_version(name)
        except ProtocolVersion.DoesNotExist as error:
            raise serializers.ValidationError(str(error)) from None

    def to_representation(self, study: Study) -> dict[str, Any]:
        """Show an annotator no more of a study than they see while rating."""
        if Right.WATCH not in RIGHTS.get(getattr(study, "my_role", ""), frozenset()):
            return BriefStudySerializer(study).data
        version = study.protocol_version
        return super().to_representation(study) | {"protocol": f"{version.protocol.slug}@{version.version}"}


class BriefStudySerializer(serializers.ModelSerializer):
    """A study as its annotators see it."""

    class Meta:
        model = Study
        fields = ("slug", "name", "status")
        read_only_fields = fields


class StatusSerializer(StrictSerializer):
    status = serializers.ChoiceField(choices=["open", "closed"])


class MembershipSerializer(StrictSerializer, serializers.ModelSerializer):
    account = serializers.CharField(
        source="user.username", max_length=254, help_text="A username; when adding, an e-mail address will do too."
    )

    class Meta:
        model = Membership
        fields = ("id", "account", "role", "created_at")
        read_only_fields = ("created_at",)

    def validate_account(self, name: str) -> User:
        user = find_account(name)
        if user is None:
            raise serializers.ValidationError(_("There is no active account with this name."))
        return user


class RoleSerializer(StrictSerializer):
    role = serializers.ChoiceField(choices=Membership.Role.choices)


class ParticipantSerializer(serializers.ModelSerializer):
    account = serializers.CharField(source="user.username", read_only=True, default="", allow_null=True)
    n_submitted = serializers.IntegerField(read_only=True)
    n_active = serializers.IntegerField(read_only=True)

    class Meta:
        model = Participant
        fields = ("token", "pseudonym", "account", "status", "is_imported", "n_submitted", "n_active", "created_at")
        read_only_fields = fields


class PersonStatusSerializer(StrictSerializer):
    status = serializers.ChoiceField(choices=Participant.Status.choices)
    reason = serializers.CharField(
        default="", allow_blank=True, max_length=LONGEST_REASON,
        help_text="Needed to exclude somebody, and for whoever has not qualified.",
    )  # fmt: skip

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        missing = missing_reason(cast(Participant, self.instance), values["status"], values["reason"])
        if missing:
            raise serializers.ValidationError({"reason": missing})
        return values


class BatchSerializer(serializers.ModelSerializer):
    n_seats = serializers.IntegerField(read_only=True)
    n_taken = serializers.IntegerField(read_only=True)
    n_submitted = serializers.IntegerField(read_only=True)

    class Meta:
        model = Batch
        fields = ("key", "kind", "status", "position", "n_items", "n_seats", "n_taken", "n_submitted", "created_at")
        read_only_fields = fields


OF_REPETITION = ("same_as", "kind", "seats")  # what a batch that repeats a pilot takes


class MakeBatchesSerializer(StrictSerializer):
    """How dialogues are dealt out. `size` is required unless `by` is `given`, `field` if `by` is `stratified`."""

    by = serializers.ChoiceField(choices=["given", "size", "stratified"], default="given")
    size = serializers.IntegerField(
        min_value=1,
        max_value=100_000,
        required=False,
        allow_null=True,
        help_text="Dialogues per batch; each turn of a conversation is one, and so is each pair of whole dialogues.",
    )
    counts = serializers.ChoiceField(
        choices=COUNTED,
        default=DIALOGUES,
        help_text="What `size` counts: dialogues, or conversations (scenarios, where whole dialogues are compared).",
    )
    field = serializers.CharField(max_length=200, required=False, allow_null=True)
    k = serializers.IntegerField(
        min_value=1, max_value=1000, required=False, allow_null=True, help_text="Sources shown of each dialogue."
    )
    n_pairs = serializers.IntegerField(
        min_value=1,
        max_value=1000,
        required=False,
        allow_null=True,
        help_text="Of a protocol that compares: the pairs of sources shown of each dialogue, or of each scenario of "
        "whole dialogues. All when left out.",
    )
    repeat_percent = serializers.IntegerField(
        min_value=1,
        max_value=100,
        required=False,
        allow_null=True,
        help_text="Of a protocol that compares: how many of the pairs are shown again with their sides swapped.",
    )
    seats = serializers.IntegerField(min_value=1, max_value=1000, required=False, allow_null=True)
    n_dialogues = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, allow_null=True, help_text="In this kind altogether."
    )
    kind = serializers.ChoiceField(choices=[(kind.value, kind.label) for kind in Batch.DEALT], default=Batch.Kind.MAIN)
    is_fresh_only = serializers.BooleanField(
        default=False, help_text="Only dialogues that no batch of another kind holds."
    )
    same_as = serializers.CharField(
        max_length=100,
        required=False,
        allow_null=True,
        help_text="The key of a pilot whose items the batch shows. Only `kind` and `seats` may be given with it.",
    )

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if values.get("same_as"):
            self._refuse_beside_a_pilot()
            return {name: values.get(name) for name in OF_REPETITION}
        if values["by"] != "given" and not values.get("size"):
            raise serializers.ValidationError({"size": _("Enter the number of dialogues per batch.")})
        if values["by"] == "stratified" and not values.get("field"):
            raise serializers.ValidationError({"field": _("Name the metadata field to balance by.")})
        return values

    def _refuse_beside_a_pilot(self) -> None:
        """Raise ValidationError for what would be ignored. A false value, or none, asks for nothing."""
        useless = [name for name, value in self.initial_data.items() if value and name not in OF_REPETITION]
        if useless:
            raise serializers.ValidationError({name: [not_beside_a_pilot(useless)] for name in useless})


class LineErrorSerializer(serializers.Serializer):
    line = serializers.SerializerMethodField(help_text="From 1; 0 for the file as a whole, or if `record` says where.")
    record = serializers.SerializerMethodField(help_text="From 1, in a list whose records share a line; otherwise 0.")
    field = serializers.CharField()
    reason = serializers.SerializerMethodField(help_text="With what to do, in the fields of this API.")

    def get_line(self, kept: dict[str, Any]) -> int:
        return 0 if kept["line"] >= RECORDS else kept["line"]

    def get_record(self, kept: dict[str, Any]) -> int:
        return number_of_place(kept["line"]) if kept["line"] >= RECORDS else 0

    def get_reason(self, kept: dict[str, Any]) -> str:
        return LineError.from_stored(kept).for_api().reason


class ImportSummarySerializer(serializers.Serializer):
    """A summary of what was stored or, after a dry run, would be stored. Empty until the import is done.

    With errors, it has the new sources and the warnings only, as far as they are known.
    """

    format = serializers.CharField(required=False)
    is_dry_run = serializers.BooleanField(required=False)
    counts = serializers.DictField(child=serializers.IntegerField(), required=False)
    notes = serializers.ListField(child=serializers.CharField(), required=False)
    warnings = serializers.ListField(child=serializers.CharField(), required=False)
    sources = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The first of the new sources."
    )
    removed = serializers.DictField(
        child=serializers.IntegerField(), required=False, help_text="Of an import that was taken back."
    )


class ImportJobSerializer(serializers.ModelSerializer):
    errors = LineErrorSerializer(many=True, read_only=True, help_text="The first 200.")  # type: ignore[assignment]
    summary = serializers.SerializerMethodField()

    class Meta:
        model = ImportJob
        fields = (
            "token", "kind", "format", "file_name", "file_sha256", "is_dry_run", "status", "phase", "n_done", "n_total",
            "summary", "errors", "n_errors", "created_at", "started_at", "finished_at",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(ImportSummarySerializer)
    def get_summary(self, job: ImportJob) -> dict[str, Any]:
        if "warnings" not in job.summary:
            return job.summary
        return job.summary | {"warnings": [in_words(each, "api") for each in job.summary["warnings"]]}


class RatingFilterSerializer(serializers.Serializer):
    batch = serializers.CharField(required=False, max_length=100, help_text="The key of a batch.")
    criterion = serializers.CharField(required=False, max_length=80, help_text="The key of a criterion.")


class ReasonSerializer(serializers.Serializer):
    key = serializers.CharField()
    sub_dimension = serializers.CharField()


class RatingSerializer(serializers.ModelSerializer):
    """The current answer of an annotator to one criterion of one item."""

    annotator = serializers.CharField(source="assignment.participant.pseudonym", read_only=True)
    batch = serializers.CharField(source="batch.key", read_only=True)
    unit = serializers.CharField(source="item.unit", read_only=True)
    dialogue = serializers.CharField(
        source="item.dialogue.key", read_only=True, default=None, allow_null=True, help_text="None of a whole model."
    )
    conversation = serializers.CharField(
        source="item.dialogue.conversation", read_only=True, default=None, allow_null=True
    )
    scenario = serializers.CharField(source="item.dialogue.scenario", read_only=True, default="")
    candidate = serializers.CharField(source="item.candidate.key", read_only=True, default=None, allow_null=True)
    first_source = serializers.SerializerMethodField(help_text="Of a comparison, as the second one; otherwise None.")
    second_source = serializers.SerializerMethodField()
    preferred = serializers.SerializerMethodField(help_text="The source that the answer to a comparison prefers.")
    speaker = serializers.CharField(source="item.candidate.speaker", read_only=True, default="")
    source = serializers.CharField(  # type: ignore[assignment] # a field may be named like an attribute of fields
        source="item.source.key", read_only=True, default=None, allow_null=True
    )
    criterion = serializers.CharField(source="criterion.key", read_only=True)
    version = serializers.CharField(source="criterion.version.version", read_only=True)
    option = serializers.CharField(source="option.key", read_only=True, default=None, allow_null=True)
    options = serializers.SerializerMethodField(help_text="The chosen options of a multiple choice.")
    explanations = serializers.SerializerMethodField()
    is_counted = serializers.SerializerMethodField(
        help_text="False without a seat, while the question is not asked, or under another version of the protocol."
    )

    class Meta:
        model = Rating
        fields = (
            "id", "annotator", "batch", "unit", "dialogue", "conversation", "scenario", "candidate", "speaker",
            "source", "first_source", "second_source", "preferred", "is_swapped", "version", "criterion", "option",
            "options", "turns", "explanations", "free_text", "revision", "is_counted", "answered_at",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_first_source(self, rating: Rating) -> str | None:
        return self._sides(rating)[0]

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_second_source(self, rating: Rating) -> str | None:
        return self._sides(rating)[1]

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_preferred(self, rating: Rating) -> str | None:
        sides = dict(zip((Option.Role.LEFT, Option.Role.RIGHT), self._sides(rating), strict=True))
        return sides.get(Option.Role(rating.option.role)) if rating.option else None

    def _sides(self, rating: Rating) -> tuple[str | None, str | None]:
        sides: tuple[str | None, str | None] = self.context["sides"].get(rating.item_id, (None, None))
        return sides

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_options(self, rating: Rating) -> list[str]:
        return [self.context["options"][pk] for pk in rating.choices if pk in self.context["options"]]

    @extend_schema_field(ReasonSerializer(many=True))
    def get_explanations(self, rating: Rating) -> list[dict[str, str]]:
        return [self.context["reasons"][pk] for pk in rating.explanations if pk in self.context["reasons"]]

    @extend_schema_field(OpenApiTypes.BOOL)
    def get_is_counted(self, rating: Rating) -> bool:
        is_held = getattr(rating.assignment, "seat", None) is not None
        return is_held and rating.is_active and rating.criterion.version_id == self.context["version"]
