"""The fields of the editor with labels and help, and the revision of the document that a page was made from."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from protocols.bundles import Bundle, check_bundle, complete_bundle, dump_bundle
from protocols.linting import lint
from protocols.models import ProtocolVersion
from protocols.schema import SCHEMA, BundleError, described, resolved, with_defaults

Text = str | Promise
Choices = Sequence[tuple[str, Text]]
UNITS: Choices = (
    ("response", _("Each response")),
    ("candidate_set", _("All responses by one author to a dialogue, together")),
    ("model", _("Responses by one author to several dialogues, together")),
    ("dialogue", _("The whole dialogue")),
    ("comparison", _("Two responses to a dialogue, or two whole dialogues, compared")),
)
ORDERS: Choices = (
    ("criterion_first", _("One question and one item")),
    ("item_first", _("All questions of one item")),
    ("set_level", _("Everything that belongs to a dialogue")),
)
FLAGGED: Choices = (
    ("answer", _("They must still be answered")),
    ("skip", _("They may be skipped")),
)
KINDS: Choices = (
    ("single", _("One of the answers")),
    ("multiple", _("Any number of answers")),
    ("turns", _("Turns of the dialogue")),
    ("computed", _("Nothing: it follows from other answers")),
)
SCALES: Choices = (
    ("nominal", _("Unordered names")),
    ("ordinal", _("Ordered: poor, fair, good")),
    ("interval", _("Equally spaced numbers")),
)
ASKS: Choices = (
    ("nothing", _("Nothing more")),
    ("explanation", _("Reasons, optional")),
    ("explanation_required", _("Reasons, required")),
    ("free_text", _("Free text, required")),
)
ROLES: Choices = (
    ("positive", pgettext_lazy("role of an answer", "Good")),
    ("negative", pgettext_lazy("role of an answer", "Bad")),
    ("neutral", _("Neither good nor bad")),
    ("unsure", _("Unsure: the annotator cannot tell")),
    ("excluding", _("Excludes the item from the results")),
    ("left", _("In a comparison: the left one")),
    ("right", _("In a comparison: the right one")),
    ("equal", _("In a comparison: both are equal")),
    ("both_bad", _("In a comparison: both are bad")),
)
MODES: Choices = (
    ("absolute", pgettext_lazy("a judgement", "One at a time")),
    ("comparative", pgettext_lazy("a judgement", "By comparison")),
)
INTERACTIONS: Choices = (
    ("static", pgettext_lazy("what is done with dialogues", "Read")),
    ("interactive", pgettext_lazy("what is done with dialogues", "Held by the annotators")),
)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the editor. `needs` says when it applies: scale=ordinal,interval; with ^, of the enclosing part."""

    name: str
    label: Text
    widget: str = "line"
    help: Text = ""
    choices: Choices = ()
    needs: str = ""
    max_length: int | None = None
    least: int | None = None
    most: int | None = None


UNTOLD = ("decimal", "option")  # the schema describes how a file writes these, which does not help on a form
_OWN_SCALE = "scale=ordinal,interval"
_PARTS: dict[str, tuple[Field, ...]] = {
    "document": (
        Field("summary", _("What does it measure?"), "text", help=_("For researchers: annotators do not see it.")),
        Field("language", _("Language of the texts"), help=_("Its ISO code: en, it, zh-Hans.")),
        Field(
            "unit", _("What is rated?"), "select", choices=UNITS, help=_("A criterion can ask about something else.")
        ),
        Field("order", _("On screen at once"), "select", choices=ORDERS),
        Field("context_title", _("Heading above the dialogue"), help=_("For example “Read this first”.")),
        Field(
            "item_title",
            _("Heading above the response"),
            help=_("If empty, “Response to rate”. In a comparison, the name before its number: “Response”."),
        ),
        Field("scale_above", _("Show the whole scale above the response"), "box"),
        Field(
            "flagged",
            _("Flagged items"),
            "select",
            choices=FLAGGED,
            help=_("For example an item with a broken text. A flag is never an answer."),
        ),
        Field("options", _("Options"), "select", choices=ProtocolVersion.OptionLayout.choices),
        Field("response", _("The response is shown"), "select", choices=ProtocolVersion.ResponsePlace.choices),
        Field("guide", _("Short guidelines are shown"), "select", choices=ProtocolVersion.GuidePlace.choices),
        Field("guidelines_short", _("Short guidelines"), "text", help=_("On the rating screen. Markdown.")),
        Field("guidelines", _("Full guidelines"), "text", help=_("One click away. Markdown.")),
        Field("welcome", pgettext_lazy("a text for annotators", "Welcome"), "text"),
        Field(
            "changes",
            _("New in this version"),
            "text",
            help=_("Shown once to everyone who has worked with another version."),
        ),
        Field("expected_minutes", _("Expected minutes per batch"), "number"),
        Field("max_minutes", _("Maximum minutes per batch"), "number", help=_("After this the seat is released.")),
        Field(
            "batch_items",
            _("Batch size for these times, in items"),
            "number",
            help=_("Times are scaled for batches of another size. 0: the times apply to any batch."),
        ),
        Field(
            "reading_seconds",
            _("Seconds to read a dialogue before answering"),
            "number",
            help=_("0: annotators can answer at once."),
        ),
        Field(
            "words_min",
            _("Minimum words of a free text"),
            "number",
            help=_("A Chinese or Japanese character counts as a word."),
        ),
        Field("words_max", _("Maximum words of a free text"), "number"),
        Field("feedback_box", _("Ask for remarks at the end of a batch"), "box"),
        Field("citation", _("Where it was published"), "text"),
        Field(
            "granularity",
            pgettext_lazy("turn or dialogue", "Judged per"),
            "select",
            choices=(("turn", _("Turn")), ("dialogue", _("Dialogue"))),
            help=_("Choose “Dialogue” if whole dialogues are compared: the preview and ready-made answers follow."),
        ),
        Field("mode", _("Kind of judgement"), "select", choices=MODES),
        Field(
            "interaction",
            pgettext_lazy("read, or held by the annotators", "Dialogues are"),
            "select",
            choices=INTERACTIONS,
        ),
        Field(
            "dimensions",
            _("Dimensions of quality"),
            "json",
            help=_("Written as in a bundle, for the report. [] for none."),
        ),
        Field(
            "translations",
            _("Translations"),
            "json",
            help=_('JSON as in a bundle, by ISO code: {"it": {"name": "Cortesia"}}. {} for none.'),
        ),
    ),
    "notice": (Field("", _("Notice"), "text"),),
    "criterion": (
        Field("name", _("Name"), help=_("Keep it short: Fluency, Safety.")),
        Field("question", _("Question"), "text", help=_("What annotators are asked.")),
        Field(
            "definition",
            _("What to consider"),
            "text",
            help=_("In the guidelines, and under the question where its answers stand in a list."),
        ),
        Field("kind", _("What is chosen?"), "select", choices=KINDS),
        Field(
            "scale",
            pgettext_lazy("on a scale", "The answers are"),
            "select",
            choices=SCALES,
            needs="kind=single,computed",
        ),
        Field(
            "unit",
            pgettext_lazy("what a question is about", "Asked about"),
            "select",
            choices=(("", _("Same as the protocol")), *UNITS),
        ),
        Field(
            "required",
            _("An answer is required"),
            "box",
            help=_("If you untick this, annotators can also choose “None of these” (“No answer”, “No turn”)."),
            needs="kind=single,multiple,turns",
        ),
        Field("short", _("Short name for tables")),
        Field(
            "rules",
            _("Rules"),
            "json",
            help=_("Written as in a bundle. The first rule that holds counts."),
            needs="kind=computed",
        ),
        Field("key", pgettext_lazy("of a part of a protocol", "Key"), "key", help=_("Its name in exported files.")),
    ),
    "option": (
        Field("label", pgettext_lazy("an answer to choose", "Answer")),
        Field("value", pgettext_lazy("of an answer", "Number"), "decimal", needs=f"^{_OWN_SCALE}"),
        Field("asks", _("Then ask for"), "select", choices=ASKS, needs="^kind=single"),
        Field("alone", _("Cannot be combined with other answers"), "box", needs="^kind=multiple"),
        Field("definition", pgettext_lazy("an answer", "When it fits"), "text"),
        Field("role", _("Role in the report"), "select", choices=ROLES),
        Field("words_min", _("Minimum words"), "number", needs="asks=explanation,explanation_required,free_text"),
        Field("words_max", _("Maximum words"), "number", needs="asks=explanation,explanation_required,free_text"),
        Field("key", pgettext_lazy("of a part of a protocol", "Key"), "key", help=_("Its name in exported files.")),
    ),
    "condition": (Field("", pgettext_lazy("an answer", "It fits when"), "text"),),
    "explanation": (
        Field("text", pgettext_lazy("to choose", "Reason"), "text"),
        Field("sub_dimension", _("Name in the report"), help=_("Annotators do not see it.")),
        Field("key", pgettext_lazy("of a part of a protocol", "Key"), "key"),
    ),
    "example": (
        Field("title", _("Title")),
        Field("option", _("Evaluation of the dialogue itself, or of a comparison"), "option", needs="candidates=0,2"),
        Field(
            "rated_turn", _("Only turn number"), "number", needs="candidates=0", help=_("If empty, the whole dialogue.")
        ),
        Field("why", _("Why"), "text", needs="candidates=0,2"),
    ),
    "fact": (Field("", _("Fact"), "text"),),
    "turn": (Field("speaker", _("Speaker")), Field("text", pgettext_lazy("a speaker of a dialogue", "Says"), "text")),
    "candidate": (
        Field("text", _("Response"), "text"),
        Field("speaker", _("Speaker")),
        Field("option", _("Evaluation"), "option"),
        Field(
            "explanations",
            _("Reasons to tick"),
            "keys",
            help=_("Keys of the evaluation's reasons, separated by commas."),
        ),
        Field("why", _("Why"), "text"),
    ),
}


def _bounded(part: str, field: Field) -> Field:
    """Return the field with the schema's limits and, if it needs help and has none, the schema's description."""
    whole = SCHEMA if part == "document" else SCHEMA["$defs"].get(part)
    schema = resolved(whole["properties"][field.name]) if field.name else SCHEMA["$defs"]["sentence"]
    needs_help = field.name and not (field.help or field.choices or field.widget in UNTOLD)
    return replace(
        field,
        help=lazy(described, str)(schema) if needs_help else field.help,
        max_length=schema.get("maxLength"),
        least=schema.get("minimum"),
        most=schema.get("maximum"),
    )


PART_OF = {"criteria": "criterion", "options": "option"}  # those of a list, by its name in a path
FIELDS = {part: {field.name or "itself": _bounded(part, field) for field in fields} for part, fields in _PARTS.items()}


def editable(version: ProtocolVersion) -> Bundle:
    """Return a version's document with every default, so that each field has a value. A draft need not be valid."""
    return with_defaults(dump_bundle(version))


def revision_of(doc: Bundle) -> str:
    """Return a hash of a document, valid or not. It shows whether somebody else has saved since a page was made."""
    text = json.dumps(doc, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def in_page_words(error: BundleError) -> BundleError:
    """Return the error with codes of a field as the labels of its choices, and `unit: comparison` as on the page."""
    names = re.findall(r"[a-z_]+", error.path)
    part = PART_OF.get(names[-2], "") if len(names) > 1 else "document"
    field = FIELDS.get(part, {}).get(names[-1]) if names else None
    labels = {code: f"“{label}”" for code, label in (field.choices if field else ()) if code}
    unit = FIELDS["criterion"]["unit"]
    whole = {f"unit: {code}": f"“{unit.label}”: “{label}”" for code, label in UNITS}

    known = whole | labels
    codes = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, known))})(?![\w-])")

    def worded(text: str, most: int = 0) -> str:
        return codes.sub(lambda found: str(known[found[0]]), text, most)

    # Of a message only the value: other words of it may look like codes.
    return replace(error, message=worded(error.message, 1), expected=worded(error.expected))


def findings(doc: object) -> dict[str, list[dict[str, str]]]:
    """Return the `errors` of a document and, if there are none, its `warnings`."""
    errors = [asdict(in_page_words(each)) for each in check_bundle(doc)]
    advice = [] if errors or not isinstance(doc, dict) else lint(complete_bundle(doc))
    warnings = [{"path": each.path, "message": each.sentence, "expected": each.advice} for each in advice]
    return {"errors": errors, "warnings": warnings}
