"""Read a study's recruitment: its settings, who came through a platform, and the facts that a report prints."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from annotation.models import Study
from qualification.models import Entry, Recruitment
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.selectors.demographics import Table, demographics_of

CRITERIA = (
    "locations", "gender", "first_languages", "least_approval", "least_submissions", "education", "expertise", "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Came:
    """Count the people who came through a platform, in all and in each state."""

    n: int
    by_state: dict[str, int]

    @property
    def states(self) -> list[tuple[str, int]]:
        return [(str(Entry.State(state).label), n) for state, n in self.by_state.items()]


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
    by_state = {state: rows[state] for state in Entry.State.values if state in rows}
    return Came(sum(rows.values()), by_state)


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
