"""The whole report of a study as plain values: what the page shows, the downloads hold and the command prints."""

from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef
from django.utils.translation import override as in_language

from annotation.figures import NO_SOURCE
from annotation.models import Assignment, Batch, Rating, Study
from measures.agreement import fleiss_kappa
from measures.arrays import IntArray
from measures.histograms import total
from protocols.specs import spec_of
from qualification.selectors.checks_feedback import feedback_periods
from reporting.predictions.selectors import metric_means
from reporting.report import tables
from reporting.report.alpha_check import alpha_check
from reporting.report.breakdowns import breakdowns, excluded
from reporting.report.checklist import checklist
from reporting.report.comparisons import comparisons
from reporting.report.confirmed import confirmed
from reporting.report.datasheet import datasheet, plain
from reporting.report.distributions import distributions, turns_table
from reporting.report.hashes import hashes_of
from reporting.report.methods import methods
from reporting.report.negatives import negatives
from reporting.report.resampled import overall_with_intervals, with_intervals
from reporting.report.rules import rules_of
from reporting.report.time_and_pay import time_and_pay, workload
from reporting.report.versions import versions
from reporting.selectors.answer_details import answer_details, marked_turns
from reporting.selectors.names import Names, names_of
from reporting.selectors.study_cells import StudyCells, study_cells
from reporting.selectors.study_facts import elapsed_seconds, fields_of, finished_work, other_batches, people_of
from reporting.selectors.study_votes import StudyVotes, study_votes

Report = dict[str, Any]


def build_report(study: Study, *, now: datetime) -> Report:
    """Every number of the report, as new as the ratings, in a constant number of queries for clean batches."""
    cells = study_cells(study)
    votes = study_votes(study, cells.spec)
    names = names_of(study, cells.spec, votes.items)
    report = _basis(study, cells, votes, now)
    report |= {
        **_agreement(cells, votes, report["agreement_overall"]),
        "pairs": tables.pairs_table(cells, names.annotators),
        "majority": tables.majority_table(cells),
        "votes": tables.votes_table(cells),
        "errors": tables.errors_table(cells),
        "metrics": _metrics(study, cells),
        **_answers(study, cells, votes, names),
        "breakdowns": breakdowns(cells, votes, fields_of(study)),
        "time_and_pay": time_and_pay(study, votes, finished_work(study), elapsed_seconds(study)),
        "workload": workload(votes, names.annotators),
    }
    return _with_words(study, cells, report)


def build_basis(study: Study, *, now: datetime) -> Report:
    """What a datasheet is filled from: the report without the parts that take longest."""
    cells = study_cells(study)
    return _basis(study, cells, study_votes(study, cells.spec), now)


def _basis(study: Study, cells: StudyCells, votes: StudyVotes, now: datetime) -> Report:
    annotators = _annotators(cells.batches)
    batches = [_batch_row(cells, batch, annotators.get(batch.pk, set())) for batch in cells.batches]
    return {
        "study": _study_facts(study),
        "protocol": _protocol_facts(study),
        "generated_at": now.isoformat(timespec="seconds"),
        "n_ratings": sum(row["n_ratings"] for row in batches),
        "n_judgements": len(votes.rating),
        "n_items": sum(row["n_items"] for row in batches),
        "n_annotators": len(set().union(*annotators.values())),
        "n_imported_annotators": study.participants.filter(is_imported=True).count(),
        "material": _material(cells, votes),
        "batches": batches,
        "excluded_batches": excluded(other_batches(study)),
        **tables.heads(cells),
        "agreement_overall": overall_with_intervals(cells, votes, tables.overall_table(cells)),
        "comparisons": comparisons(cells, votes),
        "comments": _comments(study),
        "feedback": _feedback(study),
        "confirmed": confirmed(study),
        "rules": rules_of(study),
        "versions": versions(),
    }


def _metrics(study: Study, cells: StudyCells) -> list[Report]:
    """D-19: the means of imported automatic metrics, to stand beside people's judgements. None where there is none."""
    means = metric_means(study)
    return [
        {"source": source.key, "metric": metric, "mean": mean}
        for source in cells.sources
        for metric, mean in means.get(source.pk, {}).items()
    ]


def _agreement(cells: StudyCells, votes: StudyVotes, overall: list[Report]) -> Report:
    agreement = with_intervals(cells, votes, tables.agreement_table(cells))
    return {
        "agreement": agreement,
        "agreement_by_criterion": tables.margins(agreement, "criterion"),
        "agreement_by_source": tables.margins(agreement, "source"),
        "alpha_check": alpha_check(cells, votes, overall),
    }


def _answers(study: Study, cells: StudyCells, votes: StudyVotes, names: Names) -> Report:
    details = answer_details(study)
    return {
        "distributions": distributions(cells, votes, details),
        "turns": turns_table(cells, votes, marked_turns(study), details),
        **negatives(cells, votes, details, names),
        "hashes": hashes_of(study, votes, details, names),
    }


def _with_words(study: Study, cells: StudyCells, report: Report) -> Report:
    """In English, as everything that is downloaded; a page says them again in its reader's language."""
    people = people_of(study)
    report["checklist"] = checklist(study, cells.spec, people, report)
    with in_language("en"):
        report["methods"] = methods(report)
        report["datasheet"] = plain(datasheet(study, report, people))
    return report


def _material(cells: StudyCells, votes: StudyVotes) -> Report:
    """What was rated: items with an answer. Votes are those of the people who rated an item."""
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
    }


def _items_by_source(cells: StudyCells, sources: IntArray) -> list[Report]:
    """Judged items of each source, in the order of tables; of whole dialogues, which have none, the source is None."""
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
        "criteria": [
            {"key": c.key, "question": c.question, "definition": c.definition, "options": [o.label for o in c.options]}
            for c in spec.criteria
        ],
    }


def _batch_row(cells: StudyCells, batch: Batch, annotators: set[int]) -> Report:
    """A batch in one line: sizes, and Fleiss' kappa of all its judgements where its criteria can be pooled."""
    own = cells.by_batch.get(batch.pk, {})
    found = [cell.figures for cell in own.values()]
    counted = {criterion.id for criterion in cells.spec.counted}
    sizes = {figures.histogram.n_categories for figures in found}
    kappa = None
    if len(sizes) == 1:
        kappa = fleiss_kappa(total((figures.histogram for figures in found), sizes.pop())).value
    return {
        "batch": batch.key,
        "n_items": batch.n_items,
        "n_ratings": sum(cell.figures.histogram.n_votes for key, cell in own.items() if key[0] in counted),
        "n_annotators": len(annotators),
        "kappa_all_judgements": kappa,
    }


def _comments(study: Study) -> list[Report]:
    """B-5: what annotators wrote in the feedback box when they submitted a batch."""
    done = Assignment.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN)
    written = done.exclude(feedback="").order_by("batch__position", "pk")
    rows = written.values_list("batch__key", "participant__pseudonym", "feedback")
    return [{"batch": batch, "annotator": who, "comment": text} for batch, who, text in rows]


def _feedback(study: Study) -> list[Report]:
    """The days between which annotators were told how they agree."""
    return [
        {"since": f"{period.since:%Y-%m-%d}", "until": f"{period.until:%Y-%m-%d}" if period.until else None}
        for period in feedback_periods(study)
    ]


def _annotators(batches: list[Batch]) -> dict[int, set[int]]:
    """Whose answers count, per batch."""
    has_rated = Exists(Rating.objects.filter(assignment=OuterRef("pk")))
    working = Assignment.objects.filter(has_rated, batch__in=batches, seat__isnull=False)
    found: dict[int, set[int]] = {}
    for batch_id, participant_id in working.values_list("batch_id", "participant_id"):
        found.setdefault(batch_id, set()).add(participant_id)
    return found
