"""The whole report of a study as plain values: what the page shows, the downloads hold and the command prints."""

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.models import Assignment, Batch, Participant, Rating, Study
from measures.agreement import fleiss_kappa
from measures.histograms import total
from protocols.specs import spec_of
from reporting.report import tables
from reporting.report.rules import rules_of
from reporting.selectors.study_cells import StudyCells, study_cells

Report = dict[str, Any]


def build_report(study: Study, *, now: datetime) -> Report:
    """Every number of the report, as new as the ratings, in a constant number of queries for clean batches."""
    cells = study_cells(study)
    agreement = tables.agreement_table(cells)
    names = dict(Participant.objects.filter(study=study).values_list("pk", "pseudonym"))
    annotators = _annotators(cells.batches)
    batches = [_batch_row(cells, batch, annotators.get(batch.pk, set())) for batch in cells.batches]
    return {
        "study": _study_facts(study),
        "protocol": _protocol_facts(study),
        "generated_at": now.isoformat(timespec="seconds"),
        "n_ratings": sum(row["n_ratings"] for row in batches),
        "n_items": sum(row["n_items"] for row in batches),
        "n_annotators": len(set().union(*annotators.values())),
        "n_imported_annotators": study.participants.filter(is_imported=True).count(),
        "batches": batches,
        "sources": [{"key": s.key, "name": s.name, "is_reference": s.is_reference} for s in cells.sources],
        "criteria": [{"key": c.key, "name": c.name, "scale": c.scale} for c in cells.spec.voted],
        "agreement": agreement,
        "agreement_overall": tables.overall_table(cells),
        "agreement_by_criterion": tables.margins(agreement, "criterion"),
        "agreement_by_source": tables.margins(agreement, "source"),
        "pairs": tables.pairs_table(cells, names),
        "majority": tables.majority_table(cells),
        "votes": tables.votes_table(cells),
        "errors": tables.errors_table(cells),
        "comments": _comments(study),
        "rules": rules_of(study),
    }


def _study_facts(study: Study) -> Report:
    return {
        "slug": study.slug,
        "name": study.name,
        "status": study.status,
        "seats": study.seats,
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
    written = Assignment.objects.filter(batch__study=study).exclude(feedback="").order_by("batch__position", "pk")
    rows = written.values_list("batch__key", "participant__pseudonym", "feedback")
    return [{"batch": batch, "annotator": who, "comment": text} for batch, who, text in rows]


def _annotators(batches: list[Batch]) -> dict[int, set[int]]:
    """Whose answers count, per batch."""
    has_rated = Exists(Rating.objects.filter(assignment=OuterRef("pk")))
    working = Assignment.objects.filter(has_rated, batch__in=batches, seat__isnull=False)
    found: dict[int, set[int]] = {}
    for batch_id, participant_id in working.values_list("batch_id", "participant_id"):
        found.setdefault(batch_id, set()).add(participant_id)
    return found
