"""A factory for every model of people and of annotation, and builders of what is made of many rows."""

from datetime import timedelta

import factory
from django.contrib.auth.models import User
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation import models as annotation
from tests.factories_protocols import make_he_version


class UserFactory(DjangoModelFactory):
    """Without a password: argon2 is slow by design, and `force_login` needs none."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person-{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")


# --- the study and its people ----------------------------------------------------------------------
class StudyFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Study

    slug = factory.Sequence(lambda n: f"study-{n}")
    name = factory.LazyAttribute(lambda study: study.slug.replace("-", " ").capitalize())
    protocol_version = factory.LazyFunction(make_he_version)
    status = annotation.Study.Status.OPEN
    seats = 3
    seed = 7


class MembershipFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Membership

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    role = annotation.Membership.Role.ANNOTATOR


class ParticipantFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Participant

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    pseudonym = factory.Sequence(lambda n: f"P{n:04}")
    status = annotation.Participant.Status.CLEARED
    briefed_version = factory.SelfAttribute("study.protocol_version")  # they have read the guidelines


# --- material --------------------------------------------------------------------------------------
class SourceFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Source

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"source-{n}")
    name = factory.LazyAttribute(lambda source: source.key.capitalize())
    position = factory.Sequence(lambda n: n)


class DialogueFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Dialogue

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"dialogue-{n}")
    position = factory.Sequence(lambda n: n)
    turns = factory.LazyFunction(
        lambda: [
            {"speaker": "A", "text": "You told me about the exam in June. How do you feel about it now?"},
            {"speaker": "B", "text": "A bit better, but it still comes back to me in the evening."},
        ]
    )
    digest = "0" * 64


class CandidateFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Candidate

    dialogue = factory.SubFactory(DialogueFactory)
    source = factory.SubFactory(SourceFactory, study=factory.SelfAttribute("..dialogue.study"))
    key = factory.Sequence(lambda n: f"candidate-{n}")
    text = factory.Sequence(lambda n: f"I see, and what do you do when it comes back? ({n})")


# --- work ------------------------------------------------------------------------------------------
class BatchFactory(DjangoModelFactory):
    """Open, and without items or seats: `make_batch` makes a whole one."""

    class Meta:
        model = annotation.Batch

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"batch-{n}")
    status = annotation.Batch.Status.OPEN
    position = factory.Sequence(lambda n: n)


class ItemFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Item

    batch = factory.SubFactory(BatchFactory)
    candidate = factory.SubFactory(
        CandidateFactory,
        dialogue=factory.SubFactory(DialogueFactory, study=factory.SelfAttribute("...batch.study")),
    )
    dialogue = factory.SelfAttribute("candidate.dialogue")
    source = factory.SelfAttribute("candidate.source")
    unit = factory.LazyAttribute(lambda item: "response" if item.candidate else "dialogue")
    position = factory.Sequence(lambda n: n)


class AssignmentFactory(DjangoModelFactory):
    """Without a seat: `take_seat` gives one as a claim does."""

    class Meta:
        model = annotation.Assignment

    batch = factory.SubFactory(BatchFactory)
    participant = factory.SubFactory(ParticipantFactory, study=factory.SelfAttribute("..batch.study"))
    seed = 11
    claimed_at = factory.LazyFunction(timezone.now)


class SeatFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Seat

    batch = factory.SubFactory(BatchFactory)
    number = factory.Sequence(lambda n: n + 1)


# --- ratings and what is derived from them -----------------------------------------------------------
class RatingFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Rating

    assignment = factory.SubFactory(AssignmentFactory)
    batch = factory.SelfAttribute("assignment.batch")
    item = factory.SubFactory(ItemFactory, batch=factory.SelfAttribute("..batch"))
    criterion = factory.LazyAttribute(lambda rating: rating.batch.study.protocol_version.criteria.all()[0])
    option = factory.LazyAttribute(lambda rating: rating.criterion.options.all()[0])
    answered_at = factory.LazyFunction(timezone.now)
    created_at = factory.SelfAttribute("answered_at")
    updated_at = factory.SelfAttribute("answered_at")


class SnapshotFactory(DjangoModelFactory):
    class Meta:
        model = annotation.AgreementSnapshot

    batch = factory.SubFactory(BatchFactory)
    study = factory.SelfAttribute("batch.study")
    computed_at = factory.LazyFunction(timezone.now)


class ImportJobFactory(DjangoModelFactory):
    class Meta:
        model = annotation.ImportJob

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    kind = annotation.ImportJob.Kind.DIALOGUES
    file_name = "dialogues.jsonl"
    file_sha256 = "0" * 64


class ExportJobFactory(DjangoModelFactory):
    """A finished one, with a file of nothing."""

    class Meta:
        model = annotation.ExportJob

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    format = "long-csv"
    file_name = "ratings.csv"
    status = annotation.ExportJob.Status.DONE
    created_at = factory.LazyFunction(timezone.now)
    finished_at = factory.SelfAttribute("created_at")


class JudgeRunFactory(DjangoModelFactory):
    class Meta:
        model = annotation.JudgeRun

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    name = factory.Sequence(lambda n: f"judge-{n}")
    protocol_version = factory.SelfAttribute("study.protocol_version")
    criteria = factory.LazyAttribute(lambda run: [run.study.protocol_version.criteria.all()[0].pk])
    endpoint = "https://api.example.org/v1"
    model = "model-1"
    seed = 7
    status = annotation.JudgeRun.Status.DONE
    created_at = factory.LazyFunction(timezone.now)
    started_at = factory.SelfAttribute("created_at")


class MetricFactory(DjangoModelFactory):
    """A score without predictions."""

    class Meta:
        model = annotation.Metric

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"metric-{n}")
    name = factory.SelfAttribute("key")
    kind = annotation.Metric.Kind.SCORE
    created_at = factory.LazyFunction(timezone.now)


class JudgeCallFactory(DjangoModelFactory):
    """A question that has no answer yet."""

    class Meta:
        model = annotation.JudgeCall

    run = factory.SubFactory(JudgeRunFactory)
    candidate = factory.SubFactory(
        CandidateFactory, dialogue=factory.SubFactory(DialogueFactory, study=factory.SelfAttribute("...run.study"))
    )
    criterion = factory.LazyAttribute(lambda call: call.run.protocol_version.criteria.get(pk=call.run.criteria[0]))
    attempt = 1
    prompt = factory.LazyFunction(lambda: {"model": "model-1", "messages": []})
    status = annotation.JudgeCall.Status.FAILED
    is_last = False
    latency_ms = 12
    sent_at = factory.LazyFunction(timezone.now)


class HeartbeatFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Heartbeat
        django_get_or_create = ("queue",)

    queue = "live"
    beaten_at = factory.LazyFunction(timezone.now)


# --- builders --------------------------------------------------------------------------------------
def make_batch(
    study: annotation.Study,
    n_dialogues: int = 2,
    n_sources: int = 3,
    *,
    position: int = 0,
    **fields: object,
) -> annotation.Batch:
    """A batch with its items and free seats; its dialogues are new. No source: whole dialogues are rated."""
    batch = BatchFactory(
        study=study, position=position, n_items=n_dialogues * max(n_sources, 1), **{"key": f"{position + 1}", **fields}
    )
    sources = _sources(study, n_sources)
    before = study.dialogues.count()
    dialogues = annotation.Dialogue.objects.bulk_create(
        DialogueFactory.build(study=study, position=before + place) for place in range(n_dialogues)
    )
    candidates = annotation.Candidate.objects.bulk_create(
        CandidateFactory.build(dialogue=dialogue, source=source) for dialogue in dialogues for source in sources
    )
    annotation.Item.objects.bulk_create(
        ItemFactory.build(batch=batch, position=dialogue.position - before, **judged)
        for dialogue, judged in _judged(dialogues, candidates)
    )
    annotation.Seat.objects.bulk_create(
        annotation.Seat(batch=batch, number=number + 1) for number in range(study.seats)
    )
    return batch


def _judged(dialogues: list, candidates: list) -> list[tuple[annotation.Dialogue, dict[str, object]]]:
    """Every candidate, or every dialogue where there are none."""
    whole = [(dialogue, {"dialogue": dialogue, "candidate": None, "source": None}) for dialogue in dialogues]
    return [
        (each.dialogue, {"dialogue": each.dialogue, "candidate": each, "source": each.source}) for each in candidates
    ] or whole


def _sources(study: annotation.Study, n_sources: int) -> list[annotation.Source]:
    names = ["Ground truth", *(f"Model {chr(ord('A') + n)}" for n in range(n_sources - 1))]
    return [
        annotation.Source.objects.get_or_create(
            study=study,
            key=names[n].lower().replace(" ", "_"),
            defaults={"name": names[n], "is_reference": n == 0, "position": n},
        )[0]
        for n in range(n_sources)
    ]


def make_annotator(study: annotation.Study, name: str, **fields: object) -> annotation.Participant:
    """A member who rates: account, membership and a participation that is cleared."""
    membership = MembershipFactory(study=study, user__username=name)
    return ParticipantFactory(study=study, user=membership.user, **fields)


def take_seat(
    participant: annotation.Participant, batch: annotation.Batch, *, minutes: float = 90
) -> annotation.Assignment:
    """The state a claim leaves behind, without the claim. Negative minutes: the lease has ended already."""
    assignment = AssignmentFactory(batch=batch, participant=participant)
    seat = batch.seats.filter(assignment=None).order_by("number").first()
    seat.assignment = assignment
    seat.lease_expires_at = timezone.now() + timedelta(minutes=minutes)
    seat.save()
    return assignment
