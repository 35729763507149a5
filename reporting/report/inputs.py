"""Read what the parts of a report are made of."""

from datetime import datetime
from functools import cached_property

from annotation.agreement_cells import merged
from annotation.models import Study
from qualification.adjudication.selectors.disagreements import SettledLabels, settled_labels
from reporting.predictions.table import Comparison
from reporting.record.record import StudyRecord, study_record_of
from reporting.report import sizes
from reporting.report.negatives import NegativeTables, negative_tables
from reporting.study import facts
from reporting.study.answer_details import Detail, answer_details
from reporting.study.cells import StudyCells, study_cells
from reporting.study.names import Names, annotators_of, names_of
from reporting.study.pairings import compared_criteria, has_several_pairs
from reporting.study.votes import StudyVotes, study_votes


class Sources:
    """The data for the parts of a report; each is read once, when the first part needs it."""

    def __init__(self, study: Study, now: datetime) -> None:
        self.study, self.now = study, now

    @cached_property
    def cells(self) -> StudyCells:
        return study_cells(self.study)

    @cached_property
    def votes(self) -> StudyVotes:
        """Return the votes. They are read after the cells, so that `alpha_check` notices answers given in between."""
        return study_votes(self.study, self.cells.spec)

    @cached_property
    def details(self) -> list[Detail]:
        return answer_details(self.study)

    @cached_property
    def annotators(self) -> dict[int, str]:
        return annotators_of(self.study)

    @cached_property
    def names(self) -> Names:
        """Return the names. They are read after the votes, because an item exists before its first answer."""
        return names_of(self.study, self.cells.spec, self.votes.items, self.annotators)

    @cached_property
    def settled(self) -> SettledLabels:
        return settled_labels(self.study)

    @cached_property
    def comparison(self) -> Comparison:
        return Comparison(self.study, self.votes, self.settled)

    @cached_property
    def record(self) -> StudyRecord:
        return study_record_of(self.study)

    @cached_property
    def people(self) -> facts.People:
        return facts.people_of(self.study)

    @cached_property
    def work(self) -> dict[int, set[int]]:
        """Return {batch id: ids of the annotators whose answers count}."""
        return sizes.annotators_by_batch(self.cells.batches)

    @cached_property
    def pairings(self) -> dict[int, dict[str, int]]:
        """Return {criterion id: counts of the answers to comparisons}, over all batches."""
        found: dict[int, dict[str, int]] = {}
        for cells in self.cells.by_batch.values():
            for (criterion, _source), cell in cells.items():
                found[criterion] = merged(found.get(criterion, {}), cell.pairings)
        return found

    @cached_property
    def not_pooled(self) -> set[str]:
        """Return the keys of criteria whose answers cannot be added, because they are about several pairs."""
        criteria = compared_criteria(self.cells.spec) if has_several_pairs(self.pairings) else []
        return {each.key for each in criteria}

    @cached_property
    def negatives(self) -> NegativeTables:
        return negative_tables(self.cells, self.votes, self.details, self.names)
