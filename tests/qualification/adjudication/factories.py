"""Labels that two confirm, and the case library."""

import factory
from factory.django import DjangoModelFactory

from qualification.models import AdjudicationPlan, Case, Disagreement
from tests.clock import NOW


class AdjudicationPlanFactory(DjangoModelFactory):
    class Meta:
        model = AdjudicationPlan

    is_on = True


class DisagreementFactory(DjangoModelFactory):
    """Found, and being looked at again."""

    class Meta:
        model = Disagreement

    round = factory.SelfAttribute("item.batch.round")
    found_at = NOW


class CaseFactory(DjangoModelFactory):
    """With an answer, and something to learn."""

    class Meta:
        model = Case

    study = factory.SelfAttribute("item.batch.study")
    option = factory.LazyAttribute(lambda case: case.criterion.options.first())
    note = "It takes up what was said."
    created_at = NOW
