"""Measure how hard each item was to judge, from its votes alone.

Sources: the share outside the most frequent answer is Freeman's variation ratio (Freeman 1965, Elementary Applied
Statistics); entropy is Shannon's, over the declared answers.
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import FloatArray, IntArray, divide_or_nan


@dataclass(frozen=True, slots=True)
class Difficulty:
    """(N,) each, from 0 to 1; NaN for an item with fewer than two votes.

    Attributes
    ----------
    disagreeing : share of the votes that are not the most frequent answer; with a tie, either answer gives the same.
    entropy : Shannon entropy of the votes, relative to that of equally frequent answers; 0 for one declared answer.
    """

    disagreeing: FloatArray
    entropy: FloatArray


def difficulty_of(tallies: IntArray) -> Difficulty:
    """Return the difficulty of items from (N, K) votes per item and declared answer."""
    votes = tallies.sum(axis=1)
    enough = np.where(votes >= 2, votes, 0)
    shares = divide_or_nan(tallies.astype(float), enough[:, None])
    largest = divide_or_nan(tallies.max(axis=1, initial=0).astype(float), enough)
    bits = -(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    most = np.log2(tallies.shape[1]) if tallies.shape[1] > 1 else 1.0
    return Difficulty(1 - largest, bits / most + 0.0)


def unique_modes(tallies: IntArray) -> IntArray:
    """Return (N,) the most frequent answer of each item; -1 without votes, or where two are equally frequent."""
    if not tallies.size:
        return np.full(len(tallies), -1, np.int64)
    largest = tallies.max(axis=1)
    is_one = (largest > 0) & ((tallies == largest[:, None]).sum(axis=1) == 1)
    return np.where(is_one, tallies.argmax(axis=1), -1).astype(np.int64)
