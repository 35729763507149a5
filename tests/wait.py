"""Waiting for a condition. Tests never sleep for a time they hope is long enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], timeout: float = 10, what: str = "the condition") -> T:
    """Return the first true value of `condition`; fail with what was awaited and what was last seen."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s for {what}; last seen: {value!r}")
        time.sleep(0.02)
