"""The only parser of an answer, built from a protocol version. Pages and API both come through here."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from protocols.models import Option
from protocols.specs import CriterionSpec, OptionSpec

LONGEST_TEXT = 20_000  # characters: a word range alone would let one endless word through


@dataclass(frozen=True, slots=True)
class Answer:
    """A valid answer, in ids of rows. Texts are stripped and in Unicode NFC."""

    criterion_id: int
    option_id: int
    explanation_ids: tuple[int, ...]
    free_text: str


class InvalidAnswer(ValueError):
    """`errors` is {field: sentence}; the fields are option, explanations and free_text."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


def parse_answer(
    criterion: CriterionSpec, option: str, explanations: Iterable[str] = (), free_text: str = ""
) -> Answer:
    """Turn the codes of a form or request into an Answer.

    Raises InvalidAnswer naming each field that is missing or wrong.
    """
    chosen = criterion.option(option)
    if chosen is None:
        raise InvalidAnswer({"option": f"Choose one of the answers to “{criterion.name}”."})
    text = unicodedata.normalize("NFC", free_text).replace("\x00", "").strip()
    codes = set(explanations)
    errors = _explanation_errors(chosen, codes) | _text_errors(criterion, chosen, text)
    if errors:
        raise InvalidAnswer(errors)
    ids = tuple(each.id for each in chosen.explanations if each.code in codes)
    return Answer(criterion_id=criterion.id, option_id=chosen.id, explanation_ids=ids, free_text=text)


def _explanation_errors(option: OptionSpec, codes: set[str]) -> dict[str, str]:
    unknown = codes - {each.code for each in option.explanations}
    return {"explanations": f"“{option.label}” has no such explanation."} if unknown else {}


def _text_errors(criterion: CriterionSpec, option: OptionSpec, text: str) -> dict[str, str]:
    words = len(text.split())
    if option.asks == Option.Asks.NOTHING and text:
        return {"free_text": f"“{option.label}” takes no explanation."}
    if option.asks == Option.Asks.FREE_TEXT and not text:
        return {"free_text": f"Say why you chose “{option.label}” in {criterion.words_min} words or more."}
    if text and not criterion.words_min <= words <= criterion.words_max:
        wanted = f"{criterion.words_min} to {criterion.words_max} words"
        return {"free_text": f"Write {wanted}: this has {words}."}
    if len(text) > LONGEST_TEXT:
        return {"free_text": f"Write at most {LONGEST_TEXT:,} characters."}
    return {}
