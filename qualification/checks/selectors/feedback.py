"""Tell annotators how often they agree with the others, if the study switches it on.

The result changes every ten items, never item by item: otherwise it would reveal what the others answered.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

import numpy as np

from annotation.models import ActivityLog, Participant, Study
from annotation.selectors.answers import StudyAnswers, latest_answers
from measures.arrays import IntArray
from qualification.checks.selectors.answers import compared_criteria
from qualification.checks.selectors.behaviour import agreement_of, own_rows
from qualification.models import CheckPlan

FEEDBACK_ON, FEEDBACK_OFF = "feedback_on", "feedback_off"
BLOCK = 10
MOST = 500  # answers, from the latest batches
OTHERS = 2


@dataclass(frozen=True, slots=True)
class Feedback:
    """Count the answers to `n_items` items that match the others' majority, among those with a majority."""

    n_same: int
    n_answers: int
    n_items: int


@dataclass(frozen=True, slots=True)
class Period:
    """Hold a period in which annotators got feedback; `until` is None while they still do."""

    since: datetime
    until: datetime | None


def feedback_of(participants: Collection[Participant]) -> dict[int, Feedback]:
    """Return feedback by participant, for those whose study gives it and who have enough to compare."""
    studies = {each.study_id for each in participants}
    giving = set(CheckPlan.objects.filter(study__in=studies, gives_feedback=True).values_list("study", flat=True))
    found = {}
    for each in participants:
        if each.study_id not in giving:
            continue
        criteria = compared_criteria(each.study)
        answers = latest_answers(each.pk, [criterion.id for criterion in criteria], most=MOST)
        own = own_rows(answers, each.pk, criteria)
        items = _whole_items(answers, own)
        shown = items[: len(items) // BLOCK * BLOCK]
        if shown:
            agrees = agreement_of(answers, criteria)[own[np.isin(answers.item[own], shown)]]
            found[each.pk] = Feedback(int((agrees == 1).sum()), int((agrees >= 0).sum()), len(shown))
    return found


def _whole_items(answers: StudyAnswers, own: IntArray) -> list[int]:
    """Return items answered in full that two others have answered too, in the order they were finished."""
    questions = answers.item * (int(answers.criterion.max(initial=0)) + 1) + answers.criterion
    keys, votes = np.unique(questions, return_counts=True)
    others = votes[np.searchsorted(keys, questions[own])] - 1
    n_own = Counter(answers.item[own].tolist())
    n_most = max(n_own.values(), default=0)
    alone = set(answers.item[own][others < OTHERS].tolist())
    latest = dict.fromkeys(reversed(answers.item[own].tolist()))
    return [item for item in reversed(latest) if n_own[item] == n_most and item not in alone]


# --- for the report ------------------------------------------------------------------------------------
def feedback_periods(study: Study) -> list[Period]:
    """Return when annotators saw feedback, from the log, from which nothing is ever deleted."""
    lines = ActivityLog.objects.filter(study=study, verb__in=(FEEDBACK_ON, FEEDBACK_OFF)).order_by("pk")
    times = {verb: [line.at for line in lines if line.verb == verb] for verb in (FEEDBACK_ON, FEEDBACK_OFF)}
    return [Period(since, until) for since, until in zip_longest(times[FEEDBACK_ON], times[FEEDBACK_OFF])]
