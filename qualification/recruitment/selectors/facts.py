"""Read a study's recruitment: its settings, who came, what they agreed to, and the facts that a report prints."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count

from annotation.models import Participant, Study
from qualification.models import ConsentText, Entry, Recruitment
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.selectors.demographics import Table, demographics_of

CRITERIA = (
    "locations", "gender", "first_languages", "least_approval", "least_submissions", "education", "expertise", "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Came:
    """Count the people who came through a platform, in all and as (state in words, people)."""

    n: int
    states: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Facts:
    """Hold facts for the checklist of a report; empty if the study says nothing about its recruitment."""

    criteria: dict[str, Any] = field(default_factory=dict)
    n_wanted: int | None = None
    came: dict[str, int] = field(default_factory=dict)  # by the platform's name
    demographics: Table = field(default_factory=Table)


def recruitment_of(study: Study) -> Recruitment:
    """Return the study's recruitment, or one that is not stored yet."""
    return Recruitment.objects.filter(study=study).first() or Recruitment(study=study)


def came_by_platform(study: Study) -> Came:
    rows = dict(Entry.objects.filter(study=study).values_list("state").annotate(n=Count("pk")).order_by("state"))
    return Came(sum(rows.values()), [(str(state.label), rows[state]) for state in Entry.State if state in rows])


def facts_of(study: Study) -> Facts:
    """Return the facts in three queries."""
    stored = Recruitment.objects.filter(study=study).first()
    rows = Entry.objects.filter(study=study).values_list("provider").annotate(n=Count("pk")).order_by("provider")
    came = {PROVIDERS[key].name: n for key, n in rows if key in PROVIDERS}
    table = demographics_of(study)
    if stored is None:
        return Facts(came=came, demographics=table)
    return Facts(criteria_of(stored), stored.n_wanted, came, table)


def criteria_of(recruitment: Recruitment) -> dict[str, Any]:
    """Return the sampling criteria that are set."""
    return {name: value for name in CRITERIA if (value := getattr(recruitment, name))}


def studies_that_ask(studies: Iterable[int]) -> set[int]:
    """Return those studies that ask annotators about themselves. A study without a consent text never does."""
    asking = Recruitment.objects.filter(study__in=studies, asks_demographics=True).exclude(study__consent_text="")
    return set(asking.values_list("study", flat=True))


# --- consent ---------------------------------------------------------------------------------------
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
    counts, lost = Counter[int](), Counter[str]()
    for version, at in agreed:
        text = _text_of(version, at, texts) if at else None
        if text is None:
            lost[version] += 1
        else:
            counts[text.pk] += 1
    kept = [KeptText(text.version, text.text, text.kept_at, counts[text.pk]) for text in reversed(texts)]
    return [*kept, *(KeptText(version, "", None, n) for version, n in sorted(lost.items()))]


def _text_of(version: str, at: datetime, texts: Iterable[ConsentText]) -> ConsentText | None:
    """Return the last text of the version at that time; if none, the first, since texts are kept seconds late."""
    same = [text for text in texts if text.version == version]
    before = [text for text in same if text.kept_at <= at]
    return before[-1] if before else next(iter(same), None)
