"""Measure how one annotator works: pace, sameness and a drop of agreement, from their and the others' latest answers.

Times are taken by the server's clock, from one answer of an annotator to the next.
"""

import numpy as np

from annotation.agreement_cells import category_codes, counted_codes, n_counted
from annotation.selectors.answers import StudyAnswers
from measures.arrays import BoolArray, IntArray
from measures.behaviour import FEWEST_ITEMS_TO_FLAG, speed_scores, straight_lining
from measures.contributors import agrees_with_majority
from measures.drift import BASELINE_ITEMS, cusum
from measures.estimate import TOO_FEW_ITEMS, Estimate
from measures.intervals import wilson
from measures.signals import lower_tail, share_difference
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec

LATEST = 50  # latest answers with a majority, whose agreement is compared with that of the first fifty
WINDOW = 200  # latest answers searched for sameness: among a year's work, an episode would go unnoticed
FIRST_PERMUTATIONS, PERMUTATIONS = 99, 1999
NOT_RULED_OUT = 0.03  # limit after the first permutations: at most two of 99 as extreme
SURE = 0.001  # strict, since work is looked at every twenty answers: chance alarms must stay rare over many looks
PAUSE_MS = 10 * 60 * 1000  # a longer time from one answer to the next is a break
LEAST_VARIETY = 0.25  # as a share of the others' variety
Evidence = dict[str, float | int | str | None]


# --- pace ------------------------------------------------------------------------------------------
def pace_of(answers: StudyAnswers, participant: int, is_by_dialogue: bool) -> Estimate:
    """Return the median of log(time / everybody's median time), over items or over dialogues that fill a page."""
    screen = answers.dialogue if is_by_dialogue else answers.item
    order = np.lexsort((answers.answered_ms, answers.batch, answers.participant))
    who, batch, at = answers.participant[order], answers.batch[order], answers.answered_ms[order]
    is_next = np.r_[False, (who[1:] == who[:-1]) & (batch[1:] == batch[:-1])]
    gap = np.where(is_next, np.r_[0, np.diff(at)], -1)
    keys, group = np.unique(np.stack([who, screen[order]]), axis=1, return_inverse=True)
    n = keys.shape[1]
    times = np.bincount(group.ravel(), np.maximum(gap, 0), n)
    # The first answer of a batch and one after a break have no known time, so their screens have none either.
    unknown = np.bincount(group.ravel(), (gap < 0) | (gap > PAUSE_MS), n)
    times[unknown > 0] = 0
    found = speed_scores(keys[1], keys[0], times, np.ones(n))
    return next((each.score for each in found if each.rater == participant), Estimate(None, TOO_FEW_ITEMS))


# --- sameness --------------------------------------------------------------------------------------
def lines_of(answers: StudyAnswers, participant: int, spec: VersionSpec, seed: int) -> Evidence | None:
    """Return evidence of more equal answers in a row than by chance, or of far less variety than the others'."""
    place = places_of_answers(answers, spec)
    own = own_rows(answers, participant, spec.voted)[-WINDOW:]
    if len(own) < FEWEST_ITEMS_TO_FLAG:
        return None
    return _monotony(answers, place, own) or _run(answers, place, own, spec, seed)


def places_of_answers(answers: StudyAnswers, spec: VersionSpec) -> IntArray:
    """Return the place of each answer among the options of its question, which is the key that was pressed."""
    place = np.full(len(answers.option), -1, np.int64)
    for criterion in spec.voted:
        mine: BoolArray = answers.criterion == criterion.id
        place[mine] = category_codes(answers.option[mine], criterion)
    return place


def _monotony(answers: StudyAnswers, place: IntArray, own: IntArray) -> Evidence | None:
    usual = int(np.bincount(place[own]).argmax())
    questions = answers.item * (int(answers.criterion.max()) + 1) + answers.criterion
    beside = np.isin(questions, questions[own]) & (answers.participant != answers.participant[own[0]])
    n, n_other = len(own), int((place[own] != usual).sum())
    if int(beside.sum()) < FEWEST_ITEMS_TO_FLAG:
        return None
    share = float((place[beside] != usual).mean())
    p = lower_tail(n_other, n, share)
    if p > SURE or n_other / n > LEAST_VARIETY * share:
        return None
    return {"what": "monotony", "n": n, "value": 1 - n_other / n, "others": 1 - share, "p": p}


def _run(answers: StudyAnswers, place: IntArray, own: IntArray, spec: VersionSpec, seed: int) -> Evidence | None:
    screens = _screens(answers, own, spec)
    for n, most in ((FIRST_PERMUTATIONS, NOT_RULED_OUT), (PERMUTATIONS, SURE)):
        found = straight_lining(place[own], screens, seed=seed, n_permutations=n)
        if found.run_p is None or found.run_p > most:
            return None
    return {"what": "run", "n": found.n_answers, "value": found.longest_run, "p": found.run_p}


def _screens(answers: StudyAnswers, own: IntArray, spec: VersionSpec) -> IntArray:
    """Group answers that may be alike for a good reason: to one question about one dialogue, or on one page."""
    if spec.order == ProtocolVersion.Order.ITEM_FIRST:
        return answers.item[own]
    if spec.order == ProtocolVersion.Order.SET_LEVEL:
        return answers.dialogue[own]
    keys = np.stack([answers.dialogue[own], answers.criterion[own]])
    return np.unique(keys, axis=1, return_inverse=True)[1].ravel()


# --- a drop ----------------------------------------------------------------------------------------
def drift_of(answers: StudyAnswers, participant: int, criteria: tuple[CriterionSpec, ...]) -> Evidence | None:
    """Return evidence if the control chart has an alarm and the latest 50 answers still agree less than the first."""
    agrees = agreement_of(answers, criteria)[own_rows(answers, participant, criteria)]
    known = agrees[agrees >= 0]
    if len(known) < BASELINE_ITEMS + FEWEST_ITEMS_TO_FLAG:
        return None
    first, latest = known[:BASELINE_ITEMS], known[BASELINE_ITEMS:][-LATEST:]
    drop = share_difference(int(first.sum()), len(first), int(latest.sum()), len(latest))
    if drop.low is None or drop.low <= 0:  # tested first, since the chart's limit takes long to compute
        return None
    chart = cusum(agrees)
    if chart.alarm is None:
        return None
    limits = wilson(int(latest.sum()), len(latest))
    return {
        "n": len(known), "value": float(latest.mean()), "low": limits.low, "high": limits.high,
        "threshold": float(first.mean()), "n_latest": len(latest), "answer": chart.alarm + 1,
    }  # fmt: skip


def agreement_of(answers: StudyAnswers, criteria: tuple[CriterionSpec, ...]) -> IntArray:
    """Return for each answer: 1 if it is the majority of the others, 0 if not, -1 if they have none."""
    agrees = np.full(len(answers.item), -1, np.int64)
    for criterion in criteria:
        mine: BoolArray = answers.criterion == criterion.id
        codes = counted_codes(answers.option[mine], criterion)
        agrees[mine] = agrees_with_majority(answers.item[mine], codes, n_counted(criterion))
    return agrees


def own_rows(answers: StudyAnswers, participant: int, criteria: tuple[CriterionSpec, ...]) -> IntArray:
    """Return the row numbers of the annotator's answers to these questions, in the order of answering."""
    asked = np.isin(answers.criterion, [criterion.id for criterion in criteria])
    rows = np.flatnonzero(asked & (answers.participant == participant))
    return rows[np.lexsort((answers.criterion[rows], answers.item[rows], answers.answered_ms[rows]))]
