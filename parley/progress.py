"""Progress of long work: what it tells, and the pages that ask for it."""

import time
from collections.abc import Callable

STOP_POLLING = 286  # htmx shows the response and stops polling


def now_and_then(seconds: float, tell: Callable[[int], object]) -> Callable[[int], None]:
    """Return a function that passes on how much is done, unless it has done so in the last `seconds`.

    Each time costs a query.
    """
    last = 0.0

    def tick(n_done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            tell(n_done)

    return tick
