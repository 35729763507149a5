"""Protocols, versions and their parts. A database trigger (migration 0002) freezes published versions."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Protocol(models.Model):
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class ProtocolVersion(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        PUBLISHED = "published", _("Published")
        RETIRED = "retired", _("Retired")

    class Unit(models.TextChoices):
        RESPONSE = "response", _("Response")
        CANDIDATE_SET = "candidate_set", _("Candidate set")
        MODEL = "model", _("Model")
        DIALOGUE = "dialogue", _("Dialogue")
        COMPARISON = "comparison", _("Comparison")

    class Granularity(models.TextChoices):
        TURN = "turn", _("Turn")
        DIALOGUE = "dialogue", _("Dialogue")

    class Mode(models.TextChoices):
        ABSOLUTE = "absolute", _("Absolute")
        COMPARATIVE = "comparative", _("Comparative")

    class Interaction(models.TextChoices):
        STATIC = "static", _("Static")
        INTERACTIVE = "interactive", _("Interactive")

    class Order(models.TextChoices):
        CRITERION_FIRST = "criterion_first", _("Criterion first")
        ITEM_FIRST = "item_first", _("Item first")
        SET_LEVEL = "set_level", _("Set level")

    class OptionLayout(models.TextChoices):
        COMPACT = "compact", _("In a row, described one at a time")
        DESCRIBED = "described", _("In a list, each with its description")

    class ResponsePlace(models.TextChoices):
        IN_PLACE = "in_place", _("In the dialogue")
        BESIDE = "beside", _("In the dialogue and beside the question")

    class GuidePlace(models.TextChoices):
        ON_REQUEST = "on_request", _("On request")
        IN_VIEW = "in_view", _("Always in view")

    class Flagged(models.TextChoices):
        ANSWER = "answer", _("Answer")
        SKIP = "skip", _("Skip")

    protocol = models.ForeignKey(Protocol, models.PROTECT, related_name="versions")
    version = models.CharField(max_length=40)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="children")
    language = models.CharField(max_length=20, default="en", help_text=_("ISO code of the texts, for example en."))
    summary = models.TextField(blank=True)
    citation = models.TextField(blank=True, help_text=_("Where the protocol was published."))
    unit = models.CharField(max_length=20, choices=Unit, default=Unit.RESPONSE)
    granularity = models.CharField(max_length=10, choices=Granularity, default=Granularity.TURN)
    mode = models.CharField(max_length=12, choices=Mode, default=Mode.ABSOLUTE)
    interaction = models.CharField(max_length=12, choices=Interaction, default=Interaction.STATIC)
    order = models.CharField(max_length=20, choices=Order, default=Order.CRITERION_FIRST)
    context_title = models.CharField(max_length=200, blank=True, help_text=_("Heading above the dialogue."))
    item_title = models.CharField(max_length=200, blank=True, help_text=_("Heading above the response to rate."))
    scale_above = models.BooleanField(
        default=False, help_text=_("Show every point of each scale, with its text, above what is rated.")
    )
    options = models.CharField(
        max_length=10,
        choices=OptionLayout,
        default=OptionLayout.COMPACT,
        db_default=OptionLayout.COMPACT,
        help_text=_("How the options of a question are laid out on the screen."),
    )
    response = models.CharField(
        max_length=10,
        choices=ResponsePlace,
        default=ResponsePlace.IN_PLACE,
        db_default=ResponsePlace.IN_PLACE,
        help_text=_("Where the response to rate is shown on the screen."),
    )
    guide = models.CharField(
        max_length=10,
        choices=GuidePlace,
        default=GuidePlace.ON_REQUEST,
        db_default=GuidePlace.ON_REQUEST,
        help_text=_("When the short guidelines are shown on the screen."),
    )
    flagged = models.CharField(
        max_length=10,
        choices=Flagged,
        default=Flagged.ANSWER,
        db_default="answer",
        help_text=_("Whether annotators must still answer an item they have flagged."),
    )
    expected_minutes = models.PositiveSmallIntegerField(default=35, help_text=_("Expected time for one batch."))
    max_minutes = models.PositiveSmallIntegerField(default=90, help_text=_("After this the seat is free again."))
    batch_items = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text=_(
            "Both times are for a batch of this many items and are scaled for other batches. 0: the times "
            "apply to any batch."
        ),
    )
    reading_seconds = models.PositiveSmallIntegerField(
        default=0, help_text=_("No answer is accepted until a dialogue has been open for this long.")
    )
    words_min = models.PositiveSmallIntegerField(default=3, help_text=_("Minimum words of a free text."))
    words_max = models.PositiveSmallIntegerField(default=30, help_text=_("Maximum words of a free text."))
    feedback_box = models.BooleanField(default=True, help_text=_("Ask for remarks at the end of a batch."))
    welcome = models.TextField(blank=True)
    changes = models.TextField(
        blank=True, help_text=_("What is new. Shown once to everyone who has worked with another version.")
    )
    notices = models.JSONField(default=list, blank=True, help_text=_("Short sentences shown above every item."))
    guidelines_short = models.TextField(blank=True, help_text=_("Markdown, on the rating screen."))
    guidelines = models.TextField(blank=True, help_text=_("Markdown, one click away."))
    dimensions = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text=_('[{"name": ..., "definition": ...}]: for the checklist of the report.'),
    )
    translations = models.JSONField(default=dict, blank=True, help_text=_("{ISO code: the same texts, by key}"))
    sha256 = models.CharField(max_length=64, blank=True, editable=False)
    published_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["protocol", "version"], name="one_version_name_per_protocol"),
            models.CheckConstraint(
                condition=Q(status="draft") | (Q(published_at__isnull=False) & ~Q(sha256="")),
                name="published_version_has_hash_and_time",
            ),
            models.CheckConstraint(condition=Q(words_min__lte=models.F("words_max")), name="words_min_below_max"),
            models.CheckConstraint(
                condition=Q(expected_minutes__lte=models.F("max_minutes")), name="expected_time_below_maximum"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.protocol.slug} {self.version}"

    def minutes_for(self, n_items: int) -> tuple[int, int]:
        """Return the expected and the maximum minutes for a batch of `n_items`, rounded up."""
        times = self.expected_minutes, self.max_minutes
        if not self.batch_items or not n_items:
            return times
        expected, most = (-(-minutes * n_items // self.batch_items) for minutes in times)
        return expected, most


class Criterion(models.Model):
    class Scale(models.TextChoices):
        NOMINAL = "nominal", _("Nominal")
        ORDINAL = "ordinal", _("Ordinal")
        INTERVAL = "interval", _("Interval")

    class Kind(models.TextChoices):
        SINGLE = "single", _("one option")
        MULTIPLE = "multiple", _("any number of options")
        COMPUTED = "computed", _("computed from other answers")
        TURNS = "turns", _("turns of the dialogue")

    version = models.ForeignKey(ProtocolVersion, models.PROTECT, related_name="criteria")
    key = models.SlugField(max_length=80)
    name = models.CharField(max_length=200)
    short = models.CharField(max_length=20, blank=True, help_text=_("A short label for tables."))
    question = models.TextField()
    definition = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SINGLE)
    unit = models.CharField(
        max_length=20, choices=ProtocolVersion.Unit, blank=True, help_text=_("If different from the version's.")
    )
    scale = models.CharField(max_length=10, choices=Scale, default=Scale.NOMINAL)
    required = models.BooleanField(default=True)
    when = models.JSONField(
        default=list, blank=True, help_text=_('[{"criterion": key, "options": [keys]}]: asked while this holds.')
    )
    rules = models.JSONField(
        default=list, blank=True, help_text=_('[{"when": [...], "option": key}]: the first that holds counts.')
    )
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        verbose_name_plural = _("criteria")
        constraints = [
            models.UniqueConstraint(fields=["version", "key"], name="one_criterion_key_per_version"),
            models.UniqueConstraint(fields=["version", "position"], name="one_criterion_per_position"),
        ]

    def __str__(self) -> str:
        return self.name


class Option(models.Model):
    class Role(models.TextChoices):
        POSITIVE = "positive", _("Positive")
        NEGATIVE = "negative", _("Negative")
        NEUTRAL = "neutral", _("Neutral")
        UNSURE = "unsure", _("Unsure")
        EXCLUDING = "excluding", _("Excluding")
        LEFT = "left", _("Left")
        RIGHT = "right", _("Right")
        EQUAL = "equal", _("Equal")
        BOTH_BAD = "both_bad", _("Both bad")

    class Asks(models.TextChoices):
        NOTHING = "nothing", _("nothing")
        EXPLANATION = "explanation", _("predefined explanations or free text, may be left empty")
        EXPLANATION_REQUIRED = "explanation_required", _("predefined explanations or free text, required")
        FREE_TEXT = "free_text", _("free text, required")

    criterion = models.ForeignKey(Criterion, models.PROTECT, related_name="options")
    key = models.SlugField(max_length=80)
    label = models.CharField(max_length=200)
    definition = models.TextField(blank=True)
    conditions = models.JSONField(default=list, blank=True, help_text=_("Sentences: it fits when any of them holds."))
    role = models.CharField(max_length=10, choices=Role, default=Role.NEUTRAL)
    value = models.FloatField(null=True, blank=True, help_text=_("The number of an ordinal or interval answer."))
    asks = models.CharField(max_length=20, choices=Asks, default=Asks.NOTHING)
    alone = models.BooleanField(
        default=False,
        db_default=False,
        help_text=_("In a multiple choice: cannot be combined with another option."),
    )
    words_min = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("If different from the version's."))
    words_max = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("If different from the version's."))
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["criterion", "key"], name="one_option_key_per_criterion"),
            models.UniqueConstraint(fields=["criterion", "position"], name="one_option_per_position"),
        ]

    def __str__(self) -> str:
        return self.label


class Explanation(models.Model):
    """A predefined reason. Annotators see only its text, never its key or sub-dimension."""

    option = models.ForeignKey(Option, models.PROTECT, related_name="explanations")
    key = models.SlugField(max_length=80)
    text = models.TextField()
    sub_dimension = models.CharField(max_length=80)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["option", "key"], name="one_explanation_key_per_option"),
            models.UniqueConstraint(fields=["option", "position"], name="one_explanation_per_position"),
        ]

    def __str__(self) -> str:
        return self.text


class Example(models.Model):
    """A worked example of a criterion: a history and candidates, each with its evaluation and why.

    Without candidates, the history itself or one turn of it is evaluated.
    """

    criterion = models.ForeignKey(Criterion, models.PROTECT, related_name="examples")
    title = models.CharField(max_length=200)
    facts = models.JSONField(default=list, blank=True, help_text=_("Facts about the speaker, shown with the history."))
    history = models.JSONField(help_text=_('Turns: [{"speaker": "A", "text": "..."}]'))
    candidates = models.JSONField(
        default=list, blank=True, help_text=_('[{"text": "...", "option": "option key", "why": "..."}]')
    )
    rated_turn = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("Counted from 1."))
    option = models.CharField(max_length=80, blank=True, help_text=_("The key of the history's evaluation."))
    why = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["criterion", "position"], name="one_example_per_position")]

    def __str__(self) -> str:
        return self.title
