"""Keep every text that people agreed to, word by word: the settings of a study hold only the present one."""

import hashlib
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotation.models import Study
from qualification.models import ConsentText


def fingerprint_of(study: Study) -> str:
    """Return a fingerprint of the text that is shown: if the text has changed, people have to read it again."""
    return hashlib.sha256(f"{study.consent_version}\n{study.consent_text}".encode()).hexdigest()[:16]


@transaction.atomic
def keep_consent_text(study: Study, *, now: datetime) -> bool:
    """Keep the present text, unless it is the one kept last. Return whether a row was added."""
    # This lock ensures that two people who agree at once do not keep it twice.
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not _unkept().filter(pk=locked.pk).exists():
        return False
    ConsentText.objects.create(study=locked, version=locked.consent_version, text=locked.consent_text, kept_at=now)
    return True


def keep_consent_texts(*, now: datetime) -> int:
    """Keep the texts of all studies, since consent is also given outside recruitment. Return how many were new."""
    return sum(keep_consent_text(study, now=now) for study in _unkept())


def _unkept() -> QuerySet[Study]:
    last = ConsentText.objects.filter(study=OuterRef("pk")).order_by("-kept_at")
    kept = Study.objects.exclude(consent_text="").annotate(
        kept_version=Subquery(last.values("version")[:1]), kept_text=Subquery(last.values("text")[:1])
    )
    is_same = Q(kept_version=F("consent_version"), kept_text=F("consent_text"))
    return kept.filter(Q(kept_text=None) | ~is_same)
