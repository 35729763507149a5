"""Compute Krippendorff's alpha again from the raw answers, with the `krippendorff` package, as an independent check."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from annotation.agreement_cells import alpha_of, alpha_options, for_agreement, on_scale, places_of
from measures.arrays import IntArray
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec
from reporting.report.coefficients import pooled_criteria
from reporting.study.cells import StudyCells
from reporting.study.votes import CriterionVotes, StudyVotes

TOLERANCE = 1e-9
# The package makes three arrays of items x options x options x 8 bytes, half a gigabyte at this limit.
MOST_CELLS = 20_000_000
EQUAL, DIFFERENT, SKIPPED = "equal", "different", "skipped"
TOO_LARGE, RATINGS_MOVED = "too_large", "ratings_moved"


@dataclass(frozen=True, slots=True)
class AlphaCheck:
    """Alpha of all sources, by Parley and by the package, and the result of the comparison.

    An undefined or skipped alpha is None; `reason` says why the check was skipped, and is None if it was not. `level`
    is that of the scale, `n_items` counts items with two or more votes.
    """

    criterion: str
    level: str
    n_items: int
    parley: float | None
    krippendorff: float | None
    difference: float | None
    status: str
    reason: str | None


def alpha_check(cells: StudyCells, votes: StudyVotes) -> list[AlphaCheck]:
    """Return a row per criterion that was rated."""
    moved = {batch.pk: batch.ratings_version for batch in cells.batches} != {
        pk: version for pk, version in votes.versions.items() if version
    }
    return [
        _checked(votes.by_criterion[criterion.id], alpha_of(*for_agreement(pooled, criterion)).value, is_moved=moved)
        for criterion, pooled in pooled_criteria(cells)
        if criterion.id in votes.by_criterion
    ]


def _checked(votes: CriterionVotes, ours: float | None, *, is_moved: bool) -> AlphaCheck:
    tallies = scale_tallies(votes)
    reason = RATINGS_MOVED if is_moved else TOO_LARGE if tallies.size * tallies.shape[1] > MOST_CELLS else None
    theirs = None if reason else _theirs(tallies, votes.criterion)
    difference = None if ours is None or theirs is None else abs(ours - theirs)
    is_equal = ours == theirs if difference is None else difference <= TOLERANCE
    return AlphaCheck(
        criterion=votes.criterion.key,
        level=votes.criterion.scale,
        n_items=int((tallies.sum(axis=1) >= 2).sum()),
        parley=ours,
        krippendorff=theirs,
        difference=difference,
        status=SKIPPED if reason else EQUAL if is_equal else DIFFERENT,
        reason=reason,
    )


def scale_tallies(votes: CriterionVotes) -> IntArray:
    """Return the (N, K) votes of items with two or more votes on the scale of alpha.

    Excluding votes are left out, and so are unsure votes if the options have an order.
    """
    left_out = set(places_of(votes.criterion, Option.Role.EXCLUDING)) | set(alpha_options(votes.criterion)[0])
    tallies = np.delete(votes.tallies, sorted(left_out), axis=1)
    return tallies[tallies.sum(axis=1) >= 2]


def _theirs(tallies: IntArray, criterion: CriterionSpec) -> float | None:
    """Return the package's alpha. Of answers in both orders it gets each item twice, and its n - 1 is corrected."""
    mirror = _on_alpha_scale(criterion).mirror
    if mirror is None:
        return package_alpha(tallies, criterion)
    twice, n = package_alpha(np.concatenate([tallies, tallies[:, mirror]]), criterion), int(tallies.sum())
    return None if twice is None else 1 - (1 - twice) * (2 * n - 2) / (2 * n - 1)


def _on_alpha_scale(criterion: CriterionSpec) -> CriterionSpec:
    criterion = on_scale(criterion)
    left_out = alpha_options(criterion)[0]
    return replace(criterion, options=tuple(each for at, each in enumerate(criterion.options) if at not in left_out))


def package_alpha(tallies: IntArray, criterion: CriterionSpec) -> float | None:
    """Return the value of the `krippendorff` package, or None if it is undefined."""
    # Imported here: it takes a fifth of a second, and only the report needs it.
    import krippendorff

    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = krippendorff.alpha(
                value_counts=tallies.astype(np.int32),
                value_domain=_domain(criterion, tallies.shape[1]),
                level_of_measurement=cast(Any, criterion.scale),
            )
    except ValueError:  # no unit with two values, or a single option
        return None
    return float(value) if np.isfinite(value) else None


def _domain(criterion: CriterionSpec, k: int) -> list[float]:
    left_out = alpha_options(criterion)[0]
    options = [option for at, option in enumerate(criterion.options) if at not in left_out]
    numbers = [option.value for option in options if option.role != Option.Role.EXCLUDING]
    if criterion.scale != Criterion.Scale.INTERVAL or None in numbers:
        return [float(at) for at in range(k)]
    return [float(number) for number in numbers if number is not None]
