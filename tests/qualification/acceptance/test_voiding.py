"""A vote that is lost after the sample was drawn: nothing is decided by it, and what replaces it is checked anew."""

from dataclasses import dataclass
from functools import partial
from importlib import import_module

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ActivityLog, Assignment, Batch, Participant
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from protocols.specs import spec_of
from qualification.acceptance.selectors.batches import controllers_agree, rounds_of
from qualification.acceptance.selectors.plans import criterion_of
from qualification.acceptance.services.deciding import count_review, override
from qualification.acceptance.services.reviewing import take_second_review
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import Review, Sample
from tests.clock import NOW
from tests.migrating import run_sql
from tests.qualification.acceptance.conftest import AcceptanceStudy, make_acceptance
from tests.qualification.acceptance.factories import (
    answer_items,
    items_of,
    make_dialogue_batch,
    rate_batch,
    review_items,
)
from tests.races.threads import run_together

LABELS, WORSE = ["0", "1", "2"] * 40, ["1", "2", "0"] * 40


@dataclass
class Rated:
    acceptance: AcceptanceStudy
    batch: Batch

    def exclude(self) -> Participant:
        return set_status(self.acceptance.cast.annotators[0], status="excluded", reason="Random.", now=NOW)

    def replace(self, keys: list[str]) -> None:
        """The third annotator claims the free seat and submits."""
        work = claim_seat(self.acceptance.cast.annotators[2], Batch.objects.get(pk=self.batch.pk), now=NOW)
        answer_items(work, dict(zip(items_of(self.batch), keys, strict=True)))
        submit_assignment(work, feedback="", now=NOW)

    def begin(self) -> Review:
        """A controller has checked the sample, and the clock has not counted it."""
        review = self.acceptance.take(self.acceptance.draw(self.batch))
        review_items(review, self.acceptance.truth_of(self.batch, LABELS))
        return review

    @property
    def samples(self) -> list[Sample]:
        return list(self.batch.samples.order_by("pk"))


def rated(acceptance: AcceptanceStudy, n_seats: int) -> Rated:
    batch = make_dialogue_batch(acceptance.cast.study, "a", len(LABELS), n_seats=n_seats)
    rate_batch(batch, acceptance.cast.annotators[:n_seats], LABELS)
    return Rated(acceptance, batch)


@pytest.fixture(params=[1, 2], ids=["one seat", "two seats"])
def work(request: pytest.FixtureRequest, acceptance: AcceptanceStudy) -> Rated:
    return rated(acceptance, request.param)


def status_of(batch: Batch) -> str:
    return Batch.objects.values_list("status", flat=True).get(pk=batch.pk)


# --- excluded before the decision ----------------------------------------------------------------------
def test_a_sample_that_was_reviewed_and_not_counted_decides_nothing_after_an_exclusion(work: Rated):
    review = work.begin()
    person = work.exclude()
    sweep_acceptance(now=NOW)
    (found,) = work.samples
    assert (found.state, found.decision, found.voided_at) == ("void", "", NOW)
    assert list(found.missing.all()) == [person]
    assert status_of(work.batch) == "open"
    review.refresh_from_db()
    assert (review.counted_at, review.given_back_at) == (None, NOW)
    log = ActivityLog.objects.get(verb="sample_voided")
    assert (log.object, log.details["names"]) == ("a", person.pseudonym)


def test_the_replacement_is_drawn_and_decided_anew(work: Rated):
    work.begin()
    work.exclude()
    sweep_acceptance(now=NOW)
    work.replace(LABELS)
    assert sweep_acceptance(now=NOW) == (1, 0)
    first, second = work.samples
    assert first.seed != second.seed
    assert work.acceptance.review(second, LABELS).decision == "accept"
    assert status_of(work.batch) == "closed"


def test_a_replacement_that_came_before_the_clock_is_drawn_anew_all_the_same(work: Rated):
    work.begin()
    work.exclude()
    work.replace(LABELS)
    assert sweep_acceptance(now=NOW) == (1, 0)
    assert [each.state for each in work.samples] == ["void", "waiting"]


def test_a_review_is_not_counted_although_the_sweep_has_not_seen_the_exclusion(work: Rated):
    review = work.begin()
    work.exclude()
    assert count_review(review.pk, now=NOW) is False
    assert work.samples[0].state == "reviewing"


def test_a_sample_nobody_has_taken_is_void_and_cannot_be_taken(work: Rated):
    drawn = work.acceptance.draw(work.batch)
    work.exclude()
    sweep_acceptance(now=NOW)
    with pytest.raises(Refused):
        work.acceptance.take(drawn)


# --- excluded after it -----------------------------------------------------------------------------
def test_an_accepted_batch_is_opened_again_and_its_acceptance_counts_nowhere(work: Rated):
    work.begin()
    sweep_acceptance(now=NOW)
    assert status_of(work.batch) == "closed"
    study = work.acceptance.cast.study
    assert rounds_of(study).n_first_pass == 1
    work.exclude()
    sweep_acceptance(now=NOW)
    assert status_of(work.batch) == "open"
    (found,) = work.samples
    assert (found.state, found.decision) == ("void", "accept")  # what was decided stays readable
    assert (rounds_of(study).n_first, rounds_of(study).by_rounds) == (0, ())
    assert ActivityLog.objects.filter(verb="batches_open").count() == 1


def test_the_replacement_in_an_accepted_batch_is_judged_by_its_own_labels(work: Rated):
    work.begin()
    sweep_acceptance(now=NOW)
    work.exclude()
    sweep_acceptance(now=NOW)
    work.replace(LABELS)
    again = work.acceptance.draw(work.batch)
    assert work.acceptance.review(again, WORSE).decision == "return"
    rounds = rounds_of(work.acceptance.cast.study)
    assert (rounds.n_first, rounds.n_first_pass) == (1, 0)


def test_who_is_taken_back_in_has_their_work_reviewed_anew(work: Rated):
    work.begin()
    sweep_acceptance(now=NOW)
    person = work.exclude()
    sweep_acceptance(now=NOW)
    set_status(person, status="cleared", now=NOW)
    assert sweep_acceptance(now=NOW) == (1, 0)
    assert [each.state for each in work.samples] == ["void", "waiting"]


def test_who_is_taken_back_in_before_the_clock_has_seen_it_changes_nothing(work: Rated):
    work.begin()
    set_status(work.exclude(), status="cleared", now=NOW)
    sweep_acceptance(now=NOW)
    assert [(each.state, each.decision) for each in work.samples] == [("decided", "accept")]


def test_somebody_who_has_not_rated_the_batch_may_be_excluded(work: Rated):
    work.begin()
    set_status(work.acceptance.cast.annotators[2], status="excluded", now=NOW)
    sweep_acceptance(now=NOW)
    assert status_of(work.batch) == "closed"


def test_a_lead_cannot_accept_by_votes_that_are_gone(work: Rated):
    work.acceptance.plan.is_returned_automatically = False
    work.acceptance.plan.save()
    found = work.acceptance.review(work.acceptance.draw(work.batch), WORSE)
    work.exclude()
    with pytest.raises(Refused) as refused:
        override(found, to="accept", reason="Fine.", by=work.acceptance.cast.lead, now=NOW)
    assert refused.value.code == "vote_missing"


def test_a_returned_batch_stays_returned(work: Rated):
    work.acceptance.review(work.acceptance.draw(work.batch), WORSE)
    work.exclude()
    sweep_acceptance(now=NOW)
    assert [(each.state, each.decision) for each in work.samples] == [("decided", "return")]


def test_controllers_of_a_void_sample_have_no_kappa(acceptance: AcceptanceStudy):
    work = rated(acceptance, 2)
    work.begin()
    sweep_acceptance(now=NOW)
    review_items(
        take_second_review(work.samples[0], user=acceptance.second, now=NOW), acceptance.truth_of(work.batch, LABELS)
    )
    sweep_acceptance(now=NOW)
    study = acceptance.cast.study
    criterion = criterion_of(spec_of(study.protocol_version), "score")
    assert criterion is not None
    assert controllers_agree(study, criterion).n_items == 100
    work.exclude()
    sweep_acceptance(now=NOW)
    assert controllers_agree(study, criterion).n_items == 0


# --- pages -------------------------------------------------------------------------------------------
def test_the_pages_say_whose_vote_is_missing(client: Client, acceptance: AcceptanceStudy):
    work = rated(acceptance, 2)
    work.begin()
    sweep_acceptance(now=NOW)
    person = work.exclude()
    sweep_acceptance(now=NOW)
    client.force_login(acceptance.cast.lead)
    said = f"A vote is missing after the exclusion of {person.pseudonym}."
    slug = acceptance.cast.study.slug
    page = client.get(reverse("acceptance", args=[slug])).content.decode()
    assert said in page
    assert "1: void" in page
    page = client.get(reverse("sample", args=[slug, work.samples[0].pk])).content.decode()
    assert said in page
    assert "Override the decision" not in page
    assert "before: accepted" in page
    work.replace(LABELS)
    sweep_acceptance(now=NOW)
    assert said not in client.get(reverse("acceptance", args=[slug])).content.decode()


# --- samples of before ---------------------------------------------------------------------------------
def test_the_migration_knows_the_votes_of_samples_that_were_drawn_before_it(work: Rated):
    """Those that count, and those that an exclusion since has taken: the batch is mended by the next sweep."""
    drawn = work.acceptance.draw(work.batch)
    votes = set(drawn.votes.values_list("pk", flat=True))
    work.exclude()
    drawn.votes.clear()
    run_sql(import_module("qualification.migrations.0004_void_samples").VOTES)
    assert set(drawn.votes.values_list("pk", flat=True)) == votes
    sweep_acceptance(now=NOW)
    assert work.samples[0].state == "void"


# --- at once -------------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_an_exclusion_while_it_is_decided_never_leaves_an_accepted_batch_without_its_votes():
    work = rated(make_acceptance(), 2)
    review = work.begin()
    results = run_together(
        [partial(count_review, review.pk, now=NOW), work.exclude, *[partial(sweep_acceptance, now=NOW)] * 4]
    )
    assert not [each for each in results if isinstance(each, Exception)]
    sweep_acceptance(now=NOW)
    assert [each.state for each in work.samples] == ["void"]
    assert status_of(work.batch) == "open"
    assert ActivityLog.objects.filter(verb="sample_voided").count() == 1
    assert Assignment.objects.filter(batch=work.batch, seat__isnull=False).count() == 1
