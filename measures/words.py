"""Words beside the numbers: optional reading aids, never a verdict."""

HIGH_AGREEMENT = 0.85
LOW_KAPPA = 0.4
DOMINANT_SHARE = 0.9
PREVALENCE_PARADOX = "prevalence_paradox"
DOMINANT_ANSWER = "dominant_answer"

_LANDIS_KOCH = ((0.20, "slight"), (0.40, "fair"), (0.60, "moderate"), (0.80, "substantial"))


def landis_koch(value: float | None) -> str | None:
    """Landis & Koch 1977, Biometrics 33:159: poor below 0, slight to .20, fair to .40, moderate to .60,
    substantial to .80, almost_perfect above; None for an undefined value.
    """
    if value is None:
        return None
    if value < 0:
        return "poor"
    return next((word for upper, word in _LANDIS_KOCH if value <= upper), "almost_perfect")


def krippendorff_word(value: float | None) -> str | None:
    """Krippendorff 2004: 'reliable' from .800, 'tentative' from .667, 'unreliable' below; None when
    undefined.
    """
    if value is None:
        return None
    if value >= 0.800:
        return "reliable"
    return "tentative" if value >= 0.667 else "unreliable"


def prevalence_warnings(agreement: float | None, kappa: float | None, largest_share: float | None) -> tuple[str, ...]:
    """Warnings that a low kappa may come from one answer being very frequent (Feinstein & Cicchetti 1990).

    Parameters
    ----------
    agreement : mean pairwise agreement, 0 to 1
    kappa : the chance-corrected coefficient
    largest_share : share of all ratings on the most frequent answer

    Returns
    -------
    tuple of str
        'prevalence_paradox' when agreement >= .85 and kappa < .4; 'dominant_answer' when the share is >= .9.
        Unknown (None) numbers warn of nothing.
    """
    found = []
    if agreement is not None and kappa is not None and agreement >= HIGH_AGREEMENT and kappa < LOW_KAPPA:
        found.append(PREVALENCE_PARADOX)
    if largest_share is not None and largest_share >= DOMINANT_SHARE:
        found.append(DOMINANT_ANSWER)
    return tuple(found)
