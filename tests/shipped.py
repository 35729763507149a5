"""A study of a shipped protocol with made-up material, and annotators who answer by the keys of the protocol."""

from copy import deepcopy
from functools import cache
from typing import Any
from uuid import uuid4

from django.utils import timezone

from annotation.models import Assignment, Batch, Item, Participant, Rating, Reading
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from protocols.specs import spec_of
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory, make_annotator
from tests.working import record

NOW = timezone.now()
PERSONA = ["I have two cats.", "I work at night."]


def bundle_of(protocol: str) -> dict[str, Any]:
    """A copy of a shipped protocol, whose file is read once: to parse it takes longer than to store it."""
    return deepcopy(_bundle(protocol))


@cache
def _bundle(protocol: str) -> dict[str, Any]:
    return load_bundle(BUILTIN / f"{protocol}.yaml")


class Work:
    """One annotator with a seat; `another` sits down beside them."""

    def __init__(
        self, protocol: str, n_dialogues: int = 2, n_sources: int = 0, *, annotator: str = "ann", **changes: object
    ) -> None:
        version, _ = store_bundle(bundle_of(protocol) | changes, publish=True, now=NOW)
        self.spec = spec_of(version)
        self.study = StudyFactory(protocol_version=version)
        sources = [SourceFactory(study=self.study) for _ in range(n_sources)]
        for _ in range(n_dialogues):
            dialogue = DialogueFactory(study=self.study, metadata={"persona": PERSONA})
            for source in sources:
                CandidateFactory.create_batch(2, dialogue=dialogue, source=source)
        self.batch: Batch = make_batches(self.study, by="size", size=n_dialogues, now=NOW)[0]
        Batch.objects.filter(pk=self.batch.pk).update(status=Batch.Status.OPEN)
        self.batch.refresh_from_db()
        self.participant: Participant = make_annotator(self.study, annotator)
        self.assignment: Assignment = claim_seat(self.participant, self.batch, now=timezone.now())

    def another(self, name: str) -> "Work":
        other = object.__new__(Work)
        other.__dict__ |= self.__dict__
        other.participant = make_annotator(self.study, name)
        other.assignment = claim_seat(other.participant, self.batch, now=timezone.now())
        return other

    def has_read_all(self) -> "Work":
        """Long enough ago for any reading floor."""
        opened = NOW - timezone.timedelta(hours=1)
        positions = set(self.batch.items.values_list("position", flat=True))
        Reading.objects.bulk_create(
            Reading(assignment=self.assignment, position=position, shown_at=opened, opened_at=opened)
            for position in positions
        )
        return self

    def items(self, unit: str) -> list[Item]:
        return list(self.batch.items.filter(unit=unit).order_by("position", "pk"))

    def answer(self, item: Item, criterion: str, *options: str, turns: tuple[int, ...] = ()) -> None:
        spec = self.spec.by_key[criterion]
        codes = tuple(spec.option_named(option).code for option in options)
        is_single = spec.kind == "single"
        given = Given(option=codes[0] if is_single else "", options=() if is_single else codes, turns=turns)
        record(self.assignment, Submission(item.token, criterion, given, uuid4()), now=timezone.now())

    def state(self, item: Item) -> dict[str, bool]:
        rows = Rating.objects.filter(assignment=self.assignment, item=item)
        return {self.spec.by_id[row.criterion_id].key: row.is_active for row in rows}

    def computed(self, item: Item) -> str | None:
        row = Rating.objects.filter(item=item, criterion__key="diversity", is_active=True).first()
        return row.option.key if row else None
