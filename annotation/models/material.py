"""Material for rating: dialogues, the sources that answer them, and their candidates."""

from django.db import models
from django.utils.translation import pgettext_lazy

from annotation.models.study import Study


class Source(models.Model):
    """The author of a candidate, or of one side of a whole dialogue: a model, or the ground truth.

    Annotators never see it.
    """

    EXAMPLES = "protocol-examples"  # source keys of training items begin with this; they have no results

    study = models.ForeignKey(Study, models.CASCADE, related_name="sources")
    key = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    is_reference = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="one_source_key_per_study")]

    def __str__(self) -> str:
        return self.name


class Dialogue(models.Model):
    """A dialogue's history. `turns` is [{"speaker", "text"}]; `digest` tells a repeated import from a changed one.

    Dialogues of one `conversation` are its turns: each history goes on where the one before ends. They are dealt
    together, and results take the conversation as one unit. A dialogue that is rated as a whole, without candidates,
    may have a `source`. Dialogues of one `scenario` are matched: sources are compared within it.
    """

    class Purpose(models.TextChoices):
        """The purpose of a dialogue. Only those for MAIN are dealt into main batches."""

        MAIN = "main", pgettext_lazy("what a dialogue is for", "Main")
        QUALIFICATION = "qualification", pgettext_lazy("what a dialogue is for", "Pilot and qualification")
        TRAINING = "training", pgettext_lazy("what a dialogue is for", "Training")
        CHECK = "check", pgettext_lazy("what a dialogue is for", "Check with a known answer")

    PAIRS = "pairs"  # the field of the metadata that lists which sources are compared; annotators do not see it

    study = models.ForeignKey(Study, models.CASCADE, related_name="dialogues")
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    conversation = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="What the dialogue is a part of. If empty, the database fills in its own key.",
    )
    source = models.ForeignKey(
        Source,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="dialogues",
        help_text="The system that is rated if the whole dialogue is. Annotators never see it.",
    )
    scenario = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="What dialogues of several sources are about, so that they can be compared.",
    )
    turns = models.JSONField(default=list)
    asker = models.TextField(
        blank=True, default="", db_default="", help_text="The speaker who asks. If empty, the speakers' names decide."
    )
    metadata = models.JSONField(default=dict, blank=True)
    context = models.JSONField(
        default=list, db_default=[], blank=True, help_text='[{"title", "text"}] to read beside it.'
    )
    batch_key = models.CharField(max_length=100, blank=True, help_text="The batch the import asked for.")
    purpose = models.CharField(max_length=14, choices=Purpose, default=Purpose.MAIN, db_default="main")
    digest = models.CharField(max_length=64)
    is_textless = models.BooleanField(default=False, help_text="Known by id alone, from imported ratings.")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="one_dialogue_key_per_study"),
            models.CheckConstraint(condition=~models.Q(conversation=""), name="dialogue_has_its_conversation"),
        ]
        indexes = [
            models.Index(fields=["study", "conversation"], name="dialogues_by_conversation"),
            # Small, and empty where every dialogue is its own conversation: boards ask for it with each refresh.
            models.Index(
                fields=["study"], condition=~models.Q(conversation=models.F("key")), name="dialogues_in_conversations"
            ),
            models.Index(fields=["study", "scenario"], condition=~models.Q(scenario=""), name="dialogues_by_scenario"),
        ]

    def __str__(self) -> str:
        return self.key


class Candidate(models.Model):
    dialogue = models.ForeignKey(Dialogue, models.CASCADE, related_name="candidates")
    source = models.ForeignKey(Source, models.PROTECT, related_name="candidates")
    key = models.CharField(max_length=200)
    speaker = models.TextField(blank=True, default="", db_default="", help_text="Whose turn it is; empty if unknown.")
    text = models.TextField()
    metadata = models.JSONField(default=dict, blank=True)
    context = models.JSONField(
        default=list, db_default=[], blank=True, help_text='[{"title", "text"}] to read above it.'
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dialogue", "key"], name="one_candidate_key_per_dialogue")]

    def __str__(self) -> str:
        return self.key
