"""Turn the answers of a ratings file into numbers to compare: as written, yes and no, or positive and other answers."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Never

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from reporting.file_options import USUAL, Missing
from reporting.offline import number_of

TextArray = npt.NDArray[np.object_]

SCALES = ("binary", "ordinal", "interval")
BINARY_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# The roles of answers in our own exports.
POSITIVE, EXCLUDING, UNSURE = "positive", "excluding", "unsure"
SHOWN_ANSWERS = 5
# Refuses the row of this number, for this reason.
Refuse = Callable[[int, str], Never]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How answers become numbers: `positive` answers are 1 and others 0, or the column `role` says which are.

    Intervals of means stop at the `ends` of the scale; those of shares stop at 0 and 1.
    """

    scale: str | None = None
    positive: tuple[str, ...] = ()
    role: str | None = None
    missing: Missing = USUAL
    ends: tuple[float, float] = (-np.inf, np.inf)

    def bounds(self, values: FloatArray) -> tuple[float, float]:
        is_share = self.scale == "binary" or (self.scale is None and bool(np.isin(values, (0.0, 1.0)).all()))
        return (0.0, 1.0) if is_share else self.ends

    def scores(self, texts: TextArray, roles: TextArray | None, refuse: Refuse) -> FloatArray:
        """Return the number of each answer, NaN for a missing one."""
        if roles is not None:
            return self._by_role(texts, roles, refuse)
        if self.positive:
            return self._of_levels(texts, lambda text: float(text in self.positive))
        return self._numbers(texts, refuse)

    def _by_role(self, texts: TextArray, roles: TextArray, refuse: Refuse) -> FloatArray:
        """Return the scores of the report: numbers without unsure answers, or 1 for positive and 0 for others."""
        found = self._numbers(np.where(np.isin(roles, (EXCLUDING, UNSURE)), "", texts), refuse)
        if not np.isnan(found).all() or not (roles == POSITIVE).any():
            return found
        return np.where(np.isin(roles, ("", EXCLUDING)), np.nan, (roles == POSITIVE).astype(float))

    def _numbers(self, texts: TextArray, refuse: Refuse) -> FloatArray:
        found = self._of_levels(texts, self._number)
        wrong = np.isnan(found) & ~self.are_missing(texts)
        if self.scale == "binary":
            wrong |= ~np.isnan(found) & ~np.isin(found, (0.0, 1.0))
        if wrong.any():
            refuse(int(np.argmax(wrong)), self._why_wrong(texts, wrong))
        return found

    def _number(self, text: str) -> float:
        number = BINARY_WORDS.get(text.lower()) if self.scale in ("binary", None) else None
        number = number_of(text) if number is None else number
        return np.nan if number is None else number

    def _of_levels(self, texts: TextArray, number: Callable[[str], float]) -> FloatArray:
        """Apply `number` once to each different answer that is not missing."""
        levels, codes = np.unique(texts.astype(str), return_inverse=True)
        numbers = [np.nan if self.missing.holds(text) else number(text) for text in levels.tolist()]
        return np.array(numbers, float)[codes.ravel()]

    def not_positive(self, texts: TextArray, roles: TextArray | None, scores: FloatArray) -> list[str]:
        """Return a warning about which answers score 0 because they are not positive, such as unsure ones."""
        given = ~np.isnan(scores)
        is_share = bool(self.positive) or (roles is not None and bool(np.isin(scores[given], (0.0, 1.0)).all()))
        others = (texts if roles is None else roles)[given & (scores == 0)]
        if not is_share or not len(others):
            return []
        verb = "counts" if len(others) == 1 else "count"
        return [f"{len(others):,} of {int(given.sum()):,} answers {verb} as not positive ({_most_frequent(others)})"]

    def are_missing(self, texts: TextArray) -> npt.NDArray[np.bool_]:
        return np.isnan(self._of_levels(texts, lambda text: 0.0))

    def _why_wrong(self, texts: TextArray, wrong: npt.NDArray[np.bool_]) -> str:
        """Say what is wrong with the first answer that is no number, and which option helps."""
        wanted = "0 or 1, yes or no, true or false" if self.scale == "binary" else "a number"
        given = texts[~self.are_missing(texts)].tolist()
        others = sorted(set(given) - set(texts[wrong].tolist()))
        first = texts[wrong][0]
        if not others:
            return (
                f"{first!r} is not {wanted}, and no answer is: name those that count as 1 with --positive, or add "
                f"--role role if this is an export of Parley. The answers are {_most_frequent(np.array(given, object))}"
            )
        return (
            f"{first!r} is not {wanted}: one of {int(wrong.sum()):,} such values among {len(given):,} (others are "
            f"{', '.join(others[:SHOWN_ANSWERS])}). Correct it, leave it out with --missing {first!r}, or name the "
            "answers that count as 1 with --positive"
        )


def _most_frequent(answers: TextArray) -> str:
    """Return the most frequent answers with their numbers, and the number of all others."""
    counts = Counter(answers.tolist()).most_common()
    said = [f"{answer} {n:,}" for answer, n in counts[:SHOWN_ANSWERS]]
    if rest := sum(n for _answer, n in counts[SHOWN_ANSWERS:]):
        said.append(f"others {rest:,}")
    return ", ".join(said)
