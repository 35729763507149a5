"""Equivalence: two one-sided tests of a difference against a margin that is to be named in advance.

Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657.
"""

from measures.estimate import Estimate
from measures.intervals import special


def equivalence_p(estimate: Estimate, degrees_of_freedom: float | None, margin: float) -> float | None:
    """Return p of a difference of `margin` or more in either direction; None where there is no interval."""
    if estimate.low is None or estimate.value is None or not estimate.standard_error or degrees_of_freedom is None:
        return None
    return float(special().stdtr(degrees_of_freedom, (abs(estimate.value) - margin) / estimate.standard_error))
