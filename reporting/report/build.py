"""Build the report of a study as plain values, for the page, the downloads and the command."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import Count, Exists, OuterRef
from django.utils.translation import override as in_language

from annotation.agreement_cells import NO_SOURCE, alike, counted
from annotation.models import Assignment, Batch, Rating, Seat, Study
from measures.agreement import fleiss_kappa
from measures.arrays import IntArray
from measures.histograms import n_votes_of_json, total_of_json
from protocols.specs import spec_of
from qualification.adjudication.selectors.disagreements import SettledLabels, settled_labels
from reporting.datasheet.build import datasheet, plain
from reporting.datasheet.selectors import setting_of
from reporting.labels import DIFFERENT_ANSWERS
from reporting.predictions.selectors import metric_means
from reporting.predictions.table import Comparison
from reporting.record.record import StudyRecord, study_record_of
from reporting.report import tables
from reporting.report.alpha_check import alpha_check
from reporting.report.breakdowns import breakdowns, excluded
from reporting.report.checklist import checklist
from reporting.report.comparisons import comparisons
from reporting.report.distributions import distributions, turns_table
from reporting.report.final_labels import final_labels
from reporting.report.flags import flags_table
from reporting.report.hashes import hashes_of
from reporting.report.methods import methods
from reporting.report.negatives import negatives
from reporting.report.pairs import pairs_table
from reporting.report.predicted import predicted_table
from reporting.report.resampled import overall_with_intervals, with_intervals
from reporting.report.time_and_pay import time_and_pay, workload
from reporting.report.versions import versions
from reporting.report.weighted import with_weighted_kappas
from reporting.study.answer_details import Detail, answer_details, marked_turns
from reporting.study.cells import StudyCells, study_cells
from reporting.study.data_set_sums import data_set_of
from reporting.study.facts import People, elapsed_seconds, fields_of, finished_work, other_batches, people_of
from reporting.study.names import Names, annotators_of, names_of
from reporting.study.rules import rules_of
from reporting.study.scores import percent
from reporting.study.votes import StudyVotes, study_votes

Report = dict[str, Any]


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
    def people(self) -> People:
        return people_of(self.study)

    @cached_property
    def work(self) -> dict[int, set[int]]:
        """Return {batch id: ids of the annotators whose answers count}."""
        return _annotators(self.cells.batches)

    @cached_property
    def negatives(self) -> dict[str, list[Report]]:
        return negatives(self.cells, self.votes, self.details, self.names)


class OpenReport(dict[str, Any]):
    """A report that computes each part on first access, so that one table does not take as long as all."""

    def __init__(self, of: Sources) -> None:
        super().__init__()
        self.of = of

    def __missing__(self, name: str) -> Any:
        self[name] = PARTS[name](self.of, self)
        return self[name]


def build_report(study: Study, *, now: datetime) -> Report:
    """Return the whole report, up to date with the ratings.

    The number of queries is constant if the stored agreement of all batches is up to date.
    """
    report = open_report(study, now=now)
    return {name: report[name] for name in PARTS}


def open_report(study: Study, *, now: datetime) -> OpenReport:
    return OpenReport(Sources(study, now))


def _metrics(study: Study, cells: StudyCells) -> list[Report]:
    """Return the means of imported automatic metrics by source; a mean is None if the metric has no scores of it."""
    means = metric_means(study)
    return [
        {"source": source.key, "metric": metric, "mean": mean}
        for source in cells.sources
        for metric, mean in means.get(source.pk, {}).items()
    ]


def _data_set(study: Study, report: Report) -> Report | None:
    """Return statistics of the dialogues with the mix of their final labels; None if no whole dialogues are rated."""
    figures = data_set_of(study)
    criterion = spec_of(study.protocol_version).label_criterion()
    if figures is None or criterion is None:
        return None
    rows = [row for row in report["final_labels"] if row["source"] is None and row["criterion"] == criterion.key]
    labels = {each["label"]: each["items"] for row in rows for each in row["labels"]}
    mix = [{"value": label, "n": n, "percent": percent(n, sum(labels.values()))} for label, n in labels.items()]
    return figures | {"labels": mix, "label_criterion": criterion.key}


def _in_english(make: Callable[..., Any], *values: Any) -> Any:
    with in_language("en"):
        return make(*values)


def _material(cells: StudyCells, votes: StudyVotes) -> Report:
    """Return the sizes of what was rated: items with an answer. `votes_per_item` counts the people who rated each."""
    items = votes.items
    # An assignment is one annotator's work on the batch of the item.
    pairs = np.unique(votes.item * max(len(votes.work.id), 1) + votes.assignment)
    rated, n_votes = np.unique(pairs // max(len(votes.work.id), 1), return_counts=True)
    return {
        "items": len(rated),
        "dialogues": len(np.setdiff1d(items.dialogue[rated], [0])),
        "sources": len(np.setdiff1d(items.source[rated], [0])),
        "batches": len(cells.batches),
        "by_source": _items_by_source(cells, items.source[rated]),
        "votes_per_item": {
            "low": int(n_votes.min()) if len(rated) else None,
            "high": int(n_votes.max()) if len(rated) else None,
            "mean": float(n_votes.mean()) if len(rated) else None,
        },
        "seats_per_batch": _seats(cells.batches),
    }


def _seats(batches: list[Batch]) -> Report:
    """Return the lowest and highest number of seats of a batch, which may differ from the study's setting."""
    n_seats = Seat.objects.filter(batch__in=batches).values("batch").annotate(n=Count("pk")).values_list("n", flat=True)
    found = sorted(n_seats)
    return {"low": found[0], "high": found[-1]} if found else {"low": None, "high": None}


def _items_by_source(cells: StudyCells, sources: IntArray) -> list[Report]:
    """Return the number of judged items by source, in the order of tables; the source of whole dialogues is None."""
    named = [(source.key, source.pk) for source in cells.sources]
    counts = [{"source": key, "items": int((sources == pk).sum())} for key, pk in [*named, (None, NO_SOURCE)]]
    return [row for row in counts if row["items"]]


def _study_facts(study: Study) -> Report:
    return {
        "slug": study.slug,
        "name": study.name,
        "status": study.status,
        "seats": study.seats,
        "majority_rule": study.majority_rule,
        "word_scale": study.word_scale,
        "text_format": study.text_format,
        "seed": study.seed,
        "platform": study.platform,
        "pay_amount": None if study.pay_amount is None else str(study.pay_amount),
        "pay_currency": study.pay_currency,
    }


def _protocol_facts(study: Study) -> Report:
    version = study.protocol_version
    spec = spec_of(version)
    return {
        "slug": version.protocol.slug,
        "version": version.version,
        "sha256": version.sha256,
        "granularity": version.granularity,
        "mode": version.mode,
        "interaction": version.interaction,
        "flagged": version.flagged,
        "criteria": [
            {
                "key": c.key,
                "name": c.name,
                "question": c.question,
                "definition": c.definition,
                "options": [o.label for o in c.options],
            }
            for c in spec.criteria
        ],
    }


def _batch_row(cells: StudyCells, batch: Batch, annotators: set[int] | None) -> Report:
    """Return the sizes of a batch, and Fleiss' kappa of all its judgements if its criteria can be pooled."""
    own = cells.by_batch.get(batch.pk, {})
    asked = {criterion.id for criterion in cells.spec.counted}
    groups = alike(tuple(cells.spec.by_id[key] for key in dict.fromkeys(criterion for criterion, _ in own)))
    kappa: float | None = None
    reason: str | None = DIFFERENT_ANSWERS if groups else "no_ratings"
    if len(groups) == 1:
        criterion = groups[0][0]
        whole = total_of_json((cell.histogram for cell in own.values()), len(criterion.options))
        found = fleiss_kappa(counted(whole, criterion)[0])
        kappa, reason = found.value, found.reason
    return {
        "batch": batch.key,
        "n_items": batch.n_items,
        "n_ratings": sum(n_votes_of_json(cell.histogram) for key, cell in own.items() if key[0] in asked),
        "n_annotators": len(annotators or ()),
        "kappa_all_judgements": kappa,
        "kappa_reason": reason,
    }


def _comments(study: Study) -> list[Report]:
    """Return the comments that annotators wrote in the feedback box when they submitted a batch."""
    done = Assignment.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN)
    written = done.exclude(feedback="").order_by("batch__position", "pk")
    rows = written.values_list("batch__key", "participant__pseudonym", "feedback")
    return [{"batch": batch, "annotator": who, "comment": text} for batch, who, text in rows]


def _annotators(batches: list[Batch]) -> dict[int, set[int]]:
    """Return {batch id: ids of the annotators whose answers count}."""
    has_rated = Exists(Rating.objects.filter(assignment=OuterRef("pk")))
    working = Assignment.objects.filter(has_rated, batch__in=batches, seat__isnull=False)
    found: dict[int, set[int]] = {}
    for batch_id, participant_id in working.values_list("batch_id", "participant_id"):
        found.setdefault(batch_id, set()).add(participant_id)
    return found


# In the order of the report. Sentences are in English, as in all downloads; the page makes them again in the reader's
# language.
PARTS: dict[str, Callable[[Sources, Report], Any]] = {
    "study": lambda of, report: _study_facts(of.study),
    "protocol": lambda of, report: _protocol_facts(of.study),
    "generated_at": lambda of, report: of.now.isoformat(timespec="seconds"),
    "n_ratings": lambda of, report: sum(row["n_ratings"] for row in report["batches"]),
    "n_judgements": lambda of, report: len(of.votes.rating),
    "n_items": lambda of, report: sum(row["n_items"] for row in report["batches"]),
    "n_annotators": lambda of, report: len(set().union(*of.work.values())),
    "n_imported_annotators": lambda of, report: of.study.participants.filter(is_imported=True).count(),
    "is_collected_elsewhere": lambda of, report: setting_of(of.study).is_elsewhere,
    "material": lambda of, report: _material(of.cells, of.votes),
    "batches": lambda of, report: [_batch_row(of.cells, each, of.work.get(each.pk)) for each in of.cells.batches],
    "excluded_batches": lambda of, report: excluded(other_batches(of.study)),
    "sources": lambda of, report: tables.heads(of.cells)["sources"],
    "criteria": lambda of, report: tables.heads(of.cells)["criteria"],
    "agreement_overall": lambda of, report: with_weighted_kappas(
        of.cells, of.votes, overall_with_intervals(of.cells, of.votes, tables.overall_table(of.cells))
    ),
    "comparisons": lambda of, report: comparisons(of.cells, of.votes),
    "comments": lambda of, report: _comments(of.study),
    "flags": lambda of, report: flags_table(of.study),
    "qualification": lambda of, report: of.record.qualification,
    "feedback": lambda of, report: of.record.feedback,
    "adjudication": lambda of, report: of.record.adjudication,
    "acceptance": lambda of, report: of.record.acceptance,
    "rules": lambda of, report: rules_of(of.study, is_told=bool(of.record.feedback)),
    "versions": lambda of, report: versions(),
    "agreement": lambda of, report: with_intervals(of.cells, of.votes, tables.agreement_table(of.cells)),
    "agreement_by_criterion": lambda of, report: tables.margins(report["agreement"], "criterion", of.study.word_scale),
    "agreement_by_source": lambda of, report: tables.margins(report["agreement"], "source", of.study.word_scale),
    "alpha_check": lambda of, report: alpha_check(of.cells, of.votes, tables.overall_table(of.cells)),
    "pairs": lambda of, report: pairs_table(of.cells, of.annotators),
    "majority": lambda of, report: tables.majority_table(of.cells),
    "votes": lambda of, report: tables.votes_table(of.cells),
    "errors": lambda of, report: tables.errors_table(of.cells),
    "data_set": lambda of, report: _data_set(of.study, report),
    "final_labels": lambda of, report: final_labels(of.cells, of.votes, of.settled),
    "predictions": lambda of, report: predicted_table(of.comparison),
    "metrics": lambda of, report: _metrics(of.study, of.cells),
    "distributions": lambda of, report: distributions(of.cells, of.votes, of.details),
    "turns": lambda of, report: turns_table(of.cells, of.votes, marked_turns(of.study, of.details), of.details),
    "negatives": lambda of, report: of.negatives["negatives"],
    "negatives_by_source": lambda of, report: of.negatives["negatives_by_source"],
    "negative_texts": lambda of, report: of.negatives["negative_texts"],
    "hashes": lambda of, report: hashes_of(of.study, of.votes, of.details, of.names),
    "breakdowns": lambda of, report: breakdowns(of.cells, of.votes, fields_of(of.study)),
    "time_and_pay": lambda of, report: time_and_pay(
        of.study, of.votes, finished_work(of.study), elapsed_seconds(of.study), of.record.pay
    ),
    "workload": lambda of, report: workload(of.votes, of.annotators),
    "checklist": lambda of, report: checklist(of.study, of.cells.spec, of.people, of.record, report),
    "methods": lambda of, report: _in_english(methods, report),
    "datasheet": lambda of, report: _in_english(lambda: plain(datasheet(of.study, report, of.people))),
}
