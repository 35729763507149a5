"""Known answers, plans and flags, and a study in which they matter."""

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation.models import Dialogue, Source, Study
from protocols.models import Criterion
from protocols.specs import CriterionSpec, spec_of
from qualification.models import CheckPlan, Flag, KnownAnswer
from tests.factories import CandidateFactory, DialogueFactory, ParticipantFactory, StudyFactory


class CheckPlanFactory(DjangoModelFactory):
    class Meta:
        model = CheckPlan

    study = factory.SubFactory(StudyFactory)


class KnownAnswerFactory(DjangoModelFactory):
    """Of a response."""

    class Meta:
        model = KnownAnswer

    candidate = factory.SubFactory(CandidateFactory)
    dialogue = factory.SelfAttribute("candidate.dialogue")
    source = factory.SelfAttribute("candidate.source")
    study = factory.SelfAttribute("candidate.dialogue.study")
    kind = KnownAnswer.Kind.GOLD
    criterion = factory.LazyAttribute(lambda known: known.study.protocol_version.criteria.all()[0])
    options = factory.LazyAttribute(lambda known: [known.criterion.options.all()[0].pk])
    created_at = factory.LazyFunction(timezone.now)


class FlagFactory(DjangoModelFactory):
    class Meta:
        model = Flag

    participant = factory.SubFactory(ParticipantFactory)
    kind = Flag.Kind.ATTENTION
    evidence = factory.LazyFunction(lambda: {"n": 6, "value": 3, "threshold": 1})
    raised_at = factory.LazyFunction(timezone.now)


def make_checks(study: Study, n: int = 2, kind: str = KnownAnswer.Kind.GOLD, option: int = 0) -> list[Dialogue]:
    """Dialogues held apart, with a candidate of each of the study's sources; every question has its known answer."""
    spec = spec_of(study.protocol_version)
    dialogues = []
    for _ in range(n):
        place = study.dialogues.count()
        dialogue = DialogueFactory(study=study, key=f"check-{place}", position=place, purpose=Dialogue.Purpose.CHECK)
        for source in Source.objects.filter(study=study).order_by("position"):
            candidate = CandidateFactory(dialogue=dialogue, source=source)
            for criterion in spec.counted:
                known = _known(criterion, option)
                KnownAnswerFactory(candidate=candidate, kind=kind, criterion=_row(criterion), **known)
        dialogues.append(dialogue)
    return dialogues


def _known(criterion: CriterionSpec, option: int) -> dict[str, list[int]]:
    return {"options": [criterion.options[option].id]}


def _row(criterion: CriterionSpec) -> Criterion:
    return Criterion.objects.get(pk=criterion.id)
