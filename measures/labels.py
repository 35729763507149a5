"""Words and warnings shown with results: optional reading aids, never a decision."""

import decimal
from collections.abc import Callable
from enum import StrEnum

import numpy as np
import numpy.typing as npt

HIGH_AGREEMENT = 0.85
LOW_KAPPA = 0.4
DOMINANT_SHARE = 0.9
PREVALENCE_PARADOX = "prevalence_paradox"
DOMINANT_ANSWER = "dominant_answer"
BIAS_PARADOX = "bias_paradox"
SINGLE_ANSWERS = "single_answers"
BIAS = 0.2  # share of one rater's answers that would have to change to make both raters' frequencies equal
FEWEST_ITEMS_FOR_BIAS = 20  # with fewer items, chance alone makes them differ as much

_LANDIS_KOCH = ((0.20, "slight"), (0.40, "fair"), (0.60, "moderate"), (0.80, "substantial"))


def landis_koch(value: float | None) -> str | None:
    """Return the word of Landis & Koch 1977, Biometrics 33:159; None for an undefined value.

    Poor below 0, slight to .20, fair to .40, moderate to .60, substantial to .80, almost_perfect above; of the number
    as it is shown.
    """
    if value is None:
        return None
    shown = _as_shown(value)
    if shown < 0:
        return "poor"
    return next((word for upper, word in _LANDIS_KOCH if shown <= upper), "almost_perfect")


def krippendorff_word(value: float | None) -> str | None:
    """Return Krippendorff's (2004) word: 'reliable' from .800, 'tentative' from .667, 'unreliable' below, or None.

    It is the word of the number as it is shown.
    """
    if value is None:
        return None
    shown = _as_shown(value)
    if shown >= 0.800:
        return "reliable"
    return "tentative" if shown >= 0.667 else "unreliable"


def _as_shown(value: float) -> float:
    """Return the value with two decimals: -0.003 is shown as 0.00, and "poor" beside it would contradict the legend."""
    return float(decimal.Decimal(repr(float(value))).quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_UP))


class WordScale(StrEnum):
    LANDIS_KOCH = "landis_koch"
    KRIPPENDORFF = "krippendorff"
    NONE = "none"


# For kappas and AC1, by the name of a scale.
WORD_SCALES: dict[str, Callable[[float | None], str | None]] = {
    WordScale.LANDIS_KOCH: landis_koch,
    WordScale.KRIPPENDORFF: krippendorff_word,
    WordScale.NONE: lambda _value: None,
}


LOWEST_WORDS = frozenset(("poor", "unreliable"))  # as a lower bound they say nothing


def alpha_word(scale: str, value: float | None) -> str | None:
    """Return Krippendorff's word for alpha, for any scale of the kappas; None if no words are wanted."""
    return None if scale == WordScale.NONE else krippendorff_word(value)


def prevalence_warnings(agreement: float | None, kappa: float | None, largest_share: float | None) -> tuple[str, ...]:
    """Warn that a low kappa may come from one very frequent answer (Feinstein & Cicchetti 1990).

    Parameters
    ----------
    agreement : mean pairwise agreement, 0 to 1
    kappa : the chance-corrected coefficient
    largest_share : share of all ratings on the most frequent answer

    Returns
    -------
    tuple of str
        'prevalence_paradox' if agreement >= .85 and kappa < .4; 'dominant_answer' if the share is >= .9.
        Unknown (None) numbers give no warning.
    """
    found = []
    if agreement is not None and kappa is not None and agreement >= HIGH_AGREEMENT and kappa < LOW_KAPPA:
        found.append(PREVALENCE_PARADOX)
    if largest_share is not None and largest_share >= DOMINANT_SHARE:
        found.append(DOMINANT_ANSWER)
    return tuple(found)


def single_answer_warnings(value: float | None, n_items: int, n_single: int) -> tuple[str, ...]:
    """Warn that items with one rating make a Fleiss kappa or AC1 hard to read.

    They enter the expected agreement but not the observed one (Gwet 2014), so the two come from different items. Only
    this can take Fleiss kappa below -1: with two or more ratings on every item it never is.

    Parameters
    ----------
    value : the coefficient
    n_items : items with two or more ratings
    n_single : items with one rating

    Returns
    -------
    tuple of str
        'single_answers' if there are more of them than of the other items, or the value is below -1.
    """
    if value is None or not n_single:
        return ()
    return (SINGLE_ANSWERS,) if n_single > n_items or value < -1 else ()


def bias_warnings(table: npt.ArrayLike) -> tuple[str, ...]:
    """Warn that two raters use the answers with different frequencies, which raises Cohen's kappa.

    Feinstein & Cicchetti 1990; the bias index of Byrt, Bishop & Carlin 1993, here for K answers.

    Parameters
    ----------
    table : (K, K) int array
        Items by the answer of the first (rows) and of the second (columns).

    Returns
    -------
    tuple of str
        'bias_paradox' if half the sum of |row share - column share| is .2 or more, from 20 items on. Of two tables
        with 60% agreement, 25/35/5/35 (kappa .259) gives the warning and 45/15/25/15 (kappa .130) does not.
    """
    square = np.asarray(table, float)
    n = square.sum()
    if n < FEWEST_ITEMS_FOR_BIAS:
        return ()
    moved = np.abs(square.sum(axis=1) - square.sum(axis=0)).sum() / 2 / n
    # Differences such as 0.3 - 0.1 are slightly below 0.2.
    return (BIAS_PARADOX,) if moved >= BIAS - 1e-9 else ()
