"""What the questions of a reporting standard are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise


class Kind(StrEnum):
    """How a question is answered."""

    WORDS = "words"
    LINE = "line"  # words without a line break
    NUMBER = "number"
    ONE = "one"  # of the options
    SEVERAL = "several"  # of the options
    LANGUAGES = "languages"  # named in words


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question. An open one asks for words beside it."""

    number: int
    text: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A page where a setting gives the answer: the name of its route, a place on it, and the right to change it."""

    route: str
    right: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class DatasheetQuestion:
    """A question. `fact` names the function in FACTS that answers it, and is empty if the database cannot.

    `to_do` says what to write if there is no answer, `to_add` what to add to the answer of the database. What is
    written for a `related` question of another standard answers this one until somebody writes here. `pick` names the
    function in PICKS that chooses among the options, `field` the element of the standard's form.
    """

    number: str
    text: str
    to_do: str
    fact: str = ""
    to_add: str = ""
    kind: Kind = Kind.WORDS
    options: tuple[Option, ...] = ()
    pick: str = ""
    field: str = ""
    related: tuple[str, ...] = ()
    place: Place | None = None

    @property
    def has_choice(self) -> bool:
        """Return whether one choice answers it. Of section 4, each criterion needs one, so it is answered in words."""
        return bool(self.options) and not self.number.startswith("4")


@dataclass(frozen=True, slots=True)
class Standard:
    """A reporting standard: its questions by section. `source` names the publication.

    A section is the beginning of its questions' numbers: 1, 2, 3.1 ... 4.3, 5.
    """

    key: str
    name: str | Promise
    source: str
    sections: Mapping[str, str | Promise]
    questions: tuple[DatasheetQuestion, ...]
    has_form: bool = False

    def section_of(self, number: str) -> str:
        return next(section for section in self.sections if number.startswith(section))

    def question(self, number: str) -> DatasheetQuestion:
        return next(question for question in self.questions if question.number == number)
