"""The figures of a pilot on the simulated study: 5 dialogues, 5 sources, 4 criteria, 3 experts and 3 non-experts."""

from collections import Counter, defaultdict
from decimal import Decimal
from math import log2
from typing import Any

import numpy as np
import pytest

from annotation.models import Assignment, Batch, Participant, Rating, Seat, Study
from annotation.services.repeating import repeat_pilot
from protocols.specs import spec_of
from qualification.models import Qualification
from qualification.pilot.selectors.page import Suggestions, pilots_of, side_by_side, suggest
from qualification.pilot.selectors.results import PilotFigures, pilot_figures
from qualification.pilot.selectors.votes import panel_members, pilot_votes
from qualification.qualifying.selectors.panel import items_shown
from tests.clock import NOW
from tests.factories import AssignmentFactory, make_batch
from tests.he_study import expected
from tests.qualification.pilot.conftest import internal_rows


def figures_of(study: Study) -> PilotFigures:
    found = pilot_figures(study, spec_of(study.protocol_version), pilot_votes(study), panel_members(study))
    assert found is not None
    return found


def suggested(study: Study, *, hourly: str = "8.00", n_items: int = 25, **qualification: Any) -> Suggestions:
    spec, votes, members = spec_of(study.protocol_version), pilot_votes(study), panel_members(study)
    rule = Qualification(study=study, **qualification)
    return suggest(spec, votes, members, figures_of(study), rule, n_items=n_items, hourly=Decimal(hourly))


def tallies(role: str = "") -> dict[tuple[str, str, str], Counter[str]]:
    """Straight from the file: {(dialogue, source, criterion): answers}."""
    found: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for row in internal_rows():
        if row["role"].startswith(role or "internal"):
            found[row["dialogue_id"], row["source"], row["criterion"]][row["answer"]] += 1
    return found


def test_the_kappa_of_the_non_experts_is_the_printed_one(study: Study):
    agreement = figures_of(study).agreement
    assert agreement.non_experts.value == pytest.approx(expected()["qualification"]["internal_fleiss"], abs=1e-6)
    # Computed independently from the file by Fleiss' formula.
    assert agreement.experts.value == pytest.approx(0.5147037519918869)
    assert agreement.panel.value == pytest.approx(0.35044573887369346)
    for estimate in (agreement.panel, agreement.experts, agreement.non_experts):
        assert estimate.low < estimate.value < estimate.high
        assert estimate.n_items == 100


def test_every_criterion_has_its_kappa_time_and_difficulty(study: Study):
    lines = {line.criterion.key: line for line in figures_of(study).criteria}
    assert {key: line.times.median for key, line in lines.items()} == {
        "appropriateness": 10, "contextualization": 14, "listening": 21, "correctness": 21,
    }  # fmt: skip
    for key, line in lines.items():
        counts = [votes for (_dialogue, _source, criterion), votes in tallies().items() if criterion == key]
        outside = [1 - max(votes.values()) / votes.total() for votes in counts]
        bits = [-sum(n / v.total() * log2(n / v.total()) for n in v.values()) for v in counts]
        unsure = [votes["I don't know"] / votes.total() for votes in counts]
        assert line.hardness.disagreeing == pytest.approx(np.mean(outside))
        assert line.hardness.entropy == pytest.approx(np.mean(bits) / log2(3))
        assert line.hardness.unsure == pytest.approx(np.mean(unsure))
        assert (line.kappa.n_items, line.times.n) == (25, 150)


def test_the_hardest_items_are_those_with_the_most_votes_outside_the_most_frequent_answer(study: Study):
    by_item: dict[str, list[float]] = defaultdict(list)
    for (dialogue, source, _criterion), votes in tallies().items():
        by_item[f"{dialogue}-{source}"].append(1 - max(votes.values()) / votes.total())
    hardest = figures_of(study).hardest
    wanted = sorted((float(np.mean(each)) for each in by_item.values()), reverse=True)[:10]
    assert [each.hardness.disagreeing for each in hardest] == pytest.approx(wanted)
    keys = dict(study.batches.get().items.values_list("pk", "candidate__key"))
    first = keys[hardest[0].item]
    assert np.mean(by_item[first]) == pytest.approx(wanted[0])


def test_every_item_has_its_difficulty_by_each_criterion(study: Study):
    figures = figures_of(study)
    keys = dict(study.batches.get().items.values_list("pk", "candidate__key"))
    votes = {(f"{dialogue}-{source}", criterion): each for (dialogue, source, criterion), each in tallies().items()}
    criteria = [line.criterion.key for line in figures.criteria]
    assert sorted(keys[each.item] for each in figures.items) == sorted({key for key, _criterion in votes})
    for each in figures.items:
        counts = [votes[keys[each.item], criterion] for criterion in criteria]
        outside = [1 - max(count.values()) / count.total() for count in counts]
        assert [part.disagreeing for part in each.by_criterion if part] == pytest.approx(outside)
        assert each.hardness.disagreeing == pytest.approx(np.mean(outside))
    assert [each.hardness.disagreeing for each in figures.items] == sorted(
        (each.hardness.disagreeing for each in figures.items), reverse=True
    )


def test_an_item_that_a_criterion_was_not_asked_of_has_nothing_there(study: Study):
    item = study.batches.get().items.first()
    item.ratings.filter(criterion__key="listening").update(is_active=False)
    (found,) = [each for each in figures_of(study).items if each.item == item.pk]
    assert [part is None for part in found.by_criterion] == [False, False, True, False]


def test_every_member_is_left_out_in_turn(study: Study):
    agreement = figures_of(study).agreement
    names = {each.pk: each.pseudonym for each in panel_members(study)}
    assert sorted(names[each.rater] for each in agreement.without) == sorted(names.values())
    for each in agreement.without:
        assert each.kappa_all == pytest.approx(agreement.panel.value)
        without = [row for row in internal_rows() if row["annotator"] != names[each.rater]]
        assert each.kappa_without == pytest.approx(fleiss(without))
        assert each.delta.low < each.delta.value < each.delta.high


def fleiss(rows: list[dict[str, str]]) -> float:
    """By the formula of 1971, from the file; answers of one kind are one category."""
    answers = {row["answer"] for row in rows} - {"I don't know"}
    kinds = {"I don't know": 2} | {answer: int(answer.startswith("Not")) for answer in answers}
    cells: dict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)
    for row in rows:
        cells[row["dialogue_id"], row["source"], row["criterion"]][kinds[row["answer"]]] += 1
    r = next(iter(cells.values())).total()
    agreeing = np.mean([(sum(n * n for n in cell.values()) - r) / (r * (r - 1)) for cell in cells.values()])
    shares = [sum(cell[k] for cell in cells.values()) / (r * len(cells)) for k in range(3)]
    chance = sum(share**2 for share in shares)
    return float((agreeing - chance) / (1 - chance))


def test_experts_stand_beside_non_experts_where_both_have_one_most_frequent_answer(study: Study):
    experts, others = tallies("internal_expert"), tallies("internal_nonexpert")
    pairs = []
    for key, votes in experts.items():
        both = [each.most_common() for each in (votes, others[key])]
        if all(len(ranked) == 1 or ranked[0][1] > ranked[1][1] for ranked in both):
            pairs.append(both[0][0][0] == both[1][0][0])
    beside = figures_of(study).agreement.beside
    assert (beside.n, beside.same) == (len(pairs), pytest.approx(np.mean(pairs)))
    assert 0 < beside.kappa.value < 1


# --- suggestions -----------------------------------------------------------------------------------
def test_the_pilot_suggests_the_threshold_of_the_study(study: Study):
    assert suggested(study).threshold == 0.21
    assert suggested(study, panel_members="expert").threshold == 0.51


def cohen_with_the_others(member: str, rows: list[dict[str, str]]) -> float:
    """Of one member's answers and the one answer that most of the others gave, counted from the file."""
    kinds = {"I don't know": 2}
    mine: dict[tuple[str, str, str], int] = {}
    others: dict[tuple[str, str, str], Counter[int]] = defaultdict(Counter)
    for row in rows:
        key = (row["dialogue_id"], row["source"], row["criterion"])
        code = kinds.get(row["answer"], int(row["answer"].startswith("Not")))
        if row["annotator"] == member:
            mine[key] = code
        else:
            others[key][code] += 1
    ranked = {key: votes.most_common(2) for key, votes in others.items()}
    pairs = [(mine[key], first[0][0]) for key, first in ranked.items() if len(first) == 1 or first[0][1] > first[1][1]]
    same = np.mean([one == other for one, other in pairs])
    shares = [[np.mean([pair[side] == kind for pair in pairs]) for kind in range(3)] for side in (0, 1)]
    chance = sum(one * other for one, other in zip(*shares, strict=True))
    return float((same - chance) / (1 - chance))


def test_for_the_majority_the_threshold_is_what_the_members_reach_with_the_others(study: Study):
    rows = [row for row in internal_rows() if row["role"] == "internal_nonexpert"]
    reached = [cohen_with_the_others(name, rows) for name in sorted({row["annotator"] for row in rows})]
    found = suggested(study, method="majority_kappa")
    assert found.kappa == pytest.approx(np.mean(reached))
    assert found.threshold == round(float(np.mean(reached)), 2) != suggested(study).threshold


def test_no_pilot_says_which_accuracy_to_require(study: Study):
    found = suggested(study, method="gold", threshold_from="fixed", threshold=0.8)
    assert (found.kappa, found.threshold, found.minutes) == (None, None, 30)


def test_without_a_panel_to_compare_with_there_is_no_threshold(study: Study):
    Participant.objects.filter(panel="non_expert").update(panel="expert")
    for method in ("panel_kappa", "majority_kappa"):
        assert suggested(study, method=method).threshold is None


def test_minutes_and_pay_follow_from_the_median_of_a_judgement(study: Study):
    # 25 items of 4 judgements at a median of (14 + 21) / 2 seconds are 29.2 minutes.
    found = suggested(study)
    assert figures_of(study).times.median == 17.5
    assert (found.minutes, found.pay) == (30, Decimal("4.00"))
    assert suggested(study, n_items=26).minutes == 35
    assert suggested(study, n_items=26).pay == Decimal("4.67")


def test_without_times_only_the_threshold_is_suggested(study: Study):
    Rating.objects.update(active_ms=0)
    found = suggested(study)
    assert (found.minutes, found.pay, found.threshold) == (None, None, 0.21)


def test_who_is_in_no_panel_and_what_holds_no_seat_is_in_no_figure(study: Study):
    leaver = study.participants.get(pseudonym="expert1")
    Participant.objects.filter(pk=leaver.pk).update(panel="")
    assert figures_of(study).n_votes == 500
    Seat.objects.filter(assignment__participant__pseudonym="expert2").update(assignment=None)
    assert figures_of(study).n_votes == 400


def test_without_answers_of_the_panel_there_are_no_figures(study: Study):
    Participant.objects.update(panel="")
    assert pilot_figures(study, spec_of(study.protocol_version), pilot_votes(study), panel_members(study)) is None


def test_a_pilot_of_another_batch_adds_and_a_main_batch_does_not(study: Study):
    before = figures_of(study).n_votes
    make_batch(study, position=9)
    assert figures_of(study).n_votes == before


# --- two pilots --------------------------------------------------------------------------------------
@pytest.fixture
def second(study: Study) -> Batch:
    """The same items once more: the panel takes twice the time, and everybody answers as expert1 did."""
    first = study.batches.get()
    batch = repeat_pilot(study, pilot=first.key, kind="pilot", now=NOW)
    places = items_shown([first.pk, batch.pk])
    same = {pk: places[batch.pk][place] for place, pk in places[first.pk].items()}
    model = list(Rating.objects.filter(assignment__participant__pseudonym="expert1"))
    for seat, member in zip(batch.seats.order_by("number"), panel_members(study), strict=True):
        work = AssignmentFactory(batch=batch, participant=member, status="submitted", submitted_at=NOW)
        Seat.objects.filter(pk=seat.pk).update(assignment=work)
        Rating.objects.bulk_create(_again(rating, work, same) for rating in model)
    return batch


def _again(rating: Rating, work: Assignment, same: dict[int, int]) -> Rating:
    return Rating(
        assignment=work, batch=work.batch, item_id=same[rating.item_id], criterion_id=rating.criterion_id,
        option_id=rating.option_id, active_ms=2 * rating.active_ms, answered_at=NOW, created_at=NOW, updated_at=NOW,
    )  # fmt: skip


def test_two_pilots_on_the_same_dialogues_have_figures_of_their_own_side_by_side(study: Study, second: Batch):
    spec, votes, members = spec_of(study.protocol_version), pilot_votes(study), panel_members(study)
    one, other = side_by_side(spec, votes, members, pilots_of(study), Qualification(study=study))
    assert [(each.batch.key, each.same_as, each.n_votes) for each in (one, other)] == [
        ("pilot-1", "", 600), ("pilot-2", "pilot-1", 600),
    ]  # fmt: skip
    assert (one.times.median, other.times.median) == (17.5, 35.0)
    assert one.kappa.value == pytest.approx(0.35044573887369346)
    assert other.kappa.value == pytest.approx(1)
    assert (one.threshold, other.threshold) == (0.21, 1.0)
    assert one.hardness.disagreeing > 0.1
    assert (other.hardness.disagreeing, other.hardness.entropy) == (0, 0)


def test_the_figures_of_the_first_pilot_do_not_change_by_the_second(study: Study, second: Batch):
    spec, votes, members = spec_of(study.protocol_version), pilot_votes(study), panel_members(study)
    first = pilot_figures(study, spec, votes.in_batch(pilots_of(study)[0].pk), members)
    assert first is not None
    assert first.agreement.panel.value == pytest.approx(0.35044573887369346)
    assert first.n_votes == 600
