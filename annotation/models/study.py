"""Studies, their members with roles, and their annotators under pseudonyms."""

import secrets
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from measures import labels as words
from protocols.models import ProtocolVersion


def make_seed() -> int:
    return secrets.randbelow(2**31)


def make_token() -> str:
    return secrets.token_urlsafe(24)


class Study(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft", pgettext_lazy("status of a study or batch", "Draft")
        OPEN = "open", pgettext_lazy("status of a study or batch", "Open")
        CLOSED = "closed", pgettext_lazy("status of a study or batch", "Closed")

    class MajorityRule(models.TextChoices):
        PLURALITY = "plurality", _("positive has strictly more votes than every other option")
        ABSOLUTE = "absolute", _("positive has more than half of all votes")
        DECIDED = "decided", _("positive has strictly more votes than negative, not counting unsure votes")

    class WordScale(models.TextChoices):
        LANDIS_KOCH = (
            words.WordScale.LANDIS_KOCH,
            _("Landis and Koch (1977): poor, slight, fair … almost perfect"),
        )
        KRIPPENDORFF = words.WordScale.KRIPPENDORFF, _("Krippendorff (2004): unreliable, tentative, reliable")
        NONE = words.WordScale.NONE, _("No verbal scale")

    class TextFormat(models.TextChoices):
        PLAIN = "plain", _("As typed: every character and line break")
        MARKDOWN = "markdown", _("Formatted as Markdown: lists, tables, code, bold")

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    protocol_version = models.ForeignKey("protocols.ProtocolVersion", models.PROTECT, related_name="studies")
    content_language = models.CharField(
        max_length=20, blank=True, help_text="Of the protocol's texts as annotators read them; empty: its main one."
    )
    text_format = models.CharField(
        max_length=10,
        choices=TextFormat,
        default=TextFormat.PLAIN,
        db_default=TextFormat.PLAIN,
        help_text="How dialogues and responses are shown.",
    )
    expected_minutes = models.PositiveSmallIntegerField(null=True, blank=True, help_text="If not the protocol's.")
    max_minutes = models.PositiveSmallIntegerField(null=True, blank=True, help_text="If not the protocol's.")
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    is_dealt_to_groups = models.BooleanField(
        default=False,
        db_default=False,
        help_text="The group of the first annotator takes the batch; nobody from another group may join.",
    )
    seats = models.PositiveSmallIntegerField(default=3, help_text="Votes per item: annotators of each batch.")
    seed = models.PositiveIntegerField(default=make_seed, help_text="Everything random is drawn from this number.")
    majority_rule = models.CharField(max_length=12, choices=MajorityRule, default=MajorityRule.PLURALITY)
    word_scale = models.CharField(
        max_length=12,
        choices=WordScale,
        default=WordScale.LANDIS_KOCH,
        db_default=WordScale.LANDIS_KOCH,
        help_text="The verbal scale shown beside coefficients of agreement.",
    )
    kappa_floor = models.FloatField(
        null=True, blank=True, help_text="Annotators whose kappa with the others lies surely below it are marked."
    )
    equivalence_margin = models.FloatField(
        null=True,
        blank=True,
        help_text="Sources whose difference is shown to be smaller, in per cent of the scale, are called equivalent.",
    )
    platform = models.CharField(max_length=100, blank=True, help_text="Where annotators come from.")
    pay_amount = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True, help_text="For a batch.")
    pay_currency = models.CharField(max_length=3, blank=True, help_text="ISO code, for example GBP.")
    consent_text = models.TextField(blank=True)
    consent_version = models.CharField(max_length=40, default="1")
    is_joinable = models.BooleanField(default=False, help_text="Anyone with the invitation link may join.")
    is_clearing_on_join = models.BooleanField(
        default=False, help_text="People who join may rate without being cleared."
    )
    has_qualification = models.BooleanField(
        default=False, db_default=False, help_text="Newcomers qualify by the study's rule before they are cleared."
    )
    join_token = models.CharField(max_length=40, unique=True, default=make_token, editable=False)
    imported_record = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        editable=False,
        help_text="How the study was conducted before it was imported, from its archive. Empty for a study made here.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(condition=Q(seats__gte=1), name="study_has_a_seat"),
            models.CheckConstraint(
                condition=Q(kappa_floor__isnull=True) | Q(kappa_floor__gte=-1, kappa_floor__lte=1),
                name="kappa_floor_is_a_kappa",
                violation_error_message=_("A kappa lies between -1 and 1."),
            ),
            models.CheckConstraint(
                condition=Q(equivalence_margin__isnull=True) | Q(equivalence_margin__gt=0, equivalence_margin__lt=100),
                name="equivalence_margin_is_a_part_of_the_scale",
                violation_error_message=_("A margin is more than 0 and less than 100 per cent of the scale."),
            ),
            models.CheckConstraint(
                condition=Q(pay_amount__isnull=True) | (Q(pay_amount__gte=0) & ~Q(pay_currency="")),
                name="pay_names_its_currency",
                violation_error_message=_(
                    "Enter the pay as an amount of 0 or more with its currency, for example GBP."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def minutes_expected(self) -> int:
        """Return the expected minutes of a batch: of the largest main batch, if the time depends on the size."""
        return self.minutes_for(self._largest_batch)[0]

    @property
    def minutes_at_most(self) -> int:
        """Return the minutes after which a seat is released: in the largest main batch, if they depend on the size."""
        return self.minutes_for(self._largest_batch)[1]

    def minutes_for(self, n_items: int) -> tuple[int, int]:
        """Return (expected, maximum) minutes for a batch of this size. The study's own times hold for every batch."""
        expected, most = self.protocol_version.minutes_for(n_items)
        return self.expected_minutes or expected, self.max_minutes or most

    @cached_property
    def _largest_batch(self) -> int:
        """Return the items of the largest main batch, 0 if no time depends on them or there is no batch yet.

        Batches of which all seats are imported take nobody's time here, unless the study has no others.
        """
        if self.pk is None or not self.protocol_version.batch_items:
            return 0
        is_imported = Q(seats__assignment__participant__is_imported=True)
        main = self.batches.filter(kind="main")
        counted = main.annotate(
            seats_in_all=models.Count("seats"), seats_imported=models.Count("seats", filter=is_imported)
        )
        own = counted.filter(Q(seats_in_all=0) | Q(seats_in_all__gt=models.F("seats_imported")))
        for batches in (own, main):
            largest = batches.order_by("-n_items").values_list("n_items", flat=True).first()
            if largest:
                return int(largest)
        return 0


class Membership(models.Model):
    """One role of one person in one study."""

    class Role(models.TextChoices):
        OWNER = "owner", _("Owner")
        RESEARCHER = "researcher", _("Researcher")
        LEAD = "lead", _("Team lead")
        TRAINER = "trainer", _("Trainer")
        CONTROLLER = "controller", _("Controller")
        ANNOTATOR = "annotator", _("Annotator")
        OBSERVER = "observer", _("Observer")

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="one_role_per_person_and_study")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.study}"


# For use within a sentence, as in "You are owner of this study".
ROLE_WORDS: dict[str, Any] = {
    Membership.Role.OWNER: pgettext_lazy("within a sentence", "owner"),
    Membership.Role.RESEARCHER: pgettext_lazy("within a sentence", "researcher"),
    Membership.Role.LEAD: pgettext_lazy("within a sentence", "team lead"),
    Membership.Role.TRAINER: pgettext_lazy("within a sentence", "trainer"),
    Membership.Role.CONTROLLER: pgettext_lazy("within a sentence", "controller"),
    Membership.Role.ANNOTATOR: pgettext_lazy("within a sentence", "annotator"),
    Membership.Role.OBSERVER: pgettext_lazy("within a sentence", "observer"),
}


class Group(models.Model):
    """Annotators who take batches together."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="groups")
    name = models.CharField(max_length=80)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="one_group_name_per_study")]

    def __str__(self) -> str:
        return self.name


class Participant(models.Model):
    """An annotator as the study knows them: a pseudonym, and a status that decides what may be claimed."""

    class Status(models.TextChoices):
        PENDING = "pending", pgettext_lazy("status of an annotator", "Pending")
        QUALIFYING = "qualifying", pgettext_lazy("status of an annotator", "Qualifying")
        FAILED = "failed", pgettext_lazy("status of an annotator", "Not qualified")
        CLEARED = "cleared", pgettext_lazy("status of an annotator", "Cleared")
        PAUSED = "paused", pgettext_lazy("status of an annotator", "Paused")
        EXCLUDED = "excluded", pgettext_lazy("status of an annotator", "Excluded")

    class Panel(models.TextChoices):
        """The panel rates pilots and qualification dialogues. Candidates are compared with it."""

        NONE = "", pgettext_lazy("place of an annotator in the panel", "Not in the panel")
        EXPERT = "expert", pgettext_lazy("place of an annotator in the panel", "Expert")
        NON_EXPERT = "non_expert", pgettext_lazy("place of an annotator in the panel", "Non-expert")

    study = models.ForeignKey(Study, models.CASCADE, related_name="participants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="participations")
    pseudonym = models.CharField(max_length=80)
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    panel = models.CharField(max_length=10, choices=Panel, default=Panel.NONE, db_default="", blank=True)
    group = models.ForeignKey(Group, models.SET_NULL, null=True, blank=True, related_name="participants")
    is_imported = models.BooleanField(default=False)
    consented_at = models.DateTimeField(null=True, blank=True)
    consent_version = models.CharField(max_length=40, blank=True)
    briefed_version = models.ForeignKey(
        ProtocolVersion,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The version whose texts they have read.",
    )
    joined_on = models.UUIDField(
        null=True,
        blank=True,
        editable=False,
        help_text="The form that made the account, so that sending it twice makes one.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["study", "status"], name="participants_by_status")]
        constraints = [
            models.UniqueConstraint(fields=["study", "pseudonym"], name="one_pseudonym_per_study"),
            models.UniqueConstraint(fields=["study", "user"], name="one_participation_per_person_and_study"),
            models.UniqueConstraint(fields=["study", "joined_on"], name="one_account_per_form_that_was_sent"),
            models.CheckConstraint(
                condition=Q(is_imported=True) | Q(user__isnull=False),
                name="only_imported_participants_lack_a_user",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class StatusChange(models.Model):
    """One change of an annotator's status, with who decided it and why. Rows are only added."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="status_changes")
    before = models.CharField(max_length=10, choices=Participant.Status)
    after = models.CharField(max_length=10, choices=Participant.Status)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text="Empty: decided by a rule."
    )
    reason = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["participant", "-id"], name="changes_of_participant")]

    def __str__(self) -> str:
        return f"{self.participant}: {self.before} to {self.after}"
