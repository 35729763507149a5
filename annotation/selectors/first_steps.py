"""List the steps before an annotator's first batch, for a line that shows the current one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import pgettext_lazy

from annotation.models import Batch, Seat, Study
from annotation.selectors.claims import is_free
from protocols.translating import texts_in

CONSENT, WELCOME, GUIDELINES, TRAINING, RATING = "consent", "welcome", "guidelines", "training", "rating"
NAMES: dict[str, Any] = {
    CONSENT: pgettext_lazy("a step before the first batch", "Consent"),
    WELCOME: pgettext_lazy("a step before the first batch", "Welcome"),
    GUIDELINES: pgettext_lazy("a step before the first batch", "Guidelines"),
    TRAINING: pgettext_lazy("a step before the first batch", "Training"),
    RATING: pgettext_lazy("a step before the first batch", "Rate"),
}


@dataclass(frozen=True, slots=True)
class FirstStep:
    name: str
    is_done: bool
    is_now: bool


def first_steps(study: Study, now_at: str) -> list[FirstStep]:
    # Newcomers get training only if they have to qualify (see claims) and a batch of it is open.
    trains = study.batches.filter(kind=Batch.Kind.TRAINING, status=Batch.Status.OPEN)
    is_there = {
        CONSENT: bool(study.consent_text),
        WELCOME: has_welcome(study),
        TRAINING: study.has_qualification and trains.exists(),
    }
    keys = [key for key in NAMES if is_there.get(key, True)]
    at = keys.index(now_at)
    return [FirstStep(str(NAMES[key]), number < at, number == at) for number, key in enumerate(keys)]


def has_room(study: Study, now: datetime) -> bool:
    """Return whether a newcomer can get a seat in a main batch, or can qualify first."""
    free = Seat.objects.filter(is_free(now), batch=OuterRef("pk"))
    for_newcomers = Q(Exists(free), kind=Batch.Kind.MAIN) | Q(kind=Batch.Kind.QUALIFICATION)
    return study.batches.filter(for_newcomers, status=Batch.Status.OPEN).exists()


def has_welcome(study: Study) -> bool:
    return bool(texts_in(study.protocol_version, study.content_language).welcome)
