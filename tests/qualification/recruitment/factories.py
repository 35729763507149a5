"""People who came by a platform, and what is known of them."""

from datetime import timedelta

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation.models import Assignment, Batch, Participant, Study
from annotation.services.claiming import claim_seat, submit_assignment
from qualification import models
from tests.clock import NOW
from tests.factories import ParticipantFactory, StudyFactory
from tests.working import rate_everything


class RecruitmentFactory(DjangoModelFactory):
    """By Prolific, open, with a code for every way to end."""

    class Meta:
        model = models.Recruitment
        django_get_or_create = ("study",)

    study = factory.SubFactory(StudyFactory)
    provider = "prolific"
    is_open = True
    asks_demographics = True
    code_done = "CDONE1"
    code_screened_out = "CSCREEN2"
    code_failed_attention = "CATTENTION3"
    code_timed_out = "CTIME4"


class EntryFactory(DjangoModelFactory):
    """Of somebody on the way, in a study that recruits."""

    class Meta:
        model = models.Entry

    study = factory.LazyFunction(lambda: RecruitmentFactory().study)
    participant = factory.SubFactory(ParticipantFactory, study=factory.SelfAttribute("..study"))
    provider = factory.LazyAttribute(lambda entry: RecruitmentFactory(study=entry.study).provider)
    person = factory.Sequence(lambda n: f"{n:024x}")
    platform_study = "f" * 24
    session = factory.Sequence(lambda n: f"5e55{n:020x}")
    entered_at = NOW


class DemographicsFactory(DjangoModelFactory):
    class Meta:
        model = models.Demographics

    participant = factory.SubFactory(ParticipantFactory)
    origin = "prolific"
    fields = factory.LazyFunction(lambda: {"Age": "31", "Sex": "Female"})
    recorded_at = NOW


class ConsentTextFactory(DjangoModelFactory):
    class Meta:
        model = models.ConsentText

    study = factory.SubFactory(StudyFactory)
    version = "1"
    text = "You rate responses."
    kept_at = NOW


class PayEntryFactory(DjangoModelFactory):
    class Meta:
        model = models.PayEntry

    participant = factory.SubFactory(ParticipantFactory)
    kind = models.PayEntry.Kind.BONUS
    amount = "1.50"
    currency = "GBP"
    reason = "Careful notes."
    at = NOW


def prolific_query(person: str = "a" * 24, session: str = "b" * 24, study: str = "c" * 24) -> dict[str, str]:
    """The parameters of Prolific's link."""
    return {"PROLIFIC_PID": person, "STUDY_ID": study, "SESSION_ID": session}


def open_for(study: Study, provider: str = "prolific", **fields: object) -> models.Recruitment:
    """A study that takes people in by a platform, who may rate at once."""
    Study.objects.filter(pk=study.pk).update(
        is_clearing_on_join=True, consent_text="You rate **responses**.", consent_version="1"
    )
    study.refresh_from_db()
    return RecruitmentFactory(study=study, provider=provider, **fields)


def finish_batch(participant: Participant, batch: Batch) -> Assignment:
    """Claimed, rated and submitted."""
    now = timezone.now()
    assignment = claim_seat(participant, batch, now=now)
    rate_everything(assignment, now=now)
    return submit_assignment(assignment, feedback="", now=now)


def let_time_run_out(participant: Participant, batch: Batch) -> Assignment:
    """Claimed ten hours ago, and never handed in."""
    return claim_seat(participant, batch, now=timezone.now() - timedelta(hours=10))
