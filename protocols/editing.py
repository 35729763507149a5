"""The document of the editor: how each field is called and explained, and what a page was made from."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from protocols.bundles import Bundle, check_bundle, complete_bundle, dump_bundle
from protocols.linting import lint
from protocols.models import ProtocolVersion
from protocols.schema import SCHEMA, with_defaults

Choices = tuple[tuple[str, str], ...]
UNITS: Choices = (
    ("response", "Each response"),
    ("candidate_set", "All responses of one author to a dialogue, together"),
    ("model", "Responses of one author to several dialogues, together"),
    ("dialogue", "The whole dialogue"),
)
ORDERS: Choices = (
    ("criterion_first", "One question and one item"),
    ("item_first", "All questions of one item"),
    ("set_level", "Everything that belongs to a dialogue"),
)
KINDS: Choices = (
    ("single", "One of the answers"),
    ("multiple", "Any number of the answers"),
    ("turns", "Turns of the dialogue are marked"),
    ("computed", "Nobody: it follows from other answers"),
)
SCALES: Choices = (
    ("nominal", "Names without an order"),
    ("ordinal", "An order: poor, fair, good"),
    ("interval", "Numbers with equal distances"),
)
ASKS: Choices = (
    ("nothing", "Nothing more"),
    ("explanation", "Reasons, optional"),
    ("explanation_required", "Reasons, required"),
    ("free_text", "Own words, required"),
)
ROLES: Choices = (
    ("positive", "Good"),
    ("negative", "Bad"),
    ("neutral", "Neither good nor bad"),
    ("unsure", "The annotator cannot tell"),
    ("excluding", "Takes the item out of the results"),
)
MODES: Choices = (("absolute", "Of one"), ("comparative", "By comparison"))
INTERACTIONS: Choices = (("static", "Read"), ("interactive", "Held by the annotators"))


@dataclass(frozen=True, slots=True)
class Field:
    """`needs` says when it applies: scale=ordinal,interval of its own part, or with ^ before it, of the one around."""

    name: str
    label: str
    widget: str = "line"
    help: str = ""
    choices: Choices = ()
    needs: str = ""
    max_length: int | None = None
    least: int | None = None
    most: int | None = None


def _field(name: str, label: str, widget: str = "line", **more: Any) -> Field:
    return Field(name, label, widget, **more)


_OWN_SCALE = "scale=ordinal,interval"
_PARTS: dict[str, tuple[Field, ...]] = {
    "document": (
        _field("summary", "What does it measure?", "text", help="For researchers: annotators do not see it."),
        _field("language", "Language of the texts", help="Its ISO code: en, it, zh-Hans."),
        _field("unit", "What is rated?", "select", choices=UNITS, help="A criterion can ask about something else."),
        _field("order", "On screen at once", "select", choices=ORDERS),
        _field("guidelines_short", "Guidelines in short", "text", help="Always beside the item. Markdown."),
        _field("guidelines", "Full guidelines", "text", help="One click away. Markdown."),
        _field("welcome", "Welcome", "text"),
        _field("changes", "What is new in this version", "text", help="Once, to who has worked with another version."),
        _field("expected_minutes", "Minutes a batch should take", "number"),
        _field("max_minutes", "Minutes a batch may take", "number", help="Then its seat is free for somebody else."),
        _field("reading_seconds", "Seconds to read a dialogue first", "number", help="0: answers are taken at once."),
        _field("words_min", "Least words of a free text", "number", help="A Chinese or Japanese character is a word."),
        _field("words_max", "Most words of a free text", "number"),
        _field("feedback_box", "Ask for remarks at the end of a batch", "box"),
        _field("citation", "Where it was published", "text"),
        _field("granularity", "Judged per", "select", choices=(("turn", "Turn"), ("dialogue", "Dialogue"))),
        _field("mode", "Kind of judgement", "select", choices=MODES),
        _field("interaction", "Dialogues are", "select", choices=INTERACTIONS),
        _field("translations", "Translations", "json", help="As in a bundle, by ISO code. {} for none."),
    ),
    "notice": (_field("", "Notice", "text"),),
    "criterion": (
        _field("name", "Name", help="Short: Fluency, Safety."),
        _field("question", "Question", "text", help="What annotators are asked."),
        _field("definition", "What to consider", "text", help="Stands under the question."),
        _field("kind", "What is chosen?", "select", choices=KINDS),
        _field("scale", "The answers are", "select", choices=SCALES, needs="kind=single,computed"),
        _field("unit", "Asked about", "select", choices=(("", "What the protocol says"), *UNITS)),
        _field("required", "An answer is required", "box", needs="kind=single,multiple,turns"),
        _field("short", "Short name for tables"),
        _field("rules", "Rules", "json", help="As in a bundle: the first that holds counts.", needs="kind=computed"),
        _field("key", "Key", "key", help="Its name in exported files."),
    ),
    "option": (
        _field("label", "Answer"),
        _field("value", "Number", "decimal", needs=f"^{_OWN_SCALE}"),
        _field("asks", "Then ask for", "select", choices=ASKS, needs="^kind=single"),
        _field("definition", "When it fits", "text"),
        _field("role", "For the report it is", "select", choices=ROLES),
        _field("words_min", "Least words", "number", needs="asks=explanation,explanation_required,free_text"),
        _field("words_max", "Most words", "number", needs="asks=explanation,explanation_required,free_text"),
        _field("key", "Key", "key", help="Its name in exported files."),
    ),
    "condition": (_field("", "It fits when", "text"),),
    "explanation": (
        _field("text", "Reason", "text"),
        _field("sub_dimension", "Name in the report", help="Annotators do not see it."),
        _field("key", "Key", "key"),
    ),
    "example": (
        _field("title", "Title"),
        _field("option", "Evaluation of the dialogue itself", "option", needs="candidates=0"),
        _field("rated_turn", "Only of turn number", "number", needs="candidates=0", help="Empty: of the whole."),
        _field("why", "Why", "text", needs="candidates=0"),
    ),
    "turn": (_field("speaker", "Speaker"), _field("text", "Says", "text")),
    "candidate": (
        _field("text", "Response", "text"),
        _field("option", "Evaluation", "option"),
        _field("why", "Why", "text"),
    ),
}  # fmt: skip
_SENTENCES = {"notice": "sentence", "condition": "sentence"}


def _schema_of(part: str, name: str) -> Mapping[str, Any]:
    defs = SCHEMA["$defs"]
    if not name:
        return defs[_SENTENCES[part]]
    found = (SCHEMA if part == "document" else defs[part])["properties"][name]
    return {**defs[found["$ref"].removeprefix("#/$defs/")], **found} if "$ref" in found else found


def _bounded(part: str, field: Field) -> Field:
    """What the schema limits cannot be typed in the first place; what it explains need not be explained here."""
    schema = _schema_of(part, field.name)
    return Field(
        field.name,
        field.label,
        field.widget,
        field.help
        or ("" if field.choices or field.widget == "decimal" or not field.name else str(schema.get("description", ""))),
        field.choices,
        field.needs,
        schema.get("maxLength"),
        schema.get("minimum"),
        schema.get("maximum"),
    )


FIELDS = {part: {field.name or "itself": _bounded(part, field) for field in fields} for part, fields in _PARTS.items()}


def editable(version: ProtocolVersion) -> Bundle:
    """With every default, so that a form has a value for each of its fields. A draft need not be valid."""
    return with_defaults(dump_bundle(version))


def revision_of(doc: Bundle) -> str:
    """What a page was made from: a save over somebody else's save is known by it. Of any document, valid or not."""
    text = json.dumps(doc, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def findings(doc: object) -> dict[str, list[dict[str, str]]]:
    """All that is wrong with a document, and where nothing is, all that is often a mistake."""
    errors = [{"path": each.path, "message": each.message, "expected": each.expected} for each in check_bundle(doc)]
    return {"errors": errors, "warnings": [] if errors or not isinstance(doc, dict) else list(_advice(doc))}


def _advice(doc: Bundle) -> Iterator[dict[str, str]]:
    for each in lint(complete_bundle(doc)):
        yield {"path": each.path, "message": each.sentence, "expected": each.advice}
