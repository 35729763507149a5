"""Fill the slots on the pages of annotation with what quality control shows there."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from annotation.models import Participant, Study
from annotation.selectors.work import StudyWork
from annotation.slots import Slots, StudyFilling, WorkFilling
from qualification.acceptance.selectors.answers import reviewers_among
from qualification.checks.selectors.feedback import feedback_of
from qualification.overview.selectors import what_waits
from qualification.pay.selectors.ledger import earnings_of
from qualification.pay.selectors.rates import low_offers, slow_work
from qualification.pay.tags import earned_texts
from qualification.qualifying.selectors.progress import qualification_states
from qualification.recruitment.selectors.exit_rules import ways_of
from qualification.recruitment.selectors.facts import studies_that_ask

Read = Callable[[Sequence[StudyWork]], Mapping[int, Any]]


def _by_participant(read: Callable[[Sequence[Participant]], Mapping[int, Any]]) -> Read:
    return lambda works: read([work.participant for work in works])


def _asked(works: Sequence[StudyWork]) -> dict[int, bool]:
    asking = studies_that_ask([work.study.pk for work in works])
    return {work.participant.pk: True for work in works if work.study.pk in asking}


WORK = (
    WorkFilling(
        "qualification",
        _by_participant(qualification_states),
        {
            "facts": "qualification/qualifying/_fact.html",
            "before": "qualification/qualifying/_progress.html",
            "scripts": "qualification/qualifying/_scripts.html",
        },
        lambda state, work: state.is_blocking and not work.is_waiting_for_consent,
    ),
    WorkFilling("mine", _by_participant(earnings_of), {"record": "qualification/pay/earned.html"}),
    WorkFilling(
        "is_reviewer", _by_participant(reviewers_among), {"instead": "qualification/acceptance/_reviewer.html"}
    ),
    WorkFilling(
        "way",
        lambda works: ways_of(works, timezone.now()),
        {"after": "qualification/recruitment/_arrival_note.html"},
        lambda way, _work: way.is_over or bool(way.due),
    ),
    WorkFilling("feedback", _by_participant(feedback_of), {"beside": "qualification/checks/_feedback.html"}),
    WorkFilling("is_asked", _asked, {"links": "qualification/recruitment/_about_you_link.html"}),
)


def _slow(study: Study) -> Mapping[str, Any]:
    return {"slow": slow_work(study) if study.status == Study.Status.OPEN else []}


def _low_offers(study: Study) -> Mapping[str, Any]:
    return {"offers": low_offers(study)}


STUDY = (
    StudyFilling("next", "qualification/overview/_note.html", lambda study: {"waiting": what_waits(study)}),
    StudyFilling("next_configure", "qualification/pay/measured.html", _slow),
    StudyFilling("head", "qualification/pay/warning.html", _low_offers),
    StudyFilling("settings", "qualification/pay/warning.html", _low_offers),
)

SLOTS = Slots(WORK, STUDY, earned_texts)
