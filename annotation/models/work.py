"""How work is dealt out: batches of items, seats that hold the wanted number of votes, assignments and leases."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import pgettext_lazy

from annotation.models.material import Candidate, Dialogue, Source
from annotation.models.study import Group, Participant, Study, make_seed
from protocols.models import ProtocolVersion


class Batch(models.Model):
    class Kind(models.TextChoices):
        PILOT = "pilot", pgettext_lazy("kind of a batch", "Pilot")
        TRAINING = "training", pgettext_lazy("kind of a batch", "Training")
        QUALIFICATION = "qualification", pgettext_lazy("kind of a batch", "Qualification")
        MAIN = "main", pgettext_lazy("kind of a batch", "Main")
        REVIEW = "review", pgettext_lazy("kind of a batch", "Review")
        RE_RATING = "re_rating", pgettext_lazy("kind of a batch", "Re-rating")
        ADJUDICATION = "adjudication", pgettext_lazy("kind of a batch", "Adjudication")

    class Status(models.TextChoices):
        DRAFT = "draft", pgettext_lazy("status of a study or batch", "Draft")
        OPEN = "open", pgettext_lazy("status of a study or batch", "Open")
        CLOSED = "closed", pgettext_lazy("status of a study or batch", "Closed")

    # Kinds that are made from dialogues while preparing a study. The others follow from finished work.
    DEALT = (Kind.MAIN, Kind.PILOT, Kind.TRAINING, Kind.QUALIFICATION)
    REPEATING = (Kind.PILOT, Kind.QUALIFICATION)  # may show exactly what an earlier pilot showed

    study = models.ForeignKey(Study, models.CASCADE, related_name="batches")
    key = models.CharField(max_length=100)
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=14, choices=Kind, default=Kind.MAIN)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    position = models.PositiveIntegerField()
    n_items = models.PositiveIntegerField(default=0)
    round = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="A returned batch is rated again in the next round; earlier ones stay."
    )
    group = models.ForeignKey(Group, models.SET_NULL, null=True, blank=True, related_name="batches")
    reserved_for = models.ForeignKey(
        Participant,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="reserved_batches",
        help_text="Private to one person: a review sample or a re-rating.",
    )
    # Raised last in every transaction that changes the data behind the batch's results.
    ratings_version = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position"]
        verbose_name_plural = "batches"
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_batch_key_per_study")]

    def __str__(self) -> str:
        return self.key

    @property
    def minutes_expected(self) -> int:
        return self.study.minutes_for(self.n_items)[0]

    @property
    def minutes_at_most(self) -> int:
        """Return the minutes after which a seat is released."""
        return self.study.minutes_for(self.n_items)[1]


def _parts_fit_the_unit() -> Q:
    """Return the condition that an item has exactly the dialogue, source and candidate that its unit needs.

    A whole dialogue may have a source or none, and only a comparison may have another dialogue.
    """
    parts = {
        "response": (True, True, True),
        "candidate_set": (True, True, False),
        "model": (False, True, False),
        "comparison": (True, False, False),
    }
    fits = Q()
    for unit, (dialogue, source, candidate) in parts.items():
        fits |= Q(unit=unit, dialogue__isnull=not dialogue, source__isnull=not source, candidate__isnull=not candidate)
    fits |= Q(unit="dialogue", dialogue__isnull=False, candidate__isnull=True)
    return fits & (Q(unit="comparison") | Q(other_dialogue=None))


class Item(models.Model):
    """One thing to rate. Browsers see only the token: ids would reveal the order of import, and so the source.

    A response has a dialogue, a candidate and its source; a candidate set has a dialogue and a source; a model has only
    a source; a dialogue has no candidate, and the source of the dialogue if that has one. A comparison has a dialogue
    and two candidates in `shown`, or two whole dialogues: `dialogue` and `other_dialogue`. Both are in the order of
    their sources: answers are stored for this order, whatever the order on screen.
    """

    # What people see of it, by which copies of an item in other batches are found. Without any of these, items of one
    # batch would be taken for each other.
    CONTENT = ("unit", "dialogue", "candidate", "source", "other_dialogue", "shown")

    # No index of its own: the index items_by_place begins with it.
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="items", db_index=False)
    is_check = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its answer is known, or it repeats another item. It is shown like any other and is never a result.",
    )
    unit = models.CharField(
        max_length=20, choices=ProtocolVersion.Unit, default=ProtocolVersion.Unit.RESPONSE, db_default="response"
    )
    dialogue = models.ForeignKey(Dialogue, models.PROTECT, null=True, blank=True, related_name="items")
    candidate = models.ForeignKey(Candidate, models.PROTECT, null=True, blank=True, related_name="items")
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="items")
    other_dialogue = models.ForeignKey(
        Dialogue,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="other_items",
        db_index=False,  # the index items_by_other_dialogue leaves out all rows without one
        help_text="The whole dialogue that the first one is compared with.",
    )
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    position = models.PositiveIntegerField(help_text="The dialogue's place in the batch.")
    repeats = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="repetitions",
        help_text="The comparison that this one shows again, with its sides swapped.",
    )
    shown = ArrayField(
        models.BigIntegerField(), default=list, blank=True, help_text="Candidates that are rated together, in order."
    )
    asks = ArrayField(
        models.CharField(max_length=80),
        default=list,
        db_default=[],
        blank=True,
        help_text="Of a training item: the questions it asks, by their keys. Empty: all of its unit.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "candidate"], name="one_item_per_batch_and_candidate"),
            models.UniqueConstraint(
                fields=["batch", "dialogue"], condition=Q(unit="dialogue"), name="one_item_per_batch_and_whole_dialogue"
            ),
            models.UniqueConstraint(
                fields=["batch", "dialogue", "source"],
                condition=Q(unit="candidate_set"),
                name="one_item_per_batch_and_candidate_set",
            ),
            models.UniqueConstraint(
                fields=["batch", "source"], condition=Q(unit="model"), name="one_item_per_batch_and_model"
            ),
            models.UniqueConstraint(
                fields=["batch", "dialogue", "shown"],
                condition=Q(unit="comparison", repeats=None, other_dialogue=None),
                name="one_item_per_batch_and_pair",
            ),
            models.UniqueConstraint(
                fields=["batch", "dialogue", "other_dialogue"],
                condition=Q(repeats=None, other_dialogue__isnull=False),
                name="one_item_per_batch_and_pair_of_dialogues",
            ),
            models.CheckConstraint(condition=_parts_fit_the_unit(), name="item_has_what_its_unit_has"),
            models.CheckConstraint(
                condition=~Q(unit="comparison")
                | Q(shown__len=2, other_dialogue=None)
                | Q(shown__len=0, other_dialogue__isnull=False),
                name="comparison_shows_two_sides",
            ),
        ]
        indexes = [
            models.Index(fields=["batch", "position"], name="items_by_place"),
            models.Index(
                fields=["other_dialogue"], condition=Q(other_dialogue__isnull=False), name="items_by_other_dialogue"
            ),
        ]

    def __str__(self) -> str:
        return str(self.token)


class IdenticalPair(models.Model):
    """A pair that was dealt with a batch and is not shown: both sides read the same. It is a tie without votes.

    The sides are two candidates of `dialogue`, or `dialogue` and `other_dialogue`.
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="identical_pairs")
    dialogue = models.ForeignKey(Dialogue, models.PROTECT, related_name="identical_pairs")
    first = models.ForeignKey(Candidate, models.PROTECT, null=True, blank=True, related_name="+")
    second = models.ForeignKey(Candidate, models.PROTECT, null=True, blank=True, related_name="+")
    other_dialogue = models.ForeignKey(
        Dialogue, models.PROTECT, null=True, blank=True, related_name="other_identical_pairs"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "first", "second"], name="one_identical_pair_per_batch"),
            models.UniqueConstraint(
                fields=["batch", "dialogue", "other_dialogue"], name="one_identical_pair_of_dialogues_per_batch"
            ),
            models.CheckConstraint(
                condition=Q(first__isnull=False, second__isnull=False, other_dialogue=None)
                | Q(first=None, second=None, other_dialogue__isnull=False),
                name="identical_pair_has_two_sides",
            ),
        ]


class Assignment(models.Model):
    """One annotator's work on one batch. Its ratings count as long as it holds a seat.

    The seat of imported work may have been added for it alone, beside those that others may take: `has_added_seat`.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"
        SUBMITTED = "submitted"
        EXPIRED = "expired"
        EXCLUDED = "excluded"
        SUPERSEDED = "superseded"

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="assignments")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="assignments")
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    status = models.CharField(max_length=12, choices=Status, default=Status.ACTIVE)
    seed = models.PositiveIntegerField(default=make_seed)
    round = models.PositiveSmallIntegerField(default=1, db_default=1, help_text="Of the batch.")
    claimed_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    feedback = models.TextField(blank=True)
    is_imported = models.BooleanField(default=False)
    has_added_seat = models.BooleanField(default=False, db_default=False)
    swapped = ArrayField(
        models.BigIntegerField(),
        default=list,
        db_default=[],
        blank=True,
        help_text="Comparisons whose second candidate stands on the left for this annotator. Drawn with the seat.",
    )
    is_shuffled = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its screens are in an order of their own, which follows from the seed. Otherwise as in the batch.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "participant", "round"], name="one_assignment_per_batch_annotator_and_round"
            ),
            models.UniqueConstraint(
                fields=["participant"],
                condition=Q(status="active"),
                name="one_active_assignment_per_annotator",
            ),
            models.CheckConstraint(
                condition=Q(submitted_at__isnull=False) | ~Q(status="submitted"),
                name="submitted_work_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.batch}: {self.participant}"


class Reading(models.Model):
    """The time at which an annotator opened a dialogue, by the server's clock. Minimum reading time counts from it."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="readings")
    position = models.PositiveIntegerField()
    shown_at = models.DateTimeField(help_text="When it came on screen.")
    opened_at = models.DateTimeField(
        help_text="When its reading time begins: then, or once those opened before it have had theirs."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "position"], name="one_reading_per_assignment_and_position")
        ]


class Seat(models.Model):
    """One wanted vote per item of a batch. It is free if `assignment` is empty; a lease runs while work is active."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, blank=True, related_name="seat")
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "number"], name="one_seat_per_batch_and_number"),
            models.CheckConstraint(
                condition=Q(assignment__isnull=False) | Q(lease_expires_at__isnull=True),
                name="free_seat_has_no_lease",
            ),
        ]
        indexes = [models.Index(fields=["lease_expires_at"], name="seat_lease")]

    def __str__(self) -> str:
        return f"{self.batch}: {self.number}"
