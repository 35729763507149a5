"""What people agreed to is kept, word by word, although the settings of a study hold only today's text."""

import hashlib
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotation.models import Study
from qualification.models import ConsentText


def fingerprint_of(study: Study) -> str:
    """Of the text as it is shown: who agrees to a text that has changed meanwhile has to read it again."""
    return hashlib.sha256(f"{study.consent_version}\n{study.consent_text}".encode()).hexdigest()[:16]


@transaction.atomic
def keep_consent_text(study: Study, *, now: datetime) -> bool:
    """Keep today's text, unless it is the one kept last. Whether a row was added."""
    # Behind the study's row: two who agree at once must not keep it twice.
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not _unkept().filter(pk=locked.pk).exists():
        return False
    ConsentText.objects.create(study=locked, version=locked.consent_version, text=locked.consent_text, kept_at=now)
    return True


def keep_consent_texts(*, now: datetime) -> int:
    """Of all studies: consent is given at more doors than this room has. Returns how many texts were new."""
    return sum(keep_consent_text(study, now=now) for study in _unkept())


def _unkept() -> QuerySet[Study]:
    last = ConsentText.objects.filter(study=OuterRef("pk")).order_by("-kept_at")
    kept = Study.objects.exclude(consent_text="").annotate(
        kept_version=Subquery(last.values("version")[:1]), kept_text=Subquery(last.values("text")[:1])
    )
    is_same = Q(kept_version=F("consent_version"), kept_text=F("consent_text"))
    return kept.filter(Q(kept_text=None) | ~is_same)
