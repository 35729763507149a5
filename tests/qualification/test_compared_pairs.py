"""Answers about pairs in pilots, qualification and batch acceptance count for the candidates, not for their sides."""

import re
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Batch, Item, Participant, Study
from annotation.services.claiming import claim_seat, submit_assignment
from measures.agreement import fleiss_kappa
from measures.histograms import Histogram
from protocols.specs import spec_of
from qualification.acceptance.selectors.batches import controllers_agree
from qualification.acceptance.services.reviewing import take_sample, take_second_review
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import Attempt, Qualification, Review, Sample
from qualification.pilot.selectors.page import suggest
from qualification.pilot.selectors.results import PilotFigures, pilot_figures
from qualification.pilot.selectors.votes import panel_members, pilot_votes
from qualification.qualifying.selectors.votes import panel_figures
from qualification.qualifying.services.results import sweep_attempts
from tests.clock import NOW
from tests.comparing import add_dialogue, deal, make_study, prefer, press, sides_of
from tests.factories import MembershipFactory, make_annotator
from tests.qualification.acceptance.factories import PlanFactory
from tests.qualification.qualifying.factories import QualificationFactory

pytestmark = pytest.mark.django_db

N_DIALOGUES = 6
Taste = Callable[[int], str]  # the place of a pair among all -> the letters of sources, the most liked first
ONE, OTHER = (lambda _place: "abc"), (lambda place: "abc" if place % 3 else "cba")
NAMES = pytest.mark.parametrize("places", [(0, 1, 2), (2, 0, 1)], ids=["as named", "in another order"])


def comparing(places: Iterable[int], **fields: object) -> Study:
    """Three sources, in this order: which of a pair is the first depends on it."""
    study = make_study(0, 3, **fields)
    for letter, place in zip("abc", places, strict=True):
        study.sources.filter(key=f"model-{letter}").update(position=place)
    for number in range(N_DIALOGUES):
        add_dialogue(study, study.sources.order_by("key"), f"d{number}", number)
    return study


def answer(work: Assignment, taste: Taste) -> None:
    """Prefer by taste, the same for the same pair of responses whatever the order of its sources; every fifth equal."""
    letters = dict(work.batch.study.sources.values_list("pk", "key"))
    items = {}
    for item in Item.objects.filter(batch=work.batch).select_related("dialogue"):
        names = "".join(sorted(letters[source][-1] for source in sides_of(work)[item.pk]))
        items[item.dialogue.key, names] = item
    for place, ((_dialogue, names), item) in enumerate(sorted(items.items())):
        best = min(names, key=taste(place).index)
        if place % 5 == 4:
            press(work, item, "3")
        else:
            prefer(work, item, next(pk for pk, key in letters.items() if key[-1] == best))


def finish(person: Participant, batch: Batch, taste: Taste) -> Assignment:
    work = claim_seat(person, batch, now=NOW)
    answer(work, taste)
    return submit_assignment(work, feedback="", now=NOW)


def panel_answers(study: Study, batch: Batch) -> list[Assignment]:
    return [
        finish(make_annotator(study, f"panel-{at}", panel="non_expert"), batch, taste)
        for at, taste in enumerate((ONE, ONE, OTHER))
    ]


def both_orders(*tastes: Taste) -> float:
    """Fleiss' kappa of these tastes over both orders of each pair, counted from the tastes alone."""
    rows = []
    for place, names in enumerate(["ab", "ac", "bc"] * N_DIALOGUES):
        row = [2 if place % 5 == 4 else names.index(min(names, key=taste(place).index)) for taste in tastes]
        rows += [row, [(1, 0, 2)[each] for each in row]]
    found = fleiss_kappa(Histogram.from_matrix(np.array(rows), 3)).value
    assert found is not None
    return found


# --- pilots ------------------------------------------------------------------------------------------
def piloted(places: Iterable[int]) -> tuple[Study, PilotFigures]:
    study = comparing(places)
    (pilot,) = deal(study, kind="pilot")
    works = panel_answers(study, pilot)
    assert len({tuple(work.swapped) for work in works}) == len(works), "nobody sees all the sides as another does"
    found = pilot_figures(study, spec_of(study.protocol_version), pilot_votes(study), panel_members(study))
    assert found is not None
    return study, found


@NAMES
def test_the_agreement_of_a_pilot_is_that_on_candidates(places: tuple[int, ...]) -> None:
    study, found = piloted(places)
    expected = both_orders(ONE, ONE, OTHER)
    assert found.agreement.panel.value == pytest.approx(expected)
    assert [line.kappa.value for line in found.criteria] == pytest.approx([expected])
    without = [each.kappa_without for each in found.agreement.without]
    assert without == pytest.approx([both_orders(ONE, OTHER), both_orders(ONE, OTHER), 1.0])
    spec, votes, members = spec_of(study.protocol_version), pilot_votes(study), panel_members(study)
    rule = Qualification(study=study, method="panel_kappa", panel_members="all")
    suggested = suggest(spec, votes, members, found, rule, n_items=10, hourly=8)
    assert suggested.threshold == pytest.approx(round(expected, 2))


# --- qualification -----------------------------------------------------------------------------------
@NAMES
@pytest.mark.parametrize("scope", ["pooled", "each"])
def test_a_candidate_is_compared_with_the_panel_by_candidates(places: tuple[int, ...], scope: str) -> None:
    study = comparing(places, has_qualification=True)
    QualificationFactory(study=study, scope=scope)
    (batch,) = deal(study, kind="qualification", seats=9)
    works = panel_answers(study, batch)
    work = finish(make_annotator(study, "candidate", status="qualifying"), batch, ONE)
    assert work.swapped not in ([], works[0].swapped)
    assert sweep_attempts(now=NOW) == 1
    attempt = Attempt.objects.get()
    assert (attempt.value, attempt.threshold) == pytest.approx(
        (both_orders(ONE, ONE, OTHER, ONE), both_orders(ONE, ONE, OTHER))
    )
    assert attempt.state == "passed"
    assert panel_figures(study.qualification, study).kappa.value == pytest.approx(attempt.threshold)


# --- batch acceptance --------------------------------------------------------------------------------
def sampled(places: Iterable[int], **plan: object) -> tuple[Study, Sample]:
    """A batch whose two annotators have the same taste; all of it is sampled."""
    study = comparing(places, seats=2, slug="pairs")
    numbers = {"kind": "fixed", "n_sample": 3 * N_DIALOGUES, "most_errors": 0}
    PlanFactory(study=study, criterion=study.protocol_version.criteria.get(), **numbers | plan)
    (batch,) = deal(study)
    for at in range(2):
        finish(make_annotator(study, f"person-{at}"), batch, ONE)
    sweep_acceptance(now=NOW)
    return study, Sample.objects.get(batch=batch)


def controller(study: Study, name: str) -> object:
    return MembershipFactory(study=study, role="controller", user__username=name).user


def review(found: Review, taste: Taste) -> None:
    finish(found.participant, found.batch, taste)
    sweep_acceptance(now=NOW)


@NAMES
def test_a_controller_who_prefers_the_same_candidates_finds_every_label_right(places: tuple[int, ...]) -> None:
    study, sample = sampled(places)
    review(take_sample(sample, user=controller(study, "first"), now=NOW), ONE)
    sample.refresh_from_db()
    assert sample.results["overall"] | {"n": 18, "n_right": 18} == sample.results["overall"]
    assert sample.decision == "accept"


@NAMES
def test_controllers_agree_on_candidates(places: tuple[int, ...]) -> None:
    study, sample = sampled(places)
    review(take_sample(sample, user=controller(study, "first"), now=NOW), ONE)
    review(take_second_review(sample, user=controller(study, "second"), now=NOW), OTHER)
    found = controllers_agree(study, spec_of(study.protocol_version).by_key["better"])
    # Of two people over both orders, Cohen's and Fleiss' kappa are the same: both have the same shares.
    assert (found.value, found.n_items) == (pytest.approx(both_orders(ONE, OTHER)), 18)


def test_a_label_is_shown_on_the_side_where_the_controller_sees_its_candidate(client: Client) -> None:
    study, sample = sampled((0, 1, 2), is_blind=False)
    user = controller(study, "first")
    client.force_login(user)
    page = client.post(reverse("sample_take", args=[study.slug, sample.pk]), follow=True)
    sides = set()
    for _screen in range(N_DIALOGUES):
        form = {"form_key": "x"}
        for name, said in shown_labels(page):
            form[name] = said
            sides.add(said)
        page = client.post(page.request["PATH_INFO"], form, follow=True)
    assert "Every item is reviewed" in page.content.decode()
    assert {"2", "4"} <= sides, "labels stand on both sides"
    sweep_acceptance(now=NOW)
    sample.refresh_from_db()
    assert sample.results["overall"]["n_right"] == 18


def shown_labels(page: object) -> list[tuple[str, str]]:
    """The name of each question, and its preselected option, which is the one that the page names as the label."""
    work = Assignment.objects.get(batch__kind="review")
    letters = dict(work.batch.study.sources.values_list("pk", "key"))
    found = []
    for part, label in page.context["parts"]:
        item = Item.objects.get(token=part.item.token)
        left, right = (letters[source] for source in sides_of(work)[item.pk])
        (question,) = part.questions
        checked = re.search(rf'name="({question.name}-option)" value="(\d)"[^>]*checked', page.content.decode())
        assert label.code == checked[2]
        if label.role != "equal":
            assert label.role == ("left" if left < right else "right"), "model A is preferred to B and C, and B to C"
        found.append((checked[1], checked[2]))
    return found
