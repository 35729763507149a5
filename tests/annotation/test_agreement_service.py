"""Figures are as new as the ratings they come from, whatever is lost, late or done twice."""

import math
from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest
from celery import Celery
from django.utils import timezone

from annotation import nudging
from annotation.agreement_cells import UNIT, annotators_from_json, mean_and_sd
from annotation.models import AgreementCell, AgreementSnapshot, Assignment, Batch, Participant, Seat
from annotation.selectors.cells import key_of, measure_batch
from annotation.services import agreement
from annotation.services.agreement import dirty_batches, rebuild_study, refresh_batch, store_figures, sweep
from annotation.services.claiming import claim_seat, expire_leases
from annotation.tasks import refresh_agreement
from measures.histograms import Histogram
from measures.pair_means import mean_pairwise_cohen
from measures.pairs import PairTable
from protocols.specs import spec_of
from tests.cast import Cast
from tests.factories import make_annotator, make_batch
from tests.he_study import expected, load_he_study
from tests.working import rate_everything, record, submission

NOW = timezone.now()
LATER = NOW + timedelta(minutes=91)
REAL_NUDGE = nudging.nudge

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nudges(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """No broker: what would have been queued is listed."""
    asked: list[int] = []
    monkeypatch.setattr(nudging, "nudge", asked.append)
    return asked


def claim(cast: Cast, n: int = 0, batch: Batch | None = None) -> Assignment:
    return claim_seat(cast.annotators[n], batch or cast.batch, now=NOW)


def rate_differently(cast: Cast, batch: Batch | None = None) -> None:
    """Three annotators answer the whole batch, the third one the other way round."""
    for n, option in enumerate((0, 0, 1)):
        rate_everything(claim(cast, n, batch), now=NOW, option=option)


def fresh(batch: Batch) -> Batch:
    return Batch.objects.select_related("study__protocol_version").get(pk=batch.pk)


def study_total(cast: Cast) -> AgreementSnapshot:
    return AgreementSnapshot.objects.get(study=cast.study, batch=None)


# --- the published numbers ---------------------------------------------------------------------------
@pytest.fixture(scope="module")
def he_cells(keep):
    return keep(make_he_cells)


def make_he_cells():
    """The stored cells of the simulated study: {(batch key, 'source/criterion'): cell}; batch '' is the study."""
    study = load_he_study(now=NOW)
    assert sweep(now=NOW) == 4
    rows = AgreementCell.objects.filter(snapshot__study=study).select_related("snapshot__batch", "criterion", "source")
    return {
        (row.snapshot.batch.key if row.snapshot.batch else "", f"{row.source.key}/{row.criterion.key}"): row
        for row in rows
    }


def same(stored: float | None, wanted: float | None) -> bool:
    return stored is wanted if wanted is None else math.isclose(stored, wanted, abs_tol=1e-6)


def test_kappas_of_every_batch_criterion_and_source_are_the_expected_ones(he_cells):
    for name, kappas in expected()["fleiss_per_batch"].items():
        for batch, kappa in zip("1234", kappas, strict=True):
            assert same(he_cells[batch, name].estimates["fleiss"]["value"], kappa), (batch, name)


def test_strong_judgements_are_the_expected_ones_and_say_what_was_kept(he_cells):
    for name, kappas in expected()["fleiss_strong_only_per_batch"].items():
        for batch, kappa in zip("1234", kappas, strict=True):
            stored = he_cells[batch, name].estimates
            assert same(stored["strong"]["value"], kappa), (batch, name)
            assert (stored["strong"]["reason"] is None) == (kappa is not None)
            assert 0 < stored["strong_share_kept"] <= 1


def test_means_over_batches_are_the_expected_ones(he_cells):
    for name, wanted in expected()["fleiss_mean_over_batches"].items():
        mean, sd = mean_and_sd(he_cells["", name].sums)
        assert same(mean, wanted)
        assert sd > 0


def test_pair_kappas_pooled_over_criteria_and_sources_are_the_expected_ones(he_cells):
    names = dict(Participant.objects.values_list("pk", "pseudonym"))
    for batch, pairs in expected()["cohen_pairs_pooled"].items():
        tables = [PairTable.from_json(row.pairs, 3) for (key, _), row in he_cells.items() if f"batch{key}" == batch]
        pooled = sum(tables[1:], tables[0])
        first, second = zip(*(map(int, key.split(",")) for key in pooled.to_json()), strict=True)
        found = {
            "-".join(sorted((names[a], names[b]))): kappa
            for a, b, kappa in zip(first, second, pooled.kappas(), strict=True)
        }
        assert found == pytest.approx(pairs, abs=1e-6)


def test_the_study_adds_up_its_batches(he_cells):
    for name in expected()["fleiss_per_batch"]:
        parts = [Histogram.from_json(he_cells[batch, name].histogram, 3) for batch in "1234"]
        assert Histogram.from_json(he_cells["", name].histogram, 3) == sum(parts[1:], parts[0])


# --- what is stored is what the ratings say ------------------------------------------------------------
def test_stored_figures_equal_a_measurement_from_scratch(cast: Cast):
    rate_differently(cast)
    refresh_batch(cast.batch.pk, now=NOW)
    measured = measure_batch(fresh(cast.batch))
    snapshot = AgreementSnapshot.objects.get(batch=cast.batch)
    stored = {key_of(cell): cell for cell in snapshot.cells.all()}
    assert stored.keys() == measured.cells.keys()
    assert len(stored) == 12
    for key, figures in measured.cells.items():
        assert Histogram.from_json(stored[key].histogram, 3) == figures.histogram
        assert PairTable.from_json(stored[key].pairs, 3) == figures.pairs
        assert annotators_from_json(stored[key].annotators) == figures.annotators
        assert stored[key].reasons == figures.reasons
        assert stored[key].estimates["cohen"]["value"] == mean_pairwise_cohen(figures.pairs).value
    assert (snapshot.n_ratings, snapshot.n_wanted) == (72, 72)


def test_an_undefined_coefficient_is_stored_as_its_reason_never_as_nan(cast: Cast):
    rate_everything(claim(cast, 0), now=NOW)
    refresh_batch(cast.batch.pk, now=NOW)
    alone = AgreementCell.objects.filter(snapshot__batch=cast.batch).first().estimates
    assert (alone["fleiss"]["value"], alone["fleiss"]["reason"]) == (None, "no_pairs")
    rate_everything(claim(cast, 1), now=NOW)
    refresh_batch(cast.batch.pk, now=NOW)
    alike = AgreementCell.objects.filter(snapshot__batch=cast.batch).first().estimates
    assert (alike["fleiss"]["value"], alike["fleiss"]["reason"]) == (None, "no_variation")
    assert alike["percent"]["value"] == 1


def test_predefined_reasons_are_counted_as_votes(cast: Cast):
    assignment = claim(cast)
    item = cast.batch.items.order_by("pk")[0]
    option = spec_of(cast.version).by_key["appropriateness"].options[0]
    answer = submission(item.token, "appropriateness", option)
    record(assignment, replace(answer, given=replace(answer.given, explanations=("a",))), now=NOW)
    refresh_batch(cast.batch.pk, now=NOW)
    cells = AgreementCell.objects.exclude(reasons={})
    assert [cell.reasons for cell in cells] == [{str(option.explanations[0].id): 1}] * 2


def test_reasons_given_for_a_check_are_counted_nowhere(cast: Cast):
    assignment = claim(cast)
    rate_everything(assignment, now=NOW)
    item = cast.batch.items.order_by("pk")[0]
    answer = submission(item.token, "appropriateness", spec_of(cast.version).by_key["appropriateness"].options[0])
    record(assignment, replace(answer, given=replace(answer.given, explanations=("a",))), now=NOW)
    assert [each.reasons for each in measure_batch(cast.batch).cells.values() if each.reasons]
    cast.batch.items.filter(pk=item.pk).update(is_check=True)
    assert not [each.reasons for each in measure_batch(cast.batch).cells.values() if each.reasons]


def test_pilot_batches_are_measured_and_stay_out_of_the_sums(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot", position=1)
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    rate_differently(cast, pilot)
    refresh_batch(pilot.pk, now=NOW)
    assert AgreementSnapshot.objects.get(batch=pilot).cells.count() == 12
    assert (study_total(cast).cells.count(), study_total(cast).n_ratings, study_total(cast).version) == (0, 0, 1)


def test_a_mean_over_batches_whose_kappas_are_exactly_nought_is_nought():
    assert mean_and_sd({"batches": 2}) == (0.0, 0.0)
    assert mean_and_sd({"batches": 1, "kappa": UNIT // 2}) == (0.5, None)
    assert mean_and_sd({"undefined": 3}) == (None, None)


# --- versions ------------------------------------------------------------------------------------------
def test_a_batch_is_dirty_from_its_first_claim_until_it_is_refreshed(cast: Cast):
    assert not dirty_batches().exists()
    assignment = claim(cast)
    assert list(dirty_batches()) == [cast.batch.pk]
    refresh_batch(cast.batch.pk, now=NOW)
    assert not dirty_batches().exists()
    rate_everything(assignment, now=NOW, n=1)
    assert list(dirty_batches()) == [cast.batch.pk]


def test_a_refresh_without_news_stores_nothing(cast: Cast):
    rate_everything(claim(cast), now=NOW, n=3)
    assert refresh_batch(cast.batch.pk, now=NOW) is True
    version = study_total(cast).version
    assert refresh_batch(cast.batch.pk, now=LATER) is False
    assert study_total(cast).version == version


def test_compare_and_set_refuses_an_older_version(cast: Cast):
    assignment = claim(cast)
    rate_everything(assignment, now=NOW, n=1)
    old = fresh(cast.batch)
    old_figures = measure_batch(old)
    rate_everything(assignment, now=NOW, n=5)
    refresh_batch(cast.batch.pk, now=NOW)
    assert store_figures(old, old_figures, now=LATER) is False
    stored = AgreementSnapshot.objects.get(batch=cast.batch)
    assert (stored.n_ratings, stored.computed_at, study_total(cast).n_ratings) == (5, NOW, 5)


def test_the_studys_version_rises_with_every_store_of_any_batch_and_with_a_rebuild(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot", position=1)
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    rate_differently(cast, pilot)
    claim_seat(make_annotator(cast.study, "late"), cast.batch, now=NOW)
    sweep(now=NOW)
    assert study_total(cast).version == 2
    rebuild_study(cast.study, now=NOW)
    assert study_total(cast).version == 4


def test_a_batch_that_is_never_quiet_is_measured_once_and_left_to_the_sweep(cast: Cast, nudges: list[int]):
    assignment = claim(cast)
    rate_everything(assignment, now=NOW, n=1)
    nudges.clear()
    measured: list[Batch] = []

    def rate_meanwhile(batch: Batch):
        measured.append(batch)
        Batch.objects.filter(pk=batch.pk).update(ratings_version=batch.ratings_version + 1)
        return measure_batch(batch)

    with patch.object(agreement, "measure_batch", rate_meanwhile):
        assert refresh_batch(cast.batch.pk, now=NOW) is True
    assert (len(measured), nudges, list(dirty_batches())) == (1, [], [cast.batch.pk])


# --- seats -----------------------------------------------------------------------------------------------
def test_ratings_of_an_expired_seat_are_not_counted_until_the_seat_is_claimed_again(cast: Cast):
    rate_everything(claim(cast), now=NOW)
    sweep(now=NOW)
    before = cell_state(cast)
    assert study_total(cast).n_ratings == 24
    expire_leases(now=LATER)
    sweep(now=LATER)
    assert study_total(cast).n_ratings == 0
    assert study_total(cast).cells.count() == 0
    claim_seat(cast.annotator, cast.batch, now=LATER)
    sweep(now=LATER)
    assert (study_total(cast).n_ratings, cell_state(cast)) == (24, before)


def test_the_sweep_frees_lapsed_seats_and_takes_their_ratings_out(cast: Cast):
    rate_everything(claim(cast), now=NOW, n=4)
    sweep(now=NOW)
    assert sweep(now=LATER) == 1
    assert Seat.objects.filter(batch=cast.batch, assignment__isnull=False).count() == 0
    assert study_total(cast).n_ratings == 0


def test_wanted_answers_are_items_times_seats_times_criteria(cast: Cast):
    claim(cast)
    sweep(now=NOW)
    assert study_total(cast).n_wanted == 6 * 3 * 4


# --- lost nudges -----------------------------------------------------------------------------------------
def test_with_the_broker_down_the_rating_is_saved_and_the_sweep_repairs(
    cast: Cast, django_capture_on_commit_callbacks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    assignment = claim(cast)
    sweep(now=NOW)
    monkeypatch.setattr(nudging, "nudge", REAL_NUDGE)
    away = Celery("parley", broker="redis://127.0.0.1:1/0", set_as_current=False)
    away.conf.update(nudging.app.conf.changes | {"broker_url": "redis://127.0.0.1:1/0"})
    with patch.object(nudging, "app", away), django_capture_on_commit_callbacks(execute=True):
        rate_everything(assignment, now=NOW, n=1)
    assert "not queued" in caplog.text
    assert list(dirty_batches()) == [cast.batch.pk]
    assert sweep(now=NOW) == 1
    assert study_total(cast).n_ratings == 1


def test_a_batch_that_cannot_be_measured_does_not_stop_the_sweep(cast: Cast, caplog: pytest.LogCaptureFixture):
    other = make_batch(cast.study, key="other", position=1)
    claim(cast, 0)
    claim(cast, 1, other)

    def broken(batch: Batch):
        if batch.pk == cast.batch.pk:
            raise ValueError("a histogram cannot hold fewer than no items")
        return measure_batch(batch)

    with patch.object(agreement, "measure_batch", broken):
        assert sweep(now=NOW) == 2
    assert list(dirty_batches()) == [cast.batch.pk]
    assert f"measuring a batch failed: {cast.batch.pk}" in caplog.text


def test_a_rating_nudges_once_the_figures_are_clean_and_not_while_a_refresh_is_due(
    cast: Cast, nudges: list[int], django_capture_on_commit_callbacks
):
    assignment = claim(cast)
    a_minute_ago = NOW - timedelta(minutes=1)
    refresh_batch(cast.batch.pk, now=a_minute_ago)
    for _ in range(3):
        with django_capture_on_commit_callbacks(execute=True):
            rate_everything(assignment, now=NOW, n=1)
    assert nudges == [cast.batch.pk]
    refresh_batch(cast.batch.pk, now=a_minute_ago)
    with django_capture_on_commit_callbacks(execute=True):
        rate_everything(assignment, now=NOW, n=1)
    assert nudges == [cast.batch.pk] * 2


def test_figures_of_this_very_second_are_left_to_the_sweep(
    cast: Cast, nudges: list[int], django_capture_on_commit_callbacks
):
    assignment = claim(cast)
    refresh_batch(cast.batch.pk, now=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        rate_everything(assignment, now=NOW, n=1)
    assert nudges == []
    assert sweep(now=NOW) == 1


def test_an_answer_writes_only_the_cell_it_changes(cast: Cast):
    assignment = claim(cast)
    rate_everything(assignment, now=NOW)
    refresh_batch(cast.batch.pk, now=NOW)
    before = set(AgreementCell.objects.filter(snapshot__batch=cast.batch).values_list("pk", flat=True))
    rate_everything(assignment, now=NOW, option=1, n=1)
    refresh_batch(cast.batch.pk, now=NOW)
    after = set(AgreementCell.objects.filter(snapshot__batch=cast.batch).values_list("pk", flat=True))
    assert (len(before), len(before & after)) == (12, 11)


def test_the_task_refreshes_one_batch(cast: Cast):
    rate_everything(claim(cast), now=NOW, n=2)
    refresh_agreement(cast.batch.pk)
    assert study_total(cast).n_ratings == 2


# --- rebuilding ------------------------------------------------------------------------------------------
def cell_state(cast: Cast) -> list[tuple]:
    rows = AgreementCell.objects.filter(snapshot__study=cast.study)
    fields = ("snapshot__batch", "criterion", "source", "histogram", "pairs", "annotators", "reasons", "estimates",
              "sums")  # fmt: skip
    return sorted(rows.values_list(*fields), key=lambda row: (row[0] or 0, row[1], row[2]))


def test_a_rebuild_changes_nothing_that_was_right(cast: Cast):
    rate_differently(cast)
    rate_everything(claim_seat(make_annotator(cast.study, "late"), other_batch(cast), now=NOW), now=NOW, n=7)
    sweep(now=NOW)
    before, total = cell_state(cast), study_total(cast)
    assert rebuild_study(cast.study, now=NOW) == 2
    assert cell_state(cast) == before
    assert (study_total(cast).n_ratings, study_total(cast).n_wanted) == (total.n_ratings, total.n_wanted)


def test_a_rebuild_repairs_figures_that_were_tampered_with(cast: Cast):
    rate_differently(cast)
    sweep(now=NOW)
    before = cell_state(cast)
    AgreementCell.objects.update(histogram={"9,0,0": 1}, sums={})
    rebuild_study(cast.study, now=NOW)
    assert cell_state(cast) == before


def other_batch(cast: Cast) -> Batch:
    return make_batch(cast.study, key="other", position=1)
