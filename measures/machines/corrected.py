"""The share of positive items by a judge on all items, corrected for its errors on those that people rated.

With p the share of positive answers of the judge on all M items, and its sensitivity Se and specificity Sp on the items
that people rated, the share is

    pi = (p + Sp - 1) / (Se + Sp - 1)

If several people rated an item, y is the share of positive votes, and the item counts y in Se and 1 - y in Sp. The
variance adds squares over conversations of what each changes,

    psi_c = [P_c - pi Se_c + (1 - pi) Sp_c] / (Se + Sp - 1),   P_c = sum of (f - p) / M,
    Se_c = sum of y (f - Se) / sum of y,   Sp_c = sum of (1 - y) (1 - f - Sp) / sum of (1 - y)

with the numerators of Se_c and Sp_c over the rated items of c and the denominators over all rated items, times
C_L / (C_L - 1) for C_L conversations with rated items. With independent items and separate samples this is Rogan and
Gladen's variance; here the rated items are a part of all, and the covariance is in it. The correction needs that the
judge errs as often on the items that nobody rated.

Sources: Rogan & Gladen 1978, Am. J. Epidemiol. 107:71; Lang & Reiczigel 2014, Prev. Vet. Med. 113:13.
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import FloatArray
from measures.estimate import NO_VARIATION, Estimate
from measures.intervals import special, t_interval
from measures.machines.jackknife import guarded_by_clusters
from measures.machines.powered import NO_LABELS, Part

NOT_BINARY = "not_binary"
# Sensitivity + specificity <= 1: the judge says "positive" of positive items no more often than of others.
WEAK_JUDGE = "weak_judge"
# The sum may be 1 as far as anybody can tell, and the share anything.
NOT_TOLD_FROM_CHANCE = "not_told_from_chance"
CLIPPED = "clipped"


@dataclass(frozen=True, slots=True)
class Corrected:
    """The corrected share; `sensitivity` and `specificity` are None where people gave no such answer."""

    estimate: Estimate
    sensitivity: float | None = None
    specificity: float | None = None
    judged: float | None = None


def corrected_rate(part: Part) -> Corrected:
    """Return the corrected share of positive items.

    Undefined: 'not_binary' unless all answers of the judge are 0 or 1 and people's scores are between; 'no_labels'
    without rated items; 'no_variation' if people gave one answer only; 'weak_judge' if Se + Sp <= 1. A share outside
    of 0 to 1 is put at the end, with the warning 'clipped'. There is no interval ('not_told_from_chance') if the
    interval of Se + Sp - 1 holds 0: any share would then do.
    """
    labelled = part.labelled
    y, f = part.human[labelled], part.judge

    def undefined(reason: str) -> Estimate:
        return Estimate(None, reason, n_items=len(y), n_ratings=len(f))

    if not np.isin(f, (0.0, 1.0)).all() or ((y < 0) | (y > 1)).any():
        return Corrected(undefined(NOT_BINARY))
    if not len(y):
        return Corrected(undefined(NO_LABELS))
    said, p = f[labelled], float(f.mean())
    sensitivity, specificity = _share(y, said), _share(1 - y, 1 - said)
    if sensitivity is None or specificity is None:
        return Corrected(undefined(NO_VARIATION), sensitivity, specificity, p)
    if sensitivity + specificity - 1 <= 1e-12:
        return Corrected(undefined(WEAK_JUDGE), sensitivity, specificity, p)
    return Corrected(_estimated(part, sensitivity, specificity, p), sensitivity, specificity, p)


def _share(weights: FloatArray, right: FloatArray) -> float | None:
    return float(weights @ right / weights.sum()) if weights.sum() > 0 else None


def _estimated(part: Part, sensitivity: float, specificity: float, p: float) -> Estimate:
    youden = sensitivity + specificity - 1
    share = (p + specificity - 1) / youden
    of_judge, of_positive, of_negative = _parts(part, sensitivity, specificity, p)
    n_clusters = len(np.unique(part.cluster[part.labelled]))
    factor = n_clusters / (n_clusters - 1) if n_clusters > 1 else np.nan
    psi = (of_judge - share * of_positive + (1 - share) * of_negative) / youden
    error, error_of_youden = (float(np.sqrt(factor * (each**2).sum())) for each in (psi, of_positive + of_negative))
    value = min(1.0, max(0.0, share))
    found = Estimate(
        value,
        standard_error=error if n_clusters > 1 else None,
        n_items=int(part.labelled.sum()),
        n_ratings=len(part.judge),
        warnings=() if value == share else (CLIPPED,),
    )
    return _with_interval(found, share, youden - _half(n_clusters) * error_of_youden, n_clusters)


def _parts(part: Part, sensitivity: float, specificity: float, p: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (C,) what each conversation changes of the judge's share, of its sensitivity and of its specificity."""
    f = part.judge
    positive = np.where(part.labelled, part.human, 0.0)
    negative = np.where(part.labelled, 1 - part.human, 0.0)
    rows = (
        (f - p) / len(f),
        positive * (f - sensitivity) / positive.sum(),
        negative * (1 - f - specificity) / negative.sum(),
    )
    of_judge, of_positive, of_negative = (part.by_cluster(each) for each in rows)
    return of_judge, of_positive, of_negative


def _half(n_clusters: int, level: float = 0.95) -> float:
    return float(special().stdtrit(max(n_clusters - 1, 1), (1 + level) / 2))


def _with_interval(found: Estimate, share: float, lowest_youden: float, n_clusters: int) -> Estimate:
    """Return the estimate with limits about the share before it was put at an end of 0 to 1."""
    if n_clusters > 1 and not lowest_youden > 0:
        return found.with_interval(None, None, NOT_TOLD_FROM_CHANCE)
    whole = Estimate(share, standard_error=found.standard_error)
    limits = guarded_by_clusters(t_interval(whole, n_clusters - 1, bounds=(-np.inf, np.inf)), n_clusters)
    if limits.low is None or limits.high is None:
        return found.with_interval(None, None, limits.interval_note)
    low, high = (min(1.0, max(0.0, each)) for each in (limits.low, limits.high))
    return found.with_interval(low, high, limits.interval_note)
