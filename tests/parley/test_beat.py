"""Beat sends every sweep at its interval, whatever happens to the machine's clock."""

from collections import Counter
from datetime import timedelta

import pytest

from parley.beat import Scheduler
from parley.celery import app
from tests.clock import NOW


class Machine:
    """One on which time passes only while beat sleeps."""

    def __init__(self) -> None:
        self.shown = NOW

    def now(self):
        return self.shown

    def run(self, beat: "Recording", seconds: float) -> Counter[str]:
        """What is sent meanwhile."""
        beat.sent.clear()
        while seconds > 0:
            slept = max(beat.tick(), 0.001)
            self.shown += timedelta(seconds=slept)
            seconds -= slept
        return beat.sent


class Recording(Scheduler):
    producer = None  # there is no broker to send to

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()
        super().__init__(app)

    def apply_async(self, entry, **_options) -> None:
        self.sent[entry.name] += 1


@pytest.mark.parametrize("hours", [0, -1, -24, 24])
def test_every_sweep_is_sent_in_the_minute_after_the_clock_has_jumped(monkeypatch: pytest.MonkeyPatch, hours: int):
    machine = Machine()
    monkeypatch.setattr(app, "now", machine.now)
    beat = Recording()
    machine.run(beat, 90)
    machine.shown += timedelta(hours=hours)

    sent = machine.run(beat, 61)
    intervals = {name: entry.schedule.run_every.total_seconds() for name, entry in beat.schedule.items()}
    assert sent.keys() == intervals.keys()
    assert all(sent[name] <= 61 / seconds + 2 for name, seconds in intervals.items())
