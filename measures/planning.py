"""How many dialogues a comparison of two systems needs, and what a given number can detect.

The variance of the mean difference is (s_B + s_W / r) / N + s_A / annotators: dialogues differ in the
difference of the systems (s_B), single ratings scatter (s_W), and annotators differ in which system they
like (s_A), against which only more annotators help.

Source: project statistics, section 4.6.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.crossed import complete_batches, crossed_variance
from measures.estimate import TOO_FEW_ITEMS
from measures.intervals import special

MORE_ANNOTATORS = "more_annotators"


@dataclass(frozen=True, slots=True)
class Plan:
    """Dialogues needed, or None with the reason 'more_annotators': no number of dialogues is enough."""

    n_dialogues: int | None
    reason: str | None = None


def n_dialogues(
    difference: float,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    s_annotator: float = 0.0,
    n_annotators: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> Plan:
    """Dialogues to detect a difference: ceil of (z_level/2 + z_power)^2 (s_B + s_W / r) / d^2.

    Parameters
    ----------
    difference : float
        In points of the scale (.10 for ten points of a share); its sign does not matter.
    ratings : int
        Ratings of each system per dialogue, r.
    s_between, s_within, s_annotator : float
        Variances of the difference, see :func:`components_of_pilot`.
    n_annotators : int, optional
        Annotators in the whole study; needed with `s_annotator`.
    power, level : float
        Of the two-sided test.
    """
    shared = _annotator_part(s_annotator, n_annotators)
    if not difference:
        raise ValueError("no number of dialogues shows that there is no difference")
    room = difference**2 / _multiplier(power, level) - shared
    if room <= 0:
        return Plan(None, MORE_ANNOTATORS)
    needed = _dialogue_part(ratings, s_between, s_within) / room
    # A rounding error must not cost a dialogue.
    return Plan(max(1, math.ceil(needed - 1e-9)))


def detectable_difference(
    dialogues: int,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    s_annotator: float = 0.0,
    n_annotators: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> float:
    """The smallest difference found with this power: the inverse of :func:`n_dialogues`."""
    if dialogues < 1:
        raise ValueError("a plan has at least one dialogue")
    variance = _dialogue_part(ratings, s_between, s_within) / dialogues + _annotator_part(s_annotator, n_annotators)
    return math.sqrt(_multiplier(power, level) * variance)


def _multiplier(power: float, level: float) -> float:
    """(z_level/2 + z_power)^2: 7.849 for 80% and 5%."""
    if not 0 < level < 1 or not level / 2 < power < 1:
        raise ValueError("level and power lie between 0 and 1, power above half the level")
    return float(special().ndtri(1 - level / 2) + special().ndtri(power)) ** 2


def _dialogue_part(ratings: int, s_between: float, s_within: float) -> float:
    if ratings < 1 or min(s_between, s_within) < 0:
        raise ValueError("a plan has at least one rating and no negative variance")
    return s_between + s_within / ratings


def _annotator_part(s_annotator: float, n_annotators: int | None) -> float:
    if s_annotator < 0 or (s_annotator and not n_annotators):
        raise ValueError("a variance of annotators is not negative and needs their number")
    return s_annotator / n_annotators if n_annotators else 0.0


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the difference of two systems, from a pilot.

    Attributes
    ----------
    s_between, s_within, s_annotator : float or None
        Between dialogues, between ratings of a dialogue, between annotators. `s_within` leaves out what
        annotators have in common over dialogues: that is `s_annotator`.
    clipped : tuple of str
        Those whose estimate was negative and is reported as 0.
    n_dialogues, n_annotators : int
        That carry the estimates.
    n_dialogues_left_out : int
        For gaps, or in batches with a single dialogue or annotator.
    reason : 'too_few_items' without a batch of two dialogues and two annotators, else None
    """

    s_between: float | None
    s_within: float | None
    s_annotator: float | None
    clipped: tuple[str, ...]
    n_dialogues: int
    n_annotators: int
    n_dialogues_left_out: int
    reason: str | None = None


def components_of_pilot(differences: Sequence[npt.ArrayLike]) -> Components:
    """Variance components by equating mean squares (ANOVA estimators), for :func:`n_dialogues`.

    Parameters
    ----------
    differences : sequence of (dialogues, annotators) arrays, one per batch
        As for :func:`measures.systems.crossed_variance_t`.
    """
    whole = complete_batches(differences)
    crossed = [batch for batch in whole.batches if min(batch.shape) >= 2]
    dialogues, annotators = (sum(batch.shape[axis] for batch in crossed) for axis in (0, 1))
    left_out = sum(len(np.asarray(batch)) for batch in differences) - dialogues
    found = crossed_variance(crossed)
    if found is None:
        return Components(None, None, None, (), 0, 0, left_out, TOO_FEW_ITEMS)
    dialogue, annotator, residual = found.mean_squares.tolist()
    raw = {
        "s_between": (dialogue - residual) / found.per_dialogue,
        "s_within": residual,
        "s_annotator": (annotator - residual) / found.per_annotator,
    }
    clipped = tuple(name for name, value in raw.items() if value < 0)
    between, within, shared = (max(0.0, value) for value in raw.values())
    return Components(between, within, shared, clipped, dialogues, annotators, left_out)
