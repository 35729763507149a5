"""The operating curve of a lot decision: draw n of a batch, accept with at most c errors."""

from math import comb

from measures.intervals import special


def acceptance_probability(
    n_sample: int, most_errors: int, true_accuracy: float, batch_size: int | None = None
) -> float:
    """Probability that a batch of a given true accuracy is accepted.

    Parameters
    ----------
    n_sample, most_errors : int
        Sample size n and acceptance number c.
    true_accuracy : float
        0 to 1; for a finite batch its errors are rounded to whole ratings.
    batch_size : int, optional
        Hypergeometric from a batch of this size; binomial (an endless batch) when None.
    """
    if not 0 <= true_accuracy <= 1 or not 0 <= most_errors <= n_sample:
        raise ValueError("accuracy lies in 0..1 and the allowed errors in 0..n")
    if batch_size is None:
        return float(special().bdtr(most_errors, n_sample, 1 - true_accuracy))
    if batch_size < n_sample:
        raise ValueError("the sample is larger than the batch")
    errors = round(batch_size * (1 - true_accuracy))
    good = batch_size - errors
    # Whole numbers, divided once: exact for any batch.
    ways = sum(comb(errors, drawn) * comb(good, n_sample - drawn) for drawn in range(most_errors + 1))
    return ways / comb(batch_size, n_sample)
