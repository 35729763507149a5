"""A judgement: the next dialogue is fetched, and its four answers go in one request, as on the rating screen."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from annotation.models import Item
from bench.load import Client, Request, Seen, run_load
from bench.rows import Goal, Row, percentile
from bench.saves import both
from bench.studies import Annotator, Shape, answer, make_study, seat_annotators
from protocols.specs import spec_of

# A dialogue as in the he-protocol: one response, four criteria. 7 seats: 40 annotators share 6 batches.
SHAPE = Shape(n_dialogues=1500, per_batch=250, n_responses=1, seats=7)
SETTINGS = {(1, 0.0): "1 annotator", (40, 0.0): "40 annotators, no pause", (40, 1.0): "40 annotators, 1 s between"}
PAGE, ANSWERS = "next dialogue", "four answers"
GOALS = {
    (PAGE, 1, 0.0, 50): Goal(4),
    (PAGE, 40, 1.0, 50): Goal(20),
    (ANSWERS, 40, 1.0, 99): Goal(100),
}
PER_SECOND = {40: Goal(150, is_least=True)}


class Judge:
    """Somebody with a seat who judges one dialogue after another, and begins again at the end."""

    def __init__(self, annotator: Annotator) -> None:
        self.headers, self.assignment = annotator.headers, annotator.assignment
        self.criteria = spec_of(self.assignment.batch.study.protocol_version).criteria
        items = Item.objects.filter(batch=self.assignment.batch_id).order_by("position")
        self.items = itertools.cycle(items.values_list("position", "token"))

    def client(self, n: int, timed: str) -> Client:
        """The next `n` judgements; `timed` is the part whose time is taken."""
        pairs = [self._judgement(position, str(token), timed) for position, token in itertools.islice(self.items, n)]
        return Client(self.headers, [request for pair in pairs for request in pair])

    def _judgement(self, position: int, token: str, timed: str) -> tuple[Request, Request]:
        answers = [answer(self.assignment, criterion, token) for criterion in self.criteria]
        for each in answers:
            del each["assignment"]
        body = json.dumps({"assignment": str(self.assignment.token), "answers": answers})
        page = Request(f"/work/{self.assignment.token}/{position}/", is_timed=timed == PAGE)
        return page, Request("/api/v1/answers/several/", "POST", body, is_timed=timed == ANSWERS)


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    annotators = seat_annotators(make_study("judgements", SHAPE), 40)
    judges = [Judge(each) for each in annotators]
    with both(place) as (ours, floor):
        run_load(ours, [each.client(3, ANSWERS) for each in judges]).only(200)  # threads connect, steps are made
        upserts = [each.client(40, "/answers/", with_pages=False) for each in annotators]
        fastest = run_load(floor, upserts).only(200).per_second / 4
        for (n, think), name in SETTINGS.items():
            count = (5 if is_quick else 10) if think else (20 if is_quick else 60) * (3 if n == 1 else 1)
            yield from measure(ours, judges[:n], count, think, name, fastest)


def measure(port: int, judges: Sequence[Judge], count: int, think: float, name: str, fastest: float) -> Iterator[Row]:
    n = len(judges)
    for part in (PAGE, ANSWERS):
        seen: Seen = run_load(port, [each.client(count, part) for each in judges], think=think).only(200)
        for share in (50, 99):
            goal = GOALS.get((part, n, think, share))
            yield Row(f"{part} p{share}, {name}", percentile(seen.times, share / 100), goal=goal)
    if not think:
        yield Row(f"judgements, {name}", seen.per_second, "/s", "a fourth of the upserts", fastest, PER_SECOND.get(n))
