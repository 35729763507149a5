"""Check dialogues for a protocol that compares: what each dialogue needs, and whether both sides are there."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.context import context_beside, context_in
from annotation.importing.layouts import TABLE_FORMATS, WIDE
from annotation.importing.outcome import RECORDS, BadField, Remedy, number_of_place
from annotation.importing.remedies import (
    as_chat_log,
    choose_columns,
    choose_one_of,
    or_name_source,
    with_dialogue,
    without_turns,
)
from annotation.importing.shapes import JSONL_MESSAGES, ONLY_SOURCE, DialogueOptions, ParsedDialogue
from annotation.importing.transcripts import RATE_NONE, TRANSCRIPT_FORMATS
from annotation.models import Study
from parley.listing import both
from protocols.models import ProtocolVersion
from protocols.specs import VersionSpec

Unit = ProtocolVersion.Unit
MOST_WARNINGS = 10
GROUNDED = ("uses_knowledge", "persona_consistency")  # questions about a fact or a persona that annotators must see


def refuse_unmatched(dialogue: ParsedDialogue, units: Iterable[str], is_table: bool) -> None:
    """Raise BadField for a dialogue that has no responses, and nothing to match it with others by.

    Other turns of its conversation may have responses, so a dialogue in a conversation is left to the batches.
    """
    if Unit.COMPARISON not in units or dialogue.candidates or dialogue.conversation not in ("", dialogue.key):
        return
    missing = [name for name in ("source", "scenario") if not getattr(dialogue, name)]
    if not missing or (dialogue.source and Unit.DIALOGUE in units):
        return
    reason = _("is missing: this protocol compares, so a dialogue without responses needs a source and a scenario")
    raise BadField(both(missing), reason, _how_to_match(missing, is_table))


def _how_to_match(missing: list[str], is_table: bool) -> Remedy:
    named = both(f"“{name}”" for name in missing)
    field = _("add %(names)s to the dialogue") % {"names": named}
    found = choose_columns(*missing) if is_table else Remedy.everywhere(field)
    return or_name_source(found) if "source" in missing else found


def about_wholes(options: DialogueOptions, units: Iterable[str]) -> list[str | Remedy]:
    """Warn of a chat log whose whole dialogues are left out but asked about, or are taken and not asked about."""
    asked = {*units}
    if not options.transcript or not asked:
        return []
    if not options.with_dialogue:
        text = _left_out(asked)
        return [Remedy.saying(text, how=with_dialogue())] if text else []
    if asked == {Unit.DIALOGUE} and options.rate != RATE_NONE:
        text = _(
            "This protocol asks about whole dialogues only, so nobody rates the turns before the end. To leave them "
            "out, %(how)s."
        )
        return [Remedy.saying(text, how=without_turns())]
    if asked & {Unit.DIALOGUE, Unit.COMPARISON}:
        return []
    return [
        _("This protocol does not ask about whole dialogues, so those that the import adds at the end are not rated.")
    ]


def _left_out(asked: set[str]) -> str:
    if Unit.DIALOGUE not in asked:
        return ""
    if Unit.RESPONSE not in asked:
        return _(
            "This protocol asks about whole dialogues: %(how)s. Otherwise the last response is not part of the "
            "dialogue that is rated."
        )
    return _(
        "This protocol also asks about whole dialogues: to ask these questions after the last turn, %(how)s. Otherwise "
        "they are asked beside the last turn, whose response is then not part of the dialogue."
    )


def grounded_in(spec: VersionSpec) -> str:
    """Return the name of the first question about what a context panel says, or an empty text."""
    return next((each.name for each in spec.criteria if each.key in GROUNDED), "")


def _on_line(line: int, reason: str) -> str:
    """Return a sentence with its line or record. A chat log that is one document has none."""
    if not line:
        return capfirst(reason)
    text = _("Record %(line)s: %(reason)s") if line >= RECORDS else _("Line %(line)s: %(reason)s")
    return text % {"line": number_of_place(line), "reason": reason}


class _Side(NamedTuple):
    line: int
    name: str
    source: str


class Sides:
    """Find what a protocol cannot rate yet: scenarios or dialogues with one side, or a file without any response.

    Of a part of a file, it is not known yet which sides it has. `grounded` is the question about what a context panel
    says, if there is one.
    """

    def __init__(
        self, units: Iterable[str] = (), *, format: str = "", is_part: bool = False, grounded: str = ""
    ) -> None:
        self._grounded, self._has_panel = grounded, False
        self._n_responses, self._n_bare_responses = 0, 0  # all of them, and those without a panel
        self._titles = set[str]()  # of panels
        self._has_messages = format == JSONL_MESSAGES
        self._is_comparing = Unit.COMPARISON in units and not is_part
        self._has_responses = bool({*units} - {Unit.DIALOGUE, Unit.COMPARISON})
        self._rates_wholes = bool({Unit.DIALOGUE, Unit.COMPARISON} & set(units))
        self._bare: int | None = None  # the line of the first dialogue without responses
        self._n_dialogues = self._n_rated = self._n_matched = 0
        self._is_table = format in TABLE_FORMATS
        self._is_wide, self._compares = format == WIDE, Unit.COMPARISON in units
        self._n_prompts_alike = 0  # rows without an id that have the prompt of another row
        self._is_chat_log = format in TRANSCRIPT_FORMATS
        self._n_alike = 0  # the most responses to one dialogue, as long as none has a source of its own
        self._has_sources = False
        self._scenarios: dict[str, _Side | None] = {}  # None: there are two sources
        self._one_sided: list[_Side] = []

    def add(self, dialogue: ParsedDialogue) -> None:
        self._n_dialogues += 1
        self._n_prompts_alike += dialogue.n_alike
        self._add_panels(dialogue)
        self._n_rated += bool(dialogue.candidates)
        self._n_matched += bool(dialogue.source and dialogue.scenario)
        self._n_alike = max(self._n_alike, len(dialogue.candidates))
        self._has_sources |= any(candidate.source != ONLY_SOURCE for candidate in dialogue.candidates)
        is_bare = not dialogue.candidates and dialogue.conversation in ("", dialogue.key)
        needs_response = self._has_responses and not self._rates_wholes and not self._is_chat_log
        if needs_response and is_bare and self._bare is None:
            self._bare = dialogue.line
        if not self._is_comparing:
            return
        sources = {candidate.source for candidate in dialogue.candidates}
        if len(sources) == 1:
            self._one_sided.append(_Side(dialogue.line, dialogue.key, *sources))
        if dialogue.source and dialogue.scenario:
            side = _Side(dialogue.line, dialogue.scenario, dialogue.source)
            known = self._scenarios.setdefault(dialogue.scenario, side)
            if known and known.source != dialogue.source:
                self._scenarios[dialogue.scenario] = None

    def _add_panels(self, dialogue: ParsedDialogue) -> None:
        beside = context_beside(dialogue.metadata, dialogue.context)
        above = [context_in(each.context) for each in dialogue.candidates]
        self._titles |= {panel.title for panels in (beside, *above) for panel in panels}
        self._has_panel |= any((beside, *above))
        self._n_responses += len(above)
        self._n_bare_responses += sum(not (beside or own) for own in above)

    def warnings(self, study: Study) -> list[str | Remedy]:
        """Return a sentence for each of the first, with its line. The study may have the other side already."""
        return [
            *self._one_source(),
            *self._alike(),
            *self._ungrounded(),
            *self._bare_responses(),
            *self._unrated(study),
        ]

    def _ungrounded(self) -> list[Remedy]:
        """Warn of dialogues without any panel, if the protocol asks about what one says."""
        if not self._grounded or self._has_panel or not self._n_dialogues:
            return []
        text = _(
            "This protocol asks about “%(question)s”, but no dialogue or response has a context panel, so annotators "
            "see no fact or persona. In a table, %(how)s; in objects, use the field “context”."
        )
        return [Remedy.saying(text, question=self._grounded, how=choose_one_of("context", "response_context"))]

    def _bare_responses(self) -> list[str]:
        """Warn of responses without any panel where others have one: a cell may be empty by mistake."""
        if not self._has_panel or not self._n_bare_responses:
            return []
        title = "".join(self._titles) if len(self._titles) == 1 else ""
        text = ngettext(
            "%(n)s of %(total)s responses has no “%(title)s”.",
            "%(n)s of %(total)s responses have no “%(title)s”.",
            self._n_bare_responses,
        )
        untitled = ngettext(
            "%(n)s of %(total)s responses has no context panel.",
            "%(n)s of %(total)s responses have no context panel.",
            self._n_bare_responses,
        )
        numbers = {"n": intcomma(self._n_bare_responses), "total": intcomma(self._n_responses)}
        return [text % {**numbers, "title": title} if title else untitled % numbers]

    def _one_source(self) -> list[Remedy]:
        """Warn of several responses to a dialogue that all seem to be of one source: no column names it."""
        if not self._is_table or self._has_sources or self._n_alike < 2:
            return []
        text = _(
            "No column names the source: dialogues have up to %(n)s responses, all of one source, “%(source)s”. To "
            "compare systems, %(how)s."
        )
        return [Remedy.saying(text, n=str(self._n_alike), source=ONLY_SOURCE, how=choose_columns("source"))]

    def _alike(self) -> list[str]:
        """Say what became of rows without an id that have the prompt of another row."""
        n = self._n_prompts_alike
        if not n or not (self._is_wide or self._has_sources):  # otherwise no column names the source
            return []
        if self._is_wide:
            text = ngettext(
                "%(number)s row has the prompt of an earlier row and is a dialogue of its own. To bring rows together, "
                "give them the same id in a column “dialogue”.",
                "%(number)s rows have the prompt of an earlier row, and each is a dialogue of its own. To bring rows "
                "together, give them the same id in a column “dialogue”.",
                n,
            )
        else:
            text = ngettext(
                "%(number)s row has the prompt and the source of another row: their responses belong to one dialogue.",
                "%(number)s rows have the prompt and the source of another row: their responses belong to one "
                "dialogue.",
                n,
            )
            text += " " + _("To keep rows apart, give those that belong together an id in a column “dialogue”.")
            text += " " + _("Otherwise every pair of them may be compared.") if self._compares else ""
        return [text % {"number": intcomma(n)}]

    def _unrated(self, study: Study) -> Sequence[str | Remedy]:
        if self._n_dialogues and not self._n_rated:
            if self._has_responses:
                return [self._no_response()]
            if self._is_comparing and not self._n_matched:
                return [_("Nothing can be compared: no dialogue has responses, or a source and a scenario.")]
        if self._bare is not None:
            text = _(
                "a dialogue has no responses, but this protocol rates responses. No batches can be made of it. If the "
                "file is a chat log, import it as a chat log instead."
            )
            return [_on_line(self._bare, text)]
        scenario = _(
            "the scenario %(name)r has a dialogue of only one source, %(source)s. Import the dialogue of another "
            "source too, or remove this one: until then, no batches can be made."
        )
        dialogue = _(
            "the dialogue %(name)r has responses of only one source, %(source)s. Add a response of another source, or "
            "remove the dialogue: until then, no batches can be made."
        )
        found = [(side.line, scenario % side._asdict()) for side in self._lone(study)]
        found += [(side.line, dialogue % side._asdict()) for side in self._one_sided]
        said = [_on_line(line, text) for line, text in sorted(found)]
        if more := len(said[MOST_WARNINGS:]):
            text = ngettext("And %(number)s more.", "And %(number)s more.", more)
            return [*said[:MOST_WARNINGS], text % {"number": intcomma(more)}]
        return said

    def _no_response(self) -> str | Remedy:
        """Return that no dialogue has a response, and what to do if the file looks like a chat log."""
        said = (
            _("No dialogue has a response, so only the questions about whole dialogues can be asked.")
            if self._rates_wholes
            else _("Nothing can be rated: this protocol rates responses, and no dialogue has one.")
        )
        if not self._has_messages:
            return said
        remedy = Remedy.saying(_("The file looks like a chat log: %(how)s."), how=as_chat_log())
        return Remedy.everywhere(f"{said} ").then(remedy)

    def _lone(self, study: Study) -> list[_Side]:
        lone = {name: side for name, side in self._scenarios.items() if side}
        stored = (
            study.dialogues.filter(scenario__in=list(lone), source__isnull=False) if lone else study.dialogues.none()
        )
        for name, source in stored.values_list("scenario", "source__key"):
            if name in lone and lone[name].source != source:
                del lone[name]
        return list(lone.values())
