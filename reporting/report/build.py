"""The report of a study, for the page, the downloads, the API and the command."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils.translation import override as in_language

from annotation.models import Study
from protocols.models import ProtocolVersion
from protocols.specs import spec_of
from reporting.datasheet.build import Answered, answered, datasheet
from reporting.datasheet.selectors import Setting
from reporting.report import coefficients, sizes, tables
from reporting.report.alpha_check import AlphaCheck, alpha_check
from reporting.report.behaviours import Behaviour, TurnOverlap, behaviours, turn_overlaps
from reporting.report.breakdowns import Breakdown, breakdowns
from reporting.report.checklist import Entry, checklist
from reporting.report.comparisons import SourceComparison, comparisons
from reporting.report.distributions import Distribution, MarkedTurn, distributions, turns_table
from reporting.report.final_labels import FinalLabels, final_labels
from reporting.report.flags import Flags, flags_table
from reporting.report.further import FurtherAgreement, further_table
from reporting.report.hashes import Hashes, hashes_of
from reporting.report.inputs import Sources
from reporting.report.judged import Judges, judges
from reporting.report.methods import methods
from reporting.report.negatives import Negatives, NegativeText, SourceNegatives
from reporting.report.odds import SourceOdds, odds_table
from reporting.report.pairs import Pair, pairs_table
from reporting.report.predicted import MetricMean, Prediction, metrics_table, predicted_table
from reporting.report.rankings import CriterionRanking, rankings
from reporting.report.results import results
from reporting.report.settings import ProtocolFacts, StudyFacts, protocol_facts, study_facts
from reporting.report.time_and_pay import TimeAndPay, Workload, time_and_pay, workload
from reporting.report.versions import Versions, versions
from reporting.study import facts
from reporting.study.answer_details import marked_turns
from reporting.study.data_set import Figures, Share
from reporting.study.data_set_sums import data_set_of
from reporting.study.pairings import Pairing, SideBias, compared_criteria, identical_pairs, pairings, side_bias
from reporting.study.plain import plain
from reporting.study.rules import rules_of
from reporting.study.scores import percent

Record = dict[str, Any]  # a part of the study record, in the format of reporting/record/study_record.schema.json


@dataclass(frozen=True, slots=True)
class DataSet(Figures):
    """The dialogues that are rated or compared as wholes; `labels` are the final labels of this criterion, if any."""

    label_criterion: str = ""


class Report:
    """The parts of a report, in its order. Each is computed on first access: one table does not take as long as all.

    Sentences are in English, as in all downloads; the page makes them again in the reader's language.
    """

    def __init__(self, of: Sources) -> None:
        self._of = of

    @cached_property
    def study(self) -> StudyFacts:
        return study_facts(self._of.study)

    @cached_property
    def protocol(self) -> ProtocolFacts:
        return protocol_facts(self._of.study.protocol_version)

    @cached_property
    def generated_at(self) -> str:
        return self._of.now.isoformat(timespec="seconds")

    @cached_property
    def n_ratings(self) -> int:
        """Return the number of counted answers of every kind: the rows of the exported file that count."""
        return len(self._of.votes.rating)

    @cached_property
    def n_items(self) -> int:
        """Return the number of items with an answer."""
        return self.material.items

    @cached_property
    def n_annotators(self) -> int:
        return len(set().union(*self._of.work.values()))

    @cached_property
    def n_imported_annotators(self) -> int:
        return self._of.study.participants.filter(is_imported=True).count()

    @cached_property
    def imports(self) -> list[Record]:
        """Return the counted answers that came from each imported file."""
        return self._of.record.imports

    @cached_property
    def is_collected_elsewhere(self) -> bool:
        return Setting(self._of.study).is_elsewhere

    @cached_property
    def material(self) -> sizes.Material:
        return sizes.material_of(self._of.cells, self._of.votes)

    @cached_property
    def batches(self) -> list[sizes.BatchSizes]:
        return sizes.batch_sizes(self._of.cells, self._of.votes, self._of.work)

    @cached_property
    def excluded_batches(self) -> list[facts.OtherBatches]:
        return facts.other_batches(self._of.study)

    @cached_property
    def sources(self) -> list[tables.SourceName]:
        return tables.source_names(self._of.cells)

    @cached_property
    def criteria(self) -> list[tables.CriterionName]:
        return tables.criterion_names(self._of.cells)

    @cached_property
    def unrated_sources(self) -> list[str]:
        """Return the names of sources in the batches that nobody has rated."""
        return sizes.unrated_sources(self._of.cells, self._of.votes)

    @cached_property
    def answered_criteria(self) -> list[str]:
        return sizes.answered_criteria(self._of.votes)

    @cached_property
    def agreement_overall(self) -> list[coefficients.Overall]:
        return coefficients.overall_table(self._of.cells, self._of.votes)

    @cached_property
    def agreement_further(self) -> list[FurtherAgreement]:
        return further_table(self._of.cells, self._of.votes)

    @cached_property
    def comparisons(self) -> list[SourceComparison]:
        return comparisons(self._of.cells, self._of.votes)

    @cached_property
    def odds_ratios(self) -> list[SourceOdds]:
        return odds_table(self._of.cells, self._of.votes, self.comparisons)

    @cached_property
    def pairings(self) -> list[Pairing]:
        of = self._of
        criteria, identical = compared_criteria(of.cells.spec), identical_pairs(of.study)
        return pairings(criteria, of.pairings, identical, of.cells.sources) if criteria else []

    @cached_property
    def side_bias(self) -> list[SideBias]:
        criteria = compared_criteria(self._of.cells.spec)
        return [side_bias(each, self._of.pairings.get(each.id, {})) for each in criteria]

    @cached_property
    def rankings(self) -> list[CriterionRanking]:
        return rankings(self._of.study, self._of.votes, self._of.cells.sources)

    @cached_property
    def comments(self) -> list[sizes.Comment]:
        return sizes.comments_of(self._of.study)

    @cached_property
    def flags(self) -> list[Flags]:
        return flags_table(self._of.study)

    @cached_property
    def qualification(self) -> Record | None:
        return self._of.record.qualification

    @cached_property
    def feedback(self) -> list[Record]:
        return self._of.record.feedback

    @cached_property
    def adjudication(self) -> Record | None:
        return self._of.record.adjudication

    @cached_property
    def acceptance(self) -> Record | None:
        return self._of.record.acceptance

    @cached_property
    def rules(self) -> dict[str, str]:
        of, found = self._of, self.material
        return rules_of(of.study, of.pairings, is_told=bool(self.feedback), unit=found.unit)

    @cached_property
    def versions(self) -> Versions:
        return versions()

    @cached_property
    def agreement(self) -> list[coefficients.Agreement]:
        return coefficients.agreement_table(self._of.cells, self._of.votes)

    @cached_property
    def agreement_by_criterion(self) -> list[coefficients.CriterionMean]:
        return coefficients.criterion_means(self.agreement, self._of.study.word_scale)

    @cached_property
    def agreement_by_source(self) -> list[coefficients.SourceMean]:
        return coefficients.source_means(self.agreement, self._of.study.word_scale)

    @cached_property
    def alpha_check(self) -> list[AlphaCheck]:
        return alpha_check(self._of.cells, self._of.votes)

    @cached_property
    def pairs(self) -> list[Pair]:
        return pairs_table(self._of.cells, self._of.annotators)

    @cached_property
    def majority(self) -> list[tables.Majority]:
        return tables.majority_table(self._of.cells)

    @cached_property
    def votes(self) -> list[tables.Votes]:
        return [row for row in tables.votes_table(self._of.cells) if row.criterion not in self._of.not_pooled]

    @cached_property
    def errors(self) -> list[tables.Errors]:
        return tables.errors_table(self._of.cells)

    @cached_property
    def data_set(self) -> DataSet | None:
        """Return the dialogues with the mix of their final labels; None if none are rated or compared as wholes."""
        figures = data_set_of(self._of.study)
        criterion = spec_of(self._of.study.protocol_version).label_criterion()
        if figures is None or criterion is None:
            return None
        is_label = criterion.unit != ProtocolVersion.Unit.COMPARISON  # the answer to a pair is no label of a dialogue
        rows = [row for row in self.final_labels if row.source is None and row.criterion == criterion.key]
        labels = {each.label: each.items for row in rows if is_label for each in row.labels}
        mix: list[Share] = [Share(label, n, percent(n, sum(labels.values()))) for label, n in labels.items()]
        known = {each.name: getattr(figures, each.name) for each in fields(figures)}
        return DataSet(**known | {"labels": mix, "label_criterion": criterion.key if is_label else ""})

    @cached_property
    def final_labels(self) -> list[FinalLabels]:
        of = self._of
        return [row for row in final_labels(of.cells, of.votes, of.settled) if row.criterion not in of.not_pooled]

    @cached_property
    def predictions(self) -> list[Prediction]:
        return predicted_table(self._of.comparison)

    @cached_property
    def judges(self) -> Judges:
        return judges(self._of.comparison)

    @cached_property
    def metrics(self) -> list[MetricMean]:
        return metrics_table(self._of.study, self._of.cells.sources)

    @cached_property
    def distributions(self) -> list[Distribution]:
        of = self._of
        return distributions(of.cells, of.votes, of.details, of.pairings if of.not_pooled else {})

    @cached_property
    def turns(self) -> list[MarkedTurn]:
        marks = marked_turns(self._of.study, self._of.details)
        return turns_table(self._of.cells, self._of.votes, marks, self._of.details)

    @cached_property
    def behaviours(self) -> list[Behaviour]:
        return behaviours(self._of.cells, self._of.votes, self._of.details)

    @cached_property
    def turn_overlaps(self) -> list[TurnOverlap]:
        return turn_overlaps(self._of.cells, self._of.votes, self._of.details)

    @cached_property
    def negatives(self) -> list[Negatives]:
        return self._of.negatives.by_criterion

    @cached_property
    def negatives_by_source(self) -> list[SourceNegatives]:
        return self._of.negatives.by_source

    @cached_property
    def negative_texts(self) -> list[NegativeText]:
        return self._of.negatives.texts

    @cached_property
    def hashes(self) -> Hashes:
        return hashes_of(self._of.study, self._of.votes, self._of.details, self._of.names)

    @cached_property
    def breakdowns(self) -> list[Breakdown]:
        return breakdowns(self._of.cells, self._of.votes, facts.fields_of(self._of.study))

    @cached_property
    def time_and_pay(self) -> TimeAndPay:
        study, pay = self._of.study, self._of.record.pay
        return time_and_pay(study, self._of.votes, facts.finished_work(study), facts.elapsed_seconds(study), pay)

    @cached_property
    def workload(self) -> list[Workload]:
        return workload(self._of.votes, self._of.annotators)

    @cached_property
    def checklist(self) -> list[Entry]:
        return checklist(self._of.study, self._of.people, self._of.record, self)

    @cached_property
    def methods(self) -> list[str]:
        with in_language("en"):
            return methods(self)

    @cached_property
    def results(self) -> list[str]:
        with in_language("en"):
            return results(self)

    @cached_property
    def datasheet(self) -> list[Answered]:
        with in_language("en"):
            return answered(datasheet(self._of.study, self, self._of.people))


PARTS = tuple(name for name, part in vars(Report).items() if isinstance(part, cached_property))


def open_report(study: Study, *, now: datetime) -> Report:
    return Report(Sources(study, now))


def build_report(study: Study, *, now: datetime, tick: Callable[[int], None] | None = None) -> Report:
    """Return the whole report, up to date with the ratings. `tick` is told how many of PARTS are done.

    The number of queries is constant if the stored agreement of all batches is up to date.
    """
    report = open_report(study, now=now)
    for n_done, name in enumerate(PARTS, start=1):
        getattr(report, name)
        if tick:
            tick(n_done)
    del report._of  # the answers, which take far more memory than the parts
    return report


def plain_report(report: Report) -> dict[str, Any]:
    """Return the parts as plain values, by name and in order."""
    return {name: plain(getattr(report, name)) for name in PARTS}
