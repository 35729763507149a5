"""Find which text people agreed to, by its version and the time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Participant, Study
from qualification.models import ConsentText


@dataclass(frozen=True, slots=True)
class KeptText:
    version: str
    text: str  # empty if people agreed before texts were kept
    kept_at: datetime | None
    n_agreed: int


def consent_texts_of(study: Study) -> list[KeptText]:
    """Return the texts, newest first, each with how many people agreed to it."""
    texts = list(ConsentText.objects.filter(study=study).order_by("kept_at"))
    people = Participant.objects.filter(study=study, consented_at__isnull=False)
    agreed = people.values_list("consent_version", "consented_at")
    counts = dict.fromkeys((text.pk for text in texts), 0)
    lost: dict[str, int] = {}
    for version, at in agreed:
        text = _text_of(version, at, texts) if at else None
        if text is None:
            lost[version] = lost.get(version, 0) + 1
        else:
            counts[text.pk] += 1
    kept = [KeptText(text.version, text.text, text.kept_at, counts[text.pk]) for text in reversed(texts)]
    return [*kept, *(KeptText(version, "", None, n) for version, n in sorted(lost.items()))]


def _text_of(version: str, at: datetime, texts: Iterable[ConsentText]) -> ConsentText | None:
    """Return the last text of the version at that time; if none, the first, since texts are kept seconds late."""
    same = [text for text in texts if text.version == version]
    before = [text for text in same if text.kept_at <= at]
    return before[-1] if before else next(iter(same), None)
