"""Statistics over numbers and arrays, without Django, Celery or models.

Everything here is a pure function: the same input gives the same output, random draws take a seed, and an
undefined value is an :class:`measures.estimate.Estimate` with a reason, never NaN.
"""
