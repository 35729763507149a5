"""Wald's sequential test of a batch: items are checked one by one until the result is clear.

Its operating characteristic and its mean sample size are exact, by dynamic programming over the number of errors.
Wald 1947, Sequential Analysis, ch. 5.
"""

from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from measures.acceptance import ACCEPT, RETURN, Outcome, errors_allowed
from measures.arrays import FloatArray, IntArray

NEVER = -1


@dataclass(frozen=True, slots=True)
class SequentialRule:
    """Accept batches that are `good` with probability 1 - producer_risk, return `bad` ones with 1 - consumer_risk."""

    good: float = 0.95
    bad: float = 0.90
    producer_risk: float = 0.05
    consumer_risk: float = 0.10
    most_sampled: int = 400

    def __post_init__(self) -> None:
        if not 0 < self.bad < self.good < 1:
            raise ValueError("accuracies lie between 0 and 1, the bad below the good")
        if min(self.producer_risk, self.consumer_risk) <= 0 or self.producer_risk + self.consumer_risk >= 1:
            raise ValueError("risks are above 0 and below 1 together")


@dataclass(frozen=True, slots=True)
class Lines:
    """(n + 1,) limits after m items: accept with up to accept[m] errors (-1: not yet), return with at least back[m]."""

    accept: IntArray
    back: IntArray

    @property
    def n_most(self) -> int:
        return len(self.accept) - 1


@dataclass(frozen=True, slots=True)
class Characteristic:
    """(A,) probability of acceptance and mean number of items checked, for each true accuracy."""

    acceptance: FloatArray
    mean_sampled: FloatArray


def lines_of(rule: SequentialRule, n_items: int | None = None) -> Lines:
    """Return the limits at which the test stops, in whole errors.

    Notes
    -----
    A batch that has not reached the line of acceptance at the cap is returned, so that the consumer's risk holds. A
    batch that was checked to its last item (`n_items` up to the cap) is known exactly: it is accepted if it is `good`.
    """
    n_most = rule.most_sampled if n_items is None else min(rule.most_sampled, n_items)
    error, right = log((1 - rule.bad) / (1 - rule.good)), log(rule.bad / rule.good)
    low, high = log(rule.consumer_risk / (1 - rule.producer_risk)), log((1 - rule.consumer_risk) / rule.producer_risk)
    n = np.arange(n_most + 1)
    # errors * error + (n - errors) * right reaches the line; 1e-9 allows for rounding of a sum on the line.
    accept = np.floor((low - n * right) / (error - right) + 1e-9).astype(np.int64)
    back = np.ceil((high - n * right) / (error - right) - 1e-9).astype(np.int64)
    accept = np.where(accept < 0, NEVER, accept)
    if n_items is not None and n_items <= rule.most_sampled:
        accept[-1] = errors_allowed(n_most, rule.good)
    back[-1] = accept[-1] + 1
    return Lines(accept, back)


def decide_in_turn(is_right: npt.ArrayLike, lines: Lines) -> tuple[Outcome | None, int]:
    """Return the outcome of the answers in draw order (None if not clear yet) and the number of answers it took."""
    answers = np.asarray(is_right, bool)[: lines.n_most]
    errors = np.concatenate([[0], np.cumsum(~answers)])
    n = len(errors)
    is_over = (errors <= lines.accept[:n]) | (errors >= lines.back[:n])
    if not is_over.any():
        return None, len(answers)
    at = int(np.argmax(is_over))
    return (ACCEPT if errors[at] <= lines.accept[at] else RETURN), at


def characteristic(rule: SequentialRule, accuracies: npt.ArrayLike, n_items: int | None = None) -> Characteristic:
    """Return how the test decides about batches with these true accuracies.

    Parameters
    ----------
    rule : SequentialRule
    accuracies : (A,) array
    n_items : int, optional
        Size of the batch, from which items are drawn without replacement and whose errors are rounded to whole
        items; an infinite batch if None.
    """
    p, lines = np.asarray(accuracies, float), lines_of(rule, n_items)
    errors = np.arange(lines.n_most + 2)
    open_ = np.zeros((len(p), len(errors)))  # P(not over, number of errors)
    open_[:, 0] = 1.0
    acceptance, mean = np.zeros(len(p)), np.zeros(len(p))
    for m in range(lines.n_most + 1):
        if m:
            wrong = open_ * _next_is_wrong(p, errors, m - 1, n_items)
            open_ -= wrong
            open_[:, 1:] += wrong[:, :-1]
        is_accepted, is_over = errors <= lines.accept[m], (errors <= lines.accept[m]) | (errors >= lines.back[m])
        acceptance += open_[:, is_accepted].sum(axis=1)
        mean += m * open_[:, is_over].sum(axis=1)
        open_[:, is_over] = 0.0
    return Characteristic(np.clip(acceptance, 0.0, 1.0), mean)


def _next_is_wrong(accuracies: FloatArray, errors: IntArray, m: int, n_items: int | None) -> FloatArray:
    """Return (A, E) the probability that the next item is an error, after m items with `errors` errors."""
    if n_items is None:
        return np.repeat(1 - accuracies[:, None], len(errors), axis=1)
    left = np.round(n_items * (1 - accuracies))[:, None] - errors[None, :]
    return np.clip(left / (n_items - m), 0.0, 1.0)
