"""Two annotators who look again at what they score differently, and the trainer who settles the rest."""

import pytest

from annotation.models import Batch, Metric, Prediction
from annotation.services.claiming import claim_seat, submit_assignment
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.adjudication.services.re_rating import settle
from qualification.models import Disagreement
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.qualification.adjudication.factories import AdjudicationPlanFactory
from tests.reporting.exports.conftest import score_dialogue
from tests.shipped import Work

FIRST = {"ann": ("1", "2", "2"), "ben": ("0", "1", "2")}


@pytest.fixture
def pair(db: None) -> tuple[Work, Work]:
    """Two annotators disagree about two of three scores; both look again, and then agree about the first."""
    one = Work("diqad-1.0", n_dialogues=3).has_read_all()
    one.batch.seats.filter(number__gt=2).delete()
    AdjudicationPlanFactory(study=one.study)
    other = one.another("ben").has_read_all()
    for work, scores in zip((one, other), FIRST.values(), strict=True):
        for place, score in enumerate(scores):
            reasons = {"1": ("incomplete",), "0": ("not_relevant",), "2": ()}[score]
            score_dialogue(work, place, score, *reasons)
        submit_assignment(work.assignment, feedback="", now=NOW)
    sweep_disagreements(now=NOW)
    look_again(one, ("1", "less_proactive"), ("2",))
    look_again(other, ("1", "less_proactive"), ("1", "less_informative"))
    sweep_disagreements(now=NOW)
    return one, other


def look_again(work: Work, *answers: tuple[str, ...]) -> None:
    private = Batch.objects.get(reserved_for=work.participant)
    again = object.__new__(Work)
    again.__dict__ |= work.__dict__ | {"batch": private, "assignment": claim_seat(work.participant, private, now=NOW)}
    again.has_read_all()
    for place, answer in enumerate(answers):
        score_dialogue(again, place, *answer, turns=(1, 2) if answer[0] == "2" else ())
    submit_assignment(again.assignment, feedback="", now=NOW)


def settle_second(work: Work, score: str = "2") -> Disagreement:
    row = Disagreement.objects.get(state="adjudication")
    option = row.criterion.options.get(key=score)
    trainer = MembershipFactory(study=work.study, role="trainer", user__username="trainer").user
    return settle(row, option=option, note="", by=trainer, now=NOW)


def predict(work: Work, *labels: str) -> None:
    """One metric says these scores of the dialogues."""
    criterion = work.study.protocol_version.criteria.get(key="score")
    metric = Metric.objects.create(
        study=work.study, key="judge", name="judge", kind="label", criterion=criterion, created_at=NOW
    )
    for item, key in zip(work.items("dialogue"), labels, strict=True):
        Prediction.objects.create(metric=metric, dialogue=item.dialogue, option=criterion.options.get(key=key))
