"""A statistic of the report with the sentences that explain it to a reader who does not know it."""

from dataclasses import dataclass

from django.utils.translation import gettext_noop

from reporting.explained import STATISTICS
from reporting.labels import said as _

FOR_NEW = gettext_noop(
    "The interval and the test hold for other annotators and other dialogues of the same kind, not only for yours."
)
FOR_THESE = gettext_noop("The interval holds for the annotators of this study, and for other items of the same kind.")
MORE = gettext_noop("More: docs/%(page)s, section “%(section)s”.")


@dataclass(frozen=True, slots=True)
class Term:
    """What a statistic is, then how to read it and for whom it holds; stored in English, as in STATISTICS.

    `section` is a heading of `page` in docs/, which is written in English only.
    """

    key: str
    english_name: str
    english_sentences: tuple[str, ...]
    section: str
    page: str = "statistics.md"

    @property
    def name(self) -> str:
        return _(self.english_name)

    @property
    def sentences(self) -> list[str]:
        return [*(_(each) for each in self.english_sentences), _(MORE) % {"page": self.page, "section": self.section}]


def as_on_the_board(key: str, *more: str, section: str = "Coefficients") -> Term:
    """Return the statistic of the board with its definition there, and how to read it in a table."""
    known = STATISTICS[key]
    return Term(key, known.english_name, (known.english_definition, *more), section)
