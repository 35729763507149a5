"""The only parser of an answer, built from a protocol version. Pages and API both come through here."""

import unicodedata
from dataclasses import dataclass

from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec
from protocols.words import count_words

LONGEST_TEXT = 20_000  # characters: a word range alone would let one endless word through


@dataclass(frozen=True, slots=True)
class Given:
    """An answer in the codes of a form or request, not yet looked at. Which fields count depends on the criterion."""

    option: str = ""
    explanations: tuple[str, ...] = ()
    free_text: str = ""
    options: tuple[str, ...] = ()  # of a multiple choice
    turns: tuple[int, ...] = ()  # marked turns, counted from 1


@dataclass(frozen=True, slots=True)
class Answer:
    """A valid answer, in ids of rows. Texts are stripped and in Unicode NFC; turns ascend."""

    criterion_id: int
    option_id: int | None = None
    explanation_ids: tuple[int, ...] = ()
    free_text: str = ""
    choice_ids: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()


class InvalidAnswer(ValueError):
    """`errors` is {field: sentence}; the fields are option, explanations, free_text, options and turns."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


def parse_answer(criterion: CriterionSpec, given: Given, n_turns: int = 0) -> Answer:
    """Turn what was given into an Answer. `n_turns`: of the dialogue, for criteria that mark turns.

    Raises InvalidAnswer naming each field that is missing or wrong.
    """
    if criterion.kind == Criterion.Kind.MULTIPLE:
        return _parse_multiple(criterion, given)
    if criterion.kind == Criterion.Kind.TURNS:
        return _parse_turns(criterion, given, n_turns)
    if criterion.kind == Criterion.Kind.COMPUTED:
        raise InvalidAnswer({"option": f"“{criterion.name}” follows from other answers and is not asked."})
    return _parse_single(criterion, given)


def _parse_single(criterion: CriterionSpec, given: Given) -> Answer:
    chosen = criterion.option(given.option)
    if chosen is None:
        raise InvalidAnswer({"option": f"Choose one of the answers to “{criterion.name}”."})
    text = unicodedata.normalize("NFC", given.free_text).replace("\x00", "").strip()
    codes = set(given.explanations)
    errors = _text_errors(chosen, text) | _explanation_errors(chosen, codes, text)
    if errors:
        raise InvalidAnswer(errors)
    ids = tuple(each.id for each in chosen.explanations if each.code in codes)
    return Answer(criterion.id, chosen.id, ids, text)


def _parse_multiple(criterion: CriterionSpec, given: Given) -> Answer:
    known = {option.code: option.id for option in criterion.options}
    if set(given.options) - known.keys():
        raise InvalidAnswer({"options": f"“{criterion.name}” has no such answer."})
    if criterion.required and not given.options:
        raise InvalidAnswer({"options": f"Choose at least one answer to “{criterion.name}”."})
    return Answer(criterion.id, choice_ids=tuple(known[code] for code in known if code in given.options))


def _parse_turns(criterion: CriterionSpec, given: Given, n_turns: int) -> Answer:
    turns = sorted(set(given.turns))
    if turns and not 1 <= turns[0] <= turns[-1] <= n_turns:
        raise InvalidAnswer({"turns": f"The dialogue has {n_turns} turns."})
    if criterion.required and not turns:
        raise InvalidAnswer({"turns": f"Mark at least one turn for “{criterion.name}”."})
    return Answer(criterion.id, turns=tuple(turns))


def _explanation_errors(option: OptionSpec, codes: set[str], text: str) -> dict[str, str]:
    if codes - {each.code for each in option.explanations}:
        return {"explanations": f"“{option.label}” has no such explanation."}
    if option.asks == Option.Asks.EXPLANATION_REQUIRED and not codes and not text:
        return {"explanations": "Choose at least one reason, or say why in your own words."}
    return {}


def _text_errors(option: OptionSpec, text: str) -> dict[str, str]:
    words = count_words(text)
    if option.asks == Option.Asks.NOTHING and text:
        return {"free_text": f"“{option.label}” takes no explanation."}
    if option.asks == Option.Asks.FREE_TEXT and not text:
        return {"free_text": f"Say why you chose “{option.label}” in {option.words_min} words or more."}
    if text and not option.words_min <= words <= option.words_max:
        return {"free_text": f"Write {option.words_min} to {option.words_max} words: this has {words}."}
    if len(text) > LONGEST_TEXT:
        return {"free_text": f"Write at most {LONGEST_TEXT:,} characters."}
    return {}
