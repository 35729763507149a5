"""One saved answer beside one upsert: 1, 10 and 40 annotators, with and without a second between two answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.load import Seen, run_load
from bench.rows import Goal, Row, percentile
from bench.servers import FLOOR, OURS, serving, working
from bench.studies import Annotator, Shape, make_study, seat_annotators

GOALS = {(1, 0.0, 50): Goal(6), (40, 1.0, 99): Goal(50)}
THROUGHPUT = {40: Goal(500, is_least=True)}
AGAINST = "one upsert"
# A dialogue as in the he-protocol: 5 responses x 4 criteria. 7 seats: 40 annotators share 6 batches.
SHAPE = Shape(n_dialogues=750, per_batch=125, n_responses=5, seats=7)


@dataclass(frozen=True, slots=True)
class Setting:
    n: int
    think: float
    answers: int  # of each annotator in one round

    @property
    def name(self) -> str:
        people = "1 annotator" if self.n == 1 else f"{self.n} annotators"
        return f"{people}, {'1 s between' if self.think else 'no pause'}"


def settings(is_quick: bool) -> list[Setting]:
    """Bounded by count, some seconds each; more rounds would only repeat what the median says."""
    if is_quick:
        return [Setting(1, 0.0, 100), Setting(40, 0.0, 15), Setting(40, 1.0, 4)]
    hurried = [Setting(1, 0.0, 200), Setting(10, 0.0, 80), Setting(40, 0.0, 40)]
    return [*hurried, Setting(1, 1.0, 7), Setting(10, 1.0, 7), Setting(40, 1.0, 7)]


@contextlib.contextmanager
def both(place: Path) -> Iterator[tuple[int, int]]:
    """Ours with its worker, who keeps the figures new meanwhile, and the floor, on one PostgreSQL."""
    with serving(place, OURS) as ours, serving(place, FLOOR) as floor, working(place):
        yield ours, floor


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    people = seat_annotators(make_study("saves", SHAPE), 40)
    with both(place) as ports:
        for port, path in zip(ports, ("/api/v1/answers/", "/answers/"), strict=True):
            run_load(port, [each.client(5, path, with_pages=False) for each in people]).only(200)  # threads connect
        for setting in settings(is_quick):
            yield from measure(setting, people, ports)


def measure(setting: Setting, people: Sequence[Annotator], ports: tuple[int, int]) -> Iterator[Row]:
    """Ours and the floor in turns, so that a machine that slows down slows both."""
    ours, floor = Seen(), Seen()
    for _ in range(2):
        chosen = people[: setting.n]
        ours += _load(ports[0], [each.client(setting.answers) for each in chosen], setting)
        plain = [each.client(setting.answers, "/answers/", with_pages=False) for each in chosen]
        floor += _load(ports[1], plain, setting)
    for share in (50, 95, 99):
        mine, theirs = percentile(ours.times, share / 100), percentile(floor.times, share / 100)
        goal = GOALS.get((setting.n, setting.think, share))
        yield Row(f"save p{share}, {setting.name}", mine, "ms", AGAINST, theirs, goal)
    if not setting.think:
        goal = THROUGHPUT.get(setting.n)
        yield Row(f"answers saved, {setting.name}", ours.per_second, "/s", AGAINST, floor.per_second, goal)


def _load(port: int, clients: list, setting: Setting) -> Seen:  # type: ignore[type-arg]
    return run_load(port, clients, think=setting.think).only(200)
