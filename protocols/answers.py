"""The only parser of answers: pages and the API both use it. It checks an answer against a criterion's spec."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec
from protocols.word_count import count_words

LONGEST_TEXT = 20_000  # characters: a word range alone would let one endless word through


@dataclass(frozen=True, slots=True)
class Given:
    """An unchecked answer, in the codes of a form or request. The criterion decides which fields count.

    An empty one says "none" to an optional question. It is stored like any answer: empty is not the same as unseen.
    """

    option: str = ""
    explanations: tuple[str, ...] = ()
    free_text: str = ""
    other: bool = False  # "Other" is ticked: free text is required
    options: tuple[str, ...] = ()  # for a multiple choice
    turns: tuple[int, ...] = ()  # marked turns, counted from 1


@dataclass(frozen=True, slots=True)
class Answer:
    """A valid answer, in ids of rows. Its text is stripped and in Unicode NFC; its turns are sorted."""

    criterion_id: int
    option_id: int | None = None
    explanation_ids: tuple[int, ...] = ()
    free_text: str = ""
    choice_ids: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()


class InvalidAnswer(ValueError):
    """An answer is invalid. `errors` maps option, explanations, free_text, options or turns to a sentence."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


def parse_answer(criterion: CriterionSpec, given: Given, n_turns: int = 0) -> Answer:
    """Return the checked answer. `n_turns` is the length of the dialogue, for criteria that mark turns.

    Raises InvalidAnswer naming each field that is missing or wrong.
    """
    if criterion.kind == Criterion.Kind.MULTIPLE:
        return _parse_multiple(criterion, given)
    if criterion.kind == Criterion.Kind.TURNS:
        return _parse_turns(criterion, given, n_turns)
    if criterion.kind == Criterion.Kind.COMPUTED:
        message = _("“%(name)s” follows from other answers and is not asked.")
        raise InvalidAnswer({"option": message % {"name": criterion.name}})
    if criterion.kind != Criterion.Kind.SINGLE:
        raise ValueError(f"Answers to questions of kind {criterion.kind} have no parser.")
    chosen = criterion.option(given.option)
    if not given.option and not criterion.required:
        return Answer(criterion.id)
    if chosen is None:
        raise InvalidAnswer({"option": _("Choose one of the answers to “%(name)s”.") % {"name": criterion.name}})
    text = unicodedata.normalize("NFC", given.free_text).replace("\x00", "").strip()
    codes = set(given.explanations)
    errors = _text_errors(chosen, text, is_other=given.other) | _explanation_errors(chosen, codes, text)
    if errors:
        raise InvalidAnswer(errors)
    ids = tuple(each.id for each in chosen.explanations if each.code in codes)
    return Answer(criterion.id, chosen.id, ids, text)


def _parse_multiple(criterion: CriterionSpec, given: Given) -> Answer:
    chosen = [option for option in criterion.options if option.code in given.options]
    if set(given.options) - {option.code for option in chosen}:
        raise InvalidAnswer({"options": _("“%(name)s” has no such answer.") % {"name": criterion.name}})
    if criterion.required and not chosen:
        raise InvalidAnswer({"options": _("Choose at least one answer to “%(name)s”.") % {"name": criterion.name}})
    if sentence := alone_error(chosen):
        raise InvalidAnswer({"options": sentence})
    return Answer(criterion.id, choice_ids=tuple(option.id for option in chosen))


def alone_error(chosen: Sequence[OptionSpec]) -> str:
    """Return a sentence if one of several chosen options must be chosen alone; otherwise an empty string."""
    alone = next((option for option in chosen if option.alone), None)
    if alone is None or len(chosen) == 1:
        return ""
    sentence = _("“%(label)s” cannot be combined with other answers: choose it alone, or not at all.")
    return sentence % {"label": alone.label}


def _parse_turns(criterion: CriterionSpec, given: Given, n_turns: int) -> Answer:
    turns = sorted(set(given.turns))
    if turns and not 1 <= turns[0] <= turns[-1] <= n_turns:
        raise InvalidAnswer({"turns": _("Mark only turns from 1 to %(n)s.") % {"n": n_turns}})
    if criterion.required and not turns:
        raise InvalidAnswer({"turns": _("Mark at least one turn for “%(name)s”.") % {"name": criterion.name}})
    return Answer(criterion.id, turns=tuple(turns))


def _explanation_errors(option: OptionSpec, codes: set[str], text: str) -> dict[str, str]:
    if codes - {each.code for each in option.explanations}:
        return {"explanations": _("“%(label)s” has no such reason.") % {"label": option.label}}
    if option.asks == Option.Asks.EXPLANATION_REQUIRED and not codes and not text:
        return {"explanations": _("Choose at least one reason, or say why in your own words.")}
    return {}


def _text_errors(option: OptionSpec, text: str, *, is_other: bool) -> dict[str, str]:
    words = count_words(text)
    if option.asks == Option.Asks.NOTHING and (text or is_other):
        return {"free_text": _("“%(label)s” needs no reason.") % {"label": option.label}}
    if option.asks == Option.Asks.FREE_TEXT and not text:
        found = {"label": option.label, "n": option.words_min}
        return {"free_text": _("Say why you chose “%(label)s” in %(n)s words or more.") % found}
    if is_other and not text:
        found = {"least": option.words_min, "most": option.words_max}
        return {"free_text": _("Write your own reason in %(least)s to %(most)s words, or untick “Other”.") % found}
    if text and not option.words_min <= words <= option.words_max:
        found = {"least": option.words_min, "most": option.words_max, "words": words}
        return {"free_text": _("Write %(least)s to %(most)s words. Your text has %(words)s.") % found}
    if len(text) > LONGEST_TEXT:
        return {"free_text": _("Write at most %(n)s characters.") % {"n": f"{LONGEST_TEXT:,}"}}
    return {}
