"""Whatever happens to a study in whatever order: its sums are those of its batches, and a rebuild finds the same."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.agreement_cells import contribution, merged
from annotation.models import AgreementCell, AgreementSnapshot, AnnotatorCell, Assignment, Batch
from annotation.selectors.cells import figures_of, key_of, measure_batch
from annotation.services.agreement import dirty_batches, rebuild_study, refresh_batch, sweep
from annotation.services.claiming import claim_seat, expire_leases, release_seats
from annotation.services.refusals import Refused
from measures.contributions import Contribution, total_of
from measures.histograms import Histogram, total
from protocols.specs import spec_of
from tests.cast import Cast
from tests.factories import make_batch
from tests.working import record, submission

pytestmark = pytest.mark.django_db
NOW = timezone.now()

# Losing a seat is rare, and to have something to lose is not.
NAMES = ["rate"] * 6 + ["rate_all"] * 6 + ["claim"] * 3 + ["refresh"] * 3 + ["sweep"] * 4 + ["expire", "release"]
steps = st.tuples(st.sampled_from(NAMES), st.integers(0, 2), st.integers(0, 2))


@pytest.fixture
def batches(cast: Cast) -> list[Batch]:
    study = cast.study
    main = [make_batch(study, 1, 2, key=f"main-{n}", position=n + 1) for n in range(2)]
    return [*main, make_batch(study, 1, 2, key="pilot", kind="pilot", position=3)]


class World:
    """A small study that takes steps; the clock moves with every expiry."""

    def __init__(self, cast: Cast, batches: list[Batch]) -> None:
        self.cast, self.batches = cast, batches
        self.now = NOW
        self.assignments: dict[int, Assignment] = {}
        for who in range(3):  # two in one batch, so that there is something to agree on
            self.claim(who, who // 2)

    def claim(self, who: int, place: int) -> None:
        try:
            self.assignments[who] = claim_seat(self.cast.annotators[who], self.batches[place], now=self.now)
        except Refused:
            return

    def rate(self, who: int, option: int, n: int = 1) -> None:
        """The first item, or both; an annotator without a seat rates all the same, and is not counted."""
        assignment = self.assignments[who]
        chosen = spec_of(self.cast.version).by_key["listening"].options[option]
        for token in assignment.batch.items.order_by("pk").values_list("token", flat=True)[:n]:
            record(assignment, submission(token, "listening", chosen), now=self.now)

    def rate_all(self, who: int, option: int) -> None:
        self.rate(who, option, n=2)

    def expire(self, who: int, place: int) -> None:
        self.now += timedelta(minutes=91)
        expire_leases(now=self.now)

    def release(self, who: int, place: int) -> None:
        release_seats(self.cast.annotators[who], "expired")

    def refresh(self, who: int, place: int) -> None:
        refresh_batch(self.batches[place].pk, now=self.now)

    def sweep(self, who: int = 0, place: int = 0) -> None:
        sweep(now=self.now)
        assert not dirty_batches().exists()
        assert_study_is_the_sum(self.cast)


def state(cast: Cast) -> list[tuple]:
    rows = AgreementCell.objects.filter(snapshot__study=cast.study)
    fields = ("snapshot__batch", "criterion", "source", "histogram", "pairs", "annotators", "reasons", "estimates",
              "sums")  # fmt: skip
    return sorted(rows.values_list(*fields), key=lambda row: (row[0] or 0, row[1], row[2]))


def counts(cast: Cast) -> list[tuple]:
    rows = AgreementSnapshot.objects.filter(study=cast.study).exclude(n_ratings=0)
    return sorted(rows.values_list("batch", "n_ratings", "n_wanted", "hours"), key=lambda row: row[0] or 0)


def annotators(cast: Cast) -> dict[tuple[int, int], Contribution]:
    rows = AnnotatorCell.objects.filter(snapshot__study=cast.study)
    assert not rows.filter(snapshot__batch__isnull=False).exists()
    return {(row.criterion_id, row.participant_id): Contribution.from_json(row.contribution) for row in rows}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=st.lists(steps, min_size=8, max_size=25))
def test_sums_are_those_of_the_batches_and_a_rebuild_finds_the_same(
    cast: Cast, batches: list[Batch], taken: list[tuple]
):
    with transaction.atomic():
        world = World(cast, batches)
        for name, who, place in taken:
            getattr(world, name)(who, place)
        world.sweep()
        assert_batches_are_as_measured(world.cast)
        incremental = state(world.cast), counts(world.cast), annotators(world.cast)
        rebuild_study(world.cast.study, now=world.now)
        assert (state(world.cast), counts(world.cast), annotators(world.cast)) == incremental
        transaction.set_rollback(True)


def assert_batches_are_as_measured(cast: Cast) -> None:
    for batch in Batch.objects.filter(study=cast.study).select_related("study__protocol_version"):
        measured = measure_batch(batch)
        rows = AgreementCell.objects.filter(snapshot__batch=batch)
        stored = {key_of(row): figures_of(row, measured.spec.by_id[row.criterion_id]) for row in rows}
        assert stored == measured.cells


def assert_study_is_the_sum(cast: Cast) -> None:
    spec = spec_of(cast.version)
    rows = AgreementCell.objects.filter(snapshot__study=cast.study, snapshot__batch__kind="main")
    parts: dict = {}
    for row in rows:
        parts.setdefault(key_of(row), []).append(figures_of(row, spec.by_id[row.criterion_id]))
    sums = {key_of(row): row for row in AgreementCell.objects.filter(snapshot__study=cast.study, snapshot__batch=None)}
    assert sums.keys() == parts.keys()
    for key, cells in parts.items():
        assert Histogram.from_json(sums[key].histogram) == total((cell.histogram for cell in cells), 3)
        wanted: dict[str, int] = {}
        for cell in cells:
            wanted = merged(wanted, contribution(cell, spec.by_id[key[0]]))
        assert sums[key].sums == wanted
    assert_annotators_are_the_sum(cast, parts)


def assert_annotators_are_the_sum(cast: Cast, parts: dict) -> None:
    wanted: dict = {}
    for (criterion, _), cells in parts.items():
        wanted[criterion] = total_of([wanted.get(criterion, {}), *(cell.annotators for cell in cells)])
    flat = {(criterion, who): each for criterion, people in wanted.items() for who, each in people.items()}
    assert annotators(cast) == flat
    total_row = AgreementSnapshot.objects.get(study=cast.study, batch=None)
    assert sum(total_row.hours.values()) == total_row.n_ratings
