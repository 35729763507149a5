"""Write a judge's prompts from the protocol version and the item, never from people's answers, and read replies.

Nothing hidden goes into a prompt either: no source, no key of a candidate, no sub-dimension.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.context import ContextPanel, context_above, context_of
from annotation.models import Candidate, Dialogue, JudgeRun
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec
from protocols.translating import WorkedExample, examples_in, spec_in, texts_in

Turn = Mapping[str, Any]
MOST_ANSWER_TOKENS = 300
OBJECT = re.compile(r"\{[^{}]*\}")
SYSTEM = (
    "You evaluate dialogues as a careful human annotator would. Read the whole dialogue first and judge only what the "
    "question asks about. Answer with one JSON object and nothing else."
)


@dataclass(frozen=True, slots=True)
class Target:
    """A response, or a dialogue as a whole, that is judged."""

    candidate_id: int | None
    dialogue_id: int | None
    turns: Sequence[Turn]
    context: Sequence[ContextPanel]
    response: str | None
    above: Sequence[ContextPanel] = ()  # what stands above the response

    @property
    def key(self) -> int:
        """Return one number for both kinds: above 0 for candidates, below for dialogues."""
        return self.candidate_id or -(self.dialogue_id or 0)


def judgeable(spec: VersionSpec) -> tuple[CriterionSpec, ...]:
    """Return the criteria that are asked about every item and take one option: others cannot be asked alone."""
    if spec.unit not in (ProtocolVersion.Unit.RESPONSE, ProtocolVersion.Unit.DIALOGUE):
        return ()
    return tuple(each for each in spec.counted if each.unit == spec.unit)


def not_judged(spec: VersionSpec) -> str:
    """Return what a judge of this protocol is not asked, and what to do instead; empty if it is asked all it can be."""
    if ProtocolVersion.Unit.COMPARISON in spec.units:
        return _(
            "A model judge cannot compare: it is asked about one response, or one dialogue, at a time. To see what a "
            "model prefers, ask it with a program of your own, and rank the sources from the file of its preferences "
            "with “manage.py rank”."
        )
    if not judgeable(spec):
        return _("This protocol has no single-choice criterion that is asked about every response or every dialogue.")
    return ""


def target_of(dialogue: Dialogue, candidate: Candidate | None) -> Target:
    return Target(
        candidate_id=candidate.pk if candidate else None,
        dialogue_id=None if candidate else dialogue.pk,
        turns=dialogue.turns,
        context=context_of(dialogue),
        response=candidate.text if candidate else None,
        above=context_above(candidate) if candidate else (),
    )


class Prompter:
    """Write the prompts of one run. Its examples are drawn once, so that every item is judged with the same ones."""

    def __init__(self, run: JudgeRun) -> None:
        version = run.protocol_version
        self._run = run
        self._spec = spec_in(version, run.content_language)
        self._texts = texts_in(version, run.content_language)
        self._shots: dict[int, list[tuple[Target, OptionSpec]]] = {}
        for key in run.criteria:
            criterion = self._spec.by_id[key]
            known = list(_shots(version, criterion, run.content_language)) if run.n_shots else []
            drawn = random.Random(f"{run.seed}|{criterion.key}")  # noqa: S311 - the study's seed, not a secret
            self._shots[key] = drawn.sample(known, min(run.n_shots, len(known)))

    def criterion(self, criterion_id: int) -> CriterionSpec:
        return self._spec.by_id[criterion_id]

    def body(self, target: Target, criterion_id: int) -> dict[str, Any]:
        """Return the request as it is sent and stored."""
        criterion = self.criterion(criterion_id)
        parts = [SYSTEM]
        if self._texts.guidelines_short:
            parts.append(f"Guidelines:\n{self._texts.guidelines_short}")
        parts.extend(self._texts.notices)
        messages = [{"role": "system", "content": "\n\n".join(parts)}]
        for shot, option in self._shots[criterion_id]:
            messages.append({"role": "user", "content": self._question(shot, criterion)})
            messages.append({"role": "assistant", "content": json.dumps({"answer": option.key})})
        messages.append({"role": "user", "content": self._question(target, criterion)})
        return {
            "model": self._run.model,
            "messages": messages,
            "temperature": self._run.temperature,
            "seed": self._run.seed,
            "max_tokens": MOST_ANSWER_TOKENS,
        }

    def _question(self, target: Target, criterion: CriterionSpec) -> str:
        keys = " | ".join(json.dumps({"answer": option.key}) for option in criterion.options)
        parts = list(map(_read, target.context))
        turns = []
        for number, turn in enumerate(target.turns, start=1):
            said = f"{turn['speaker']}: {turn['text']}" if turn["speaker"] else turn["text"]
            turns.append(f"[{number}] {said}")
        parts.append("Dialogue:\n" + "\n".join(turns))
        parts += map(_read, target.above)
        if target.response is not None:
            parts.append(f"Response to judge, as the next turn of this dialogue:\n{target.response}")
        parts.append(f"Question: {criterion.question}")
        if criterion.definition:
            parts.append(f"Definition: {criterion.definition}")
        answers = ["Answers:"]
        for option in criterion.options:
            answers.append(
                f'- "{option.key}": {option.label}' + (f". {option.definition}" if option.definition else "")
            )
            answers += [f"  - {condition}" for condition in option.conditions]
        parts.append("\n".join(answers))
        parts.append(f"Reply with exactly one of: {keys}")
        return "\n\n".join(parts)


def _read(panel: ContextPanel) -> str:
    if not panel.facts:
        return f"{panel.title}:\n{panel.text}"
    facts = "\n".join(f"{number}. {fact}" for number, fact in enumerate(panel.facts, start=1))
    return f"{panel.title or 'Persona facts'}:\n{facts}"


def n_examples(version: ProtocolVersion, criteria: Iterable[CriterionSpec]) -> int:
    """Return the number of examples of the criterion that has the fewest."""
    return min((len(list(_shots(version, each))) for each in criteria), default=0)


def _shots(
    version: ProtocolVersion, criterion: CriterionSpec, language: str = ""
) -> Iterator[tuple[Target, OptionSpec]]:
    """Yield every worked example whose evaluation is an option of the criterion."""
    options = {option.key: option for option in criterion.options}
    for example in (each for each in examples_in(version, language) if each.criterion_id == criterion.id):
        for target, key in _evaluated(example, version.unit):
            if key in options:
                yield target, options[key]


def _evaluated(example: WorkedExample, unit: str) -> Iterator[tuple[Target, str]]:
    turns = example.history
    context = (ContextPanel("", facts=tuple(example.facts)),) if example.facts else ()
    if unit == ProtocolVersion.Unit.DIALOGUE:
        if example.option and not example.rated_turn:
            yield Target(None, None, turns, context, None), example.option
        return
    for candidate in example.candidates:
        yield Target(None, None, turns, context, candidate.get("text", "")), candidate.get("option", "")
    at = example.rated_turn
    if example.option and at and at <= len(turns):
        yield Target(None, None, turns[: at - 1], context, turns[at - 1]["text"]), example.option


# --- the answer -----------------------------------------------------------------------------------
def parse_answer(text: str, criterion: CriterionSpec) -> OptionSpec | None:
    """Return the option that the answer names, or None: nothing is guessed.

    Accepted are a JSON object with "answer", alone or within other text, and a text that is only an option's key or
    label. Two objects that name different options are no answer.
    """
    named = []
    for piece in [text.strip(), *OBJECT.findall(text)]:
        try:
            value = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "answer" in value:
            named.append(_named(value["answer"], criterion))
    if named:
        return named[0] if len({each and each.key for each in named}) == 1 else None
    return _named(text.strip().strip("`\"'*. \n"), criterion)


def _named(value: object, criterion: CriterionSpec) -> OptionSpec | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    said = str(value).strip().casefold()
    for name in ("key", "label"):
        for option in criterion.options:
            if said == getattr(option, name).casefold():
                return option
    return None
