"""Votes as parallel arrays, with the items and the raters numbered."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, IntArray, check_codes


@dataclass(frozen=True, eq=False, slots=True)
class NumberedVotes:
    """The given votes.

    Attributes
    ----------
    given : bool array
        Which of the original entries are votes.
    raters : (G,) int array
        Rater ids, ascending.
    item, rater, code : (V,) int arrays
        Number of each vote's item and rater, and its category.
    tallies : (items, K) int array
    """

    given: BoolArray
    raters: IntArray
    item: IntArray
    rater: IntArray
    code: IntArray
    tallies: IntArray


def numbered_votes(
    items: npt.ArrayLike, raters: npt.ArrayLike, codes: npt.ArrayLike, n_categories: int
) -> NumberedVotes:
    """Number the items and raters of three parallel arrays with one entry per vote; code -1 is missing."""
    what = np.asarray(codes, np.int64)
    check_codes(what, n_categories)
    given = what >= 0
    code = what[given]
    rater_ids, rater = np.unique(np.asarray(raters, np.int64)[given], return_inverse=True)
    item_ids, item = np.unique(np.asarray(items)[given], return_inverse=True)
    tallies = np.bincount(item * n_categories + code, minlength=len(item_ids) * n_categories)
    return NumberedVotes(given, rater_ids, item, rater, code, tallies.reshape(-1, n_categories))
