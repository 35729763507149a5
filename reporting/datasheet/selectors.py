"""Queries for the datasheet: facts that no other part of the report has, and answers that people wrote."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from annotation.models import Assignment, Batch, DatasheetAnswer, Item, Study
from annotation.selectors.studies import rated_sources
from protocols.models import Example
from qualification.recruitment.selectors.facts import criteria_of, recruitment_of


@dataclass(frozen=True)
class Setting:
    """Counts of a study, each read when it is first asked for."""

    study: Study

    @cached_property
    def n_dialogues(self) -> int:
        return self.study.dialogues.count()

    @cached_property
    def n_examples(self) -> int:
        return Example.objects.filter(criterion__version=self.study.protocol_version_id).count()

    @cached_property
    def compares_dialogues(self) -> bool:
        return Item.objects.filter(batch__study=self.study, other_dialogue__isnull=False).exists()

    @cached_property
    def is_shuffled(self) -> bool:
        return self._seated.filter(is_shuffled=True).exists()

    @property
    def n_imported(self) -> int:
        return self._people["imported"]

    @property
    def is_elsewhere(self) -> bool:
        """Return True if all answers were imported: Parley's pages then do not describe how the work was done."""
        return self._people["imported"] > 0 and self._people["here"] == 0

    @cached_property
    def _people(self) -> dict[str, int]:
        """Count the annotators with a seat in a main batch by where they worked: here, or elsewhere."""
        return self._seated.aggregate(
            here=Count("participant", distinct=True, filter=Q(is_imported=False)),
            imported=Count("participant", distinct=True, filter=Q(is_imported=True)),
        )

    @property
    def _seated(self) -> QuerySet[Assignment]:
        main = Batch.Kind.MAIN
        return Assignment.objects.filter(batch__study=self.study, batch__kind=main, seat__isnull=False)


def written_answers(study: Study) -> dict[str, DatasheetAnswer]:
    """Return {number of the question: answer}; one that was imported has no author."""
    return {row.question: row for row in DatasheetAnswer.objects.filter(study=study).select_related("author")}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is planned, before anybody rates. For an imported study, some of it is as its archive says.

    `seats_low` and `seats_high` are the fewest and most seats of a main batch. `measures` names the rooms of quality
    control that are on.
    """

    n_items: int
    seats_low: int
    seats_high: int
    n_sources: int
    n_wanted: int | None
    criteria: dict[str, Any]
    asks_demographics: bool
    measures: tuple[str, ...]


def plan_of(study: Study) -> Plan:
    """Return the plan in four queries."""
    batches = study.batches.filter(kind=Batch.Kind.MAIN).annotate(n_seats=Count("seats"))
    dealt = batches.aggregate(low=Min("n_seats"), high=Max("n_seats"), items=Sum("n_items"))
    recruitment = recruitment_of(study)
    said = study.imported_record.get("recruitment", {})
    return Plan(
        n_items=dealt["items"] or 0,
        seats_low=dealt["low"] or study.seats,
        seats_high=dealt["high"] or study.seats,
        n_sources=rated_sources(study).count(),
        n_wanted=recruitment.n_wanted or said.get("wanted"),
        criteria=(criteria_of(recruitment) if recruitment.pk else {}) or said.get("criteria") or {},
        asks_demographics=bool((recruitment.asks_demographics and study.consent_text) or said.get("demographics")),
        measures=_measures(study),
    )


def _measures(study: Study) -> tuple[str, ...]:
    """Return the measures that are on, or that the archive of an imported study tells of."""
    plans = Study.objects.values_list("check_plan", "acceptance_plan__is_on", "adjudication_plan__is_on")
    checks, acceptance, adjudication = plans.get(pk=study.pk)
    said = study.imported_record
    qualified_by = (said.get("qualification") or {}).get("by", "team")  # clearing by hand measures nothing
    are_on = {
        "qualification": study.has_qualification or qualified_by != "team",
        "checks": checks,
        "acceptance": acceptance or said.get("acceptance"),
        "adjudication": adjudication or said.get("adjudication"),
        "kappa_floor": study.kappa_floor is not None,
    }
    return tuple(name for name, is_on in are_on.items() if is_on)
