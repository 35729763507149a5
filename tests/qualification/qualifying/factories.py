"""The qualification, and people on the way through it."""

from collections.abc import Callable, Sequence

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation.models import Assignment, Batch, Item, Participant, Study
from annotation.selectors.work import spec_of_assignment
from annotation.services.claiming import claim_seat, submit_assignment
from protocols.specs import CriterionSpec
from qualification.models import Attempt, ComprehensionQuestion, KnownAnswer, Qualification
from tests.clock import NOW
from tests.factories import AssignmentFactory, StudyFactory, make_annotator, make_batch
from tests.working import record, submission

Answer = Callable[[int, CriterionSpec], int]  # (place of the item, criterion) -> place of the option


class QualificationFactory(DjangoModelFactory):
    """With the rule of the reference study: the panel is its non-experts."""

    class Meta:
        model = Qualification

    study = factory.SubFactory(StudyFactory, has_qualification=True)


class QuestionFactory(DjangoModelFactory):
    class Meta:
        model = ComprehensionQuestion

    qualification = factory.SubFactory(QualificationFactory)
    position = factory.Sequence(lambda n: n)
    text = factory.Sequence(lambda n: f"What is rated in question {n}?")
    options = factory.LazyFunction(lambda: ["The response", "The dialogue", "The speaker"])
    right = 0
    why = "The dialogue is only read."


class AttemptFactory(DjangoModelFactory):
    """Undecided by the rule."""

    class Meta:
        model = Attempt

    participant = factory.SubFactory("tests.factories.ParticipantFactory", status="qualifying")
    assignment = factory.LazyAttribute(
        lambda attempt: AssignmentFactory(
            batch=make_batch(attempt.participant.study, position=900 + attempt.number, kind="qualification"),
            participant=attempt.participant,
            status="submitted",
            submitted_at=NOW,
        )
    )
    number = 1
    state = Attempt.State.UNDECIDED
    value = 0.2
    threshold = 0.21
    n_items = 24
    rule = factory.LazyFunction(lambda: {"method": "panel_kappa"})
    submitted_at = NOW
    decided_at = NOW


class KnownAnswerFactory(DjangoModelFactory):
    class Meta:
        model = KnownAnswer

    study = factory.SelfAttribute("dialogue.study")
    kind = KnownAnswer.Kind.GOLD
    created_at = NOW


def like(offset: int) -> Answer:
    """Answers that vary over items and criteria; the same offset gives the same answers."""
    return lambda at, criterion: (at + criterion.id + offset) % 2


def mostly(answer: Answer, every: int, begin: int = 0) -> Answer:
    """The same, but for each `every`-th item."""
    return lambda at, criterion: 1 - answer(at, criterion) if at % every == begin else answer(at, criterion)


def rate(assignment: Assignment, answer: Answer) -> None:
    """Through the service that takes answers."""
    items = list(Item.objects.filter(batch=assignment.batch_id).order_by("position", "pk"))
    for criterion in spec_of_assignment(assignment).criteria:
        for at, item in enumerate(items):
            given = submission(item.token, criterion.key, criterion.options[answer(at, criterion)])
            record(assignment, given, now=timezone.now())


def finish(participant: Participant, batch: Batch, answer: Answer) -> Assignment:
    """Claim, rate, submit."""
    assignment = claim_seat(participant, batch, now=timezone.now())
    rate(assignment, answer)
    return submit_assignment(assignment, feedback="", now=timezone.now())


def make_panel(
    study: Study, batch: Batch | None = None, answers: Sequence[Answer] = (), n: int = 3
) -> list[Participant]:
    """Members who have finished the batch, one for each of `answers`; of none, `n` who have not."""
    size = len(answers) or n
    members = [make_annotator(study, f"panel-{at}", panel="non_expert") for at in range(size)]
    for member, answer in zip(members, answers, strict=False):
        finish(member, batch, answer)
    return members


def make_candidate(study: Study, name: str = "candidate") -> Participant:
    return make_annotator(study, name, status="qualifying")


def make_qualifying_study(n_dialogues: int = 4, n_sources: int = 3, **qualification: object) -> tuple[Study, Batch]:
    """An open study with a qualification, its qualification batch, and a panel of three who agree in part."""
    study = StudyFactory(has_qualification=True)
    QualificationFactory(study=study, **qualification)
    batch = make_batch(study, n_dialogues, n_sources, kind="qualification", key="qualification-1")
    make_panel(study, batch, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    return study, batch
