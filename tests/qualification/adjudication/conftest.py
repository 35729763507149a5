"""A study in which two confirm each score of a dialogue, a trainer, and what its people do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User

from annotation.models import Batch, Item, Participant
from annotation.services.claiming import claim_seat, submit_assignment
from protocols.models import Option
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.models import Disagreement, ReRating
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.qualification.acceptance.factories import (
    answer_items,
    items_of,
    make_dialogue_batch,
    make_score_version,
    options_of,
    rate_batch,
)
from tests.qualification.adjudication.factories import AdjudicationPlanFactory


@dataclass
class AdjudicatedStudy:
    cast: Cast
    trainer: User

    @property
    def pair(self) -> tuple[Participant, ...]:
        return self.cast.annotators[:2]

    def option(self, key: str) -> Option:
        return options_of(self.cast.study)[key]

    def finish(self, one: Sequence[str], other: Sequence[str], *, key: str = "a", n_seats: int = 2) -> Batch:
        """A batch whose two annotators gave these answers, in the order of its items."""
        batch = make_dialogue_batch(self.cast.study, key, len(one), n_seats=n_seats)
        self.rate(batch, one, other)
        return batch

    def rate(self, batch: Batch, one: Sequence[str], other: Sequence[str]) -> None:
        rate_batch(batch, self.pair, one)
        mine = batch.ratings.filter(assignment__participant=self.pair[1], assignment__seat__isnull=False)
        for item, key in zip(items_of(batch), other, strict=True):
            mine.filter(item=item).update(option=self.option(key))

    def look(self, batch: Batch, number: int, answers: Mapping[int, str]) -> None:
        """One of the two looks again: `answers` by the place of the item in the batch."""
        person, items = self.pair[number], items_of(batch)
        private = Batch.objects.filter(re_rating__comparison__batch=batch, reserved_for=person).latest("pk")
        assignment = claim_seat(person, private, now=NOW)
        dialogues = {Item.objects.get(pk=items[at]).dialogue_id: key for at, key in answers.items()}
        copies = {item.pk: dialogues[item.dialogue_id] for item in private.items.all()}
        answer_items(assignment, copies)
        submit_assignment(assignment, feedback="", now=NOW)

    def disagreed(self, one: str = "1", other: str = "2", *, key: str = "a") -> Disagreement:
        """Of one item, which both still see differently at the re-rating."""
        batch = self.finish([one, "0"], [other, "0"], key=key)
        sweep_disagreements(now=NOW)
        self.look(batch, 0, {0: one})
        self.look(batch, 1, {0: other})
        sweep_disagreements(now=NOW)
        return Disagreement.objects.get(item__batch=batch)


def make_adjudicated(**study_fields: object) -> AdjudicatedStudy:
    cast = make_cast(**{"protocol_version": make_score_version(), "seats": 2} | study_fields)
    AdjudicationPlanFactory(study=cast.study)
    trainer = MembershipFactory(study=cast.study, role="trainer", user__username="trainer").user
    return AdjudicatedStudy(cast, trainer)


@pytest.fixture
def adjudicated(db: None) -> AdjudicatedStudy:
    return make_adjudicated()


def states_of(batch: Batch) -> list[tuple[int, str, str, str]]:
    """(place of the item, state, how, answer) of the batch's disagreements."""
    places = {pk: at for at, pk in enumerate(items_of(batch))}
    rows = Disagreement.objects.filter(item__batch=batch).select_related("option").order_by("round", "pk")
    return [(places[row.item_id], row.state, row.how, row.option.key if row.option else "") for row in rows]


def looks_of(batch: Batch) -> list[ReRating]:
    looks = ReRating.objects.filter(comparison__batch=batch).select_related("private_batch", "participant")
    return list(looks.order_by("pk"))
