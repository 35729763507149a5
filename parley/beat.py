"""A scheduler for Celery beat that continues when the machine's clock is put back."""

from datetime import datetime
from typing import Any

from celery import beat


class Scheduler(beat.Scheduler):
    """A scheduler that sends tasks again as soon as the clock has been put back.

    Celery's own scheduler waits until the clock again reaches the time when a task was last sent. If the clock is put
    back by an hour, it sends nothing for an hour, and no qualification decides.
    """

    ticked_at: datetime | None = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send the tasks that are due, and return the seconds until the next call."""
        now = self.app.now()
        if self.ticked_at is not None and now < self.ticked_at:
            for entry in self.schedule.values():
                entry.last_run_at = now
            self._heap = None
        self.ticked_at = now
        wait: float = super().tick(*args, **kwargs)
        return wait
