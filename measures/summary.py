"""Compute the coefficients of one cell (batch, criterion, source) in one call, with guards for small samples."""

from collections.abc import Sequence

from measures.agreement import all_agree_share, fleiss_kappa, gwet_ac, percent_agreement
from measures.alpha import krippendorff_alpha, krippendorff_alpha_with_interval
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.intervals import guarded


def agreement_summary(
    histogram: Histogram,
    *,
    scale: str = "nominal",
    values: Sequence[float] | None = None,
    seed: int = 0,
    n_resamples: int = 2000,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return Fleiss kappa, Krippendorff alpha, Gwet AC1, mean pairwise and all-raters agreement, with intervals.

    Parameters
    ----------
    histogram : Histogram
    scale : {'nominal', 'ordinal', 'interval', 'ratio'}
        Scale of alpha; the other coefficients are nominal.
    values : K floats, optional
        Declared values, for interval and ratio.
    n_resamples : int
        Resamples of alpha's bootstrap; 0 leaves alpha without an interval, for the live board.

    Returns
    -------
    dict
        Keys fleiss_kappa, krippendorff_alpha, gwet_ac1, percent_agreement, all_agree_share.
    """
    if n_resamples:
        alpha = krippendorff_alpha_with_interval(
            histogram, scale, values, seed=seed, n_resamples=n_resamples, level=level
        )
    else:
        alpha = krippendorff_alpha(histogram, scale, values)
    found = {
        "fleiss_kappa": fleiss_kappa(histogram, level=level),
        "krippendorff_alpha": alpha,
        "gwet_ac1": gwet_ac(histogram, level=level),
        "percent_agreement": percent_agreement(histogram, level=level),
        "all_agree_share": all_agree_share(histogram, level=level),
    }
    return {name: guarded(estimate, histogram) for name, estimate in found.items()}
