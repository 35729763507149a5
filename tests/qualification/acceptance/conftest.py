"""A study whose batches are controlled: three annotators, a lead, two controllers, dialogues with a score."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from annotation.models import Batch
from qualification.acceptance.services.reviewing import take_sample
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import AcceptancePlan, Review, Sample
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.qualification.acceptance.factories import (
    PlanFactory,
    items_of,
    make_dialogue_batch,
    make_score_version,
    rate_batch,
    review_items,
)


@dataclass
class AcceptanceStudy:
    cast: Cast
    plan: AcceptancePlan
    second: User  # another controller

    def finish(self, key: str, labels: Sequence[str], *, active_ms: int = 0) -> Batch:
        """A batch whose two annotators gave these labels."""
        batch = make_dialogue_batch(self.cast.study, key, len(labels))
        rate_batch(batch, self.cast.annotators[:2], labels, active_ms=active_ms)
        return batch

    def again(self, batch: Batch, labels: Sequence[str]) -> None:
        rate_batch(batch, self.cast.annotators[:2], labels)

    def draw(self, batch: Batch) -> Sample:
        sweep_acceptance(now=NOW)
        found = Sample.objects.exclude(state="void")
        return found.get(batch=batch, round=Batch.objects.get(pk=batch.pk).round)

    def take(self, sample: Sample, user: User | None = None) -> Review:
        return take_sample(sample, user=user or self.cast.controller, now=NOW)

    def review(self, sample: Sample, truth: Sequence[str]) -> Sample:
        """By the first controller; `truth` by the items of the batch in their order."""
        review_items(self.take(sample), self.truth_of(sample.batch, truth))
        sweep_acceptance(now=NOW)
        return Sample.objects.get(pk=sample.pk)

    @staticmethod
    def truth_of(batch: Batch, truth: Sequence[str]) -> dict[int, str]:
        dialogues = dict(batch.items.values_list("pk", "dialogue"))
        return {dialogues[item]: key for item, key in zip(items_of(batch), truth, strict=True)}


def make_acceptance(**fields: object) -> AcceptanceStudy:
    cast = make_cast(protocol_version=make_score_version(), seats=2)
    second = MembershipFactory(study=cast.study, role="controller", user__username="second").user
    return AcceptanceStudy(cast, PlanFactory(study=cast.study, **fields), second)


@pytest.fixture
def acceptance(db: None) -> AcceptanceStudy:
    return make_acceptance()
