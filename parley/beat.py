"""Beat that goes on when the machine's clock is put back."""

from datetime import datetime
from typing import Any

from celery import beat


class Scheduler(beat.Scheduler):
    """Celery's own waits until the clock shows again what it showed when a task was last sent: put back an hour, it
    sends nothing for an hour, and no qualification decides."""

    ticked_at: datetime | None = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due. Returns the seconds until the next call."""
        now = self.app.now()
        if self.ticked_at is not None and now < self.ticked_at:
            for entry in self.schedule.values():
                entry.last_run_at = now
            self._heap = None
        self.ticked_at = now
        wait: float = super().tick(*args, **kwargs)
        return wait
