"""Build the full guidelines as a document: headings, and a section for each criterion with its worked examples.

Only labels and texts may be shown: no key of an option or explanation, no sub-dimension and no role.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.speakers import next_speaker
from protocols.labels import NONE
from protocols.models import Criterion, Option, ProtocolVersion
from protocols.rendering import HEADINGS
from protocols.specs import Condition, CriterionSpec, OptionSpec, VersionSpec
from protocols.translating import WorkedExample, examples_in, spec_in, texts_in

ANSWERING: dict[str, Any] = {
    Criterion.Kind.SINGLE: _("Choose one answer."),
    Criterion.Kind.MULTIPLE: _("Choose every answer that applies."),
    Criterion.Kind.TURNS: _("Mark turns in the dialogue."),
    Criterion.Kind.COMPUTED: _("Not asked: it follows from other answers."),
}
# The rated part of an example that has neither candidates nor a rated turn.
WHOLE: dict[str, Any] = {
    ProtocolVersion.Unit.RESPONSE: _("All of it"),
    ProtocolVersion.Unit.CANDIDATE_SET: _("All responses together"),
    ProtocolVersion.Unit.MODEL: _("All turns together"),
    ProtocolVersion.Unit.DIALOGUE: _("The whole dialogue"),
    ProtocolVersion.Unit.COMPARISON: _("Both, compared"),
}
BLANK_LINE = re.compile(r"\n\s*\n")
DEEPEST = 3  # levels of headings told apart in the table of contents


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in the guidelines' own text. The topmost level is 1, whatever the text begins with."""

    id: str
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Answer:
    """One option, as it is explained. `value` is None if numbers are not shown."""

    option: OptionSpec
    value: float | None
    asks: str


@dataclass(frozen=True, slots=True)
class Dependence:
    """Another criterion, by name, and the labels of the answers that matter. No labels means any answer."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Consequence:
    """The result of one set of answers. In all rules of a criterion, `others` names the same criteria in order."""

    others: tuple[Dependence, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Section:
    criterion: CriterionSpec
    answering: str
    answers: tuple[Answer, ...]
    when: tuple[Dependence, ...]
    rules: tuple[Consequence, ...]
    examples: tuple[dict[str, Any], ...]

    @property
    def anchor(self) -> str:
        """Return an anchor that never changes, because links use it. No heading of the text can have it (ID_PREFIX)."""
        return f"criterion-{self.criterion.key}"

    @property
    def has_values(self) -> bool:
        return any(answer.value is not None for answer in self.answers)

    @property
    def has_conditions(self) -> bool:
        """Return whether an answer has several conditions: the page then says that one of them is enough."""
        return any(len(answer.option.conditions) > 1 for answer in self.answers)


# --- the text ---------------------------------------------------------------------------------------
def paragraphs_of(text: str) -> list[str]:
    """Split a text at blank lines. Other line breaks only come from a file's editor and become spaces."""
    return [" ".join(part.split()) for part in BLANK_LINE.split(text) if part.strip()]


# --- headings --------------------------------------------------------------------------------------
class _Headings(HTMLParser):
    """Collect headings from sanitised HTML. A heading without an id cannot be linked to and is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, tuple[int, list[str]]] = {}
        self._open: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = dict(attrs).get("id")
        if tag in HEADINGS and name and name not in self.found:
            self._open = []
            self.found[name] = int(tag[1]), self._open

    def handle_endtag(self, tag: str) -> None:
        if tag in HEADINGS:
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open.append(data)


def headings_of(html: str) -> list[Heading]:
    parser = _Headings()
    parser.feed(html)
    parser.close()
    top = min((level for level, _ in parser.found.values()), default=1)
    entries = [(name, " ".join("".join(parts).split()), level) for name, (level, parts) in parser.found.items()]
    return [Heading(name, text, min(level - top + 1, DEEPEST)) for name, text, level in entries if text]


# --- criteria --------------------------------------------------------------------------------------
def sections_of(version: ProtocolVersion, language: str = "") -> list[Section]:
    """Return a section for every criterion in order, including computed ones, which researchers talk about too."""
    spec = spec_in(version, language)
    examples = defaultdict(list)
    for example in examples_in(version, language):
        examples[example.criterion_id].append(example)
    title = texts_in(version, language).item_title
    return [_section(spec, criterion, examples[criterion.id], title) for criterion in spec.criteria]


def _section(spec: VersionSpec, criterion: CriterionSpec, examples: Iterable[WorkedExample], title: str) -> Section:
    how = str(ANSWERING[Criterion.Kind.SINGLE if criterion.takes_one else criterion.kind])
    if criterion.is_asked and not criterion.required:
        how += " " + gettext("If no answer applies, choose “%(none)s”.") % {"none": NONE[criterion.kind]}
    # Numbers matter on a scale, unless labels such as `5: excellent` contain them.
    valued = [option for option in criterion.options if option.value is not None]
    is_said = all(f"{option.value:g}" in option.label for option in valued)
    shows_values = criterion.scale != Criterion.Scale.NOMINAL and not is_said
    # The rules are the rows of a table. Each has a column for every criterion that any rule looks at.
    keys = dict.fromkeys(one.criterion for rule in criterion.rules for one in rule.when)
    rules = []
    for rule in criterion.rules:
        others = (_dependence(spec, key, [one for one in rule.when if one.criterion == key]) for key in keys)
        rules.append(Consequence(tuple(others), criterion.option_named(rule.option).label))
    return Section(
        criterion=criterion,
        answering=how,
        answers=tuple(Answer(o, o.value if shows_values else None, _asks(o)) for o in criterion.options),
        when=tuple(_dependence(spec, each.criterion, [each]) for each in criterion.when),
        rules=tuple(rules),
        examples=tuple(_example(each, criterion, title) for each in examples),
    )


def _asks(option: OptionSpec) -> str:
    """Return in words what is asked after this answer."""
    if option.asks == Option.Asks.NOTHING:
        return ""
    must = option.asks == Option.Asks.EXPLANATION_REQUIRED
    if option.asks == Option.Asks.FREE_TEXT:
        text = gettext("Then say why, in %(least)s to %(most)s words of your own.")
    elif option.explanations and must:
        text = gettext(
            "Then say why: tick every reason that applies. For another reason, tick “Other” and write %(least)s to "
            "%(most)s words."
        )
    elif option.explanations:
        text = gettext(
            "Then you may say why: tick every reason that applies. For another reason, tick “Other” and write "
            "%(least)s to %(most)s words."
        )
    elif must:
        text = gettext("Then say why: write %(least)s to %(most)s words of your own.")
    else:
        text = gettext("Then you may say why: write %(least)s to %(most)s words of your own.")
    return text % {"least": option.words_min, "most": option.words_max}


def _dependence(spec: VersionSpec, key: str, conditions: Iterable[Condition]) -> Dependence:
    other, wanted = spec.by_key[key], list(conditions)
    labels = tuple(each.label for each in other.options if all(each.key in one.options for one in wanted))
    return Dependence(other.name, labels if wanted else ())


# --- worked examples -------------------------------------------------------------------------------
def _example(example: WorkedExample, criterion: CriterionSpec, title: str) -> dict[str, Any]:
    """Return a history and what is rated in it, with the label of the evaluation. `title` is what items are called."""
    turns = [turn | {"is_rated": number == example.rated_turn} for number, turn in enumerate(example.history, start=1)]
    own = {"option": example.option, "why": example.why}
    if criterion.unit == ProtocolVersion.Unit.COMPARISON:
        named = [f"{title} {n}" if title else gettext("Response %(number)s") % {"number": n} for n in (1, 2)]
        said = zip(example.candidates, named, strict=True)
        rows = [{"text": each["text"], "speaker": name, "why": each.get("why", "")} for each, name in said]
        rows.append(_row(own, criterion, whole=str(WHOLE[criterion.unit])))
    elif example.candidates:
        following = next_speaker(example.history)
        rows = [
            _row(each, criterion, text=each.get("text", ""), speaker=each.get("speaker") or following)
            for each in example.candidates
        ]
    else:
        rated = next((turn for turn in turns if turn["is_rated"]), None)
        rows = [_row(own, criterion, **(rated or {"whole": str(WHOLE[criterion.unit])}))]
    return {"title": example.title, "facts": example.facts, "turns": turns, "rows": rows}


def _row(evaluated: Mapping[str, Any], criterion: CriterionSpec, **rated: Any) -> dict[str, Any]:
    option = next((each for each in criterion.options if each.key == evaluated.get("option")), None)
    expected = evaluated.get("explanations", ())
    reasons = [each.text for each in option.explanations if each.key in expected] if option else []
    label = option.label if option else ""
    is_none = not option and not criterion.required
    return rated | {"label": label, "is_none": is_none, "reasons": reasons, "why": evaluated.get("why", "")}
