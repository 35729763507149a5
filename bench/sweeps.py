"""What the clock's questions cost where there is nothing to do, in a study that has paid for years."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from django.utils import timezone

from annotation.models import Study
from annotation.services import agreement
from bench.rows import Goal, Row
from bench.servers import run_sql
from bench.studies import N_SOURCES, Shape, fill, make_people, make_study
from qualification.acceptance.services import sweeping
from qualification.adjudication.services import disagreements
from qualification.checks.services import signals
from qualification.pay.services import ledger
from qualification.qualifying.services import results
from qualification.recruitment.services import consent_texts

LINES, QUICK = 120_000, 12_000
PEOPLE = 30
# A batch of each annotator every hour and a half of the last year, or so; all of it is in the ledger.
WORK = (
    """INSERT INTO annotation_assignment
        (batch_id, participant_id, token, status, seed, claimed_at, submitted_at, feedback, is_imported)
    SELECT b.id, p.id, gen_random_uuid(), 'submitted', 1,
        now() - (b.position + 1) * interval '90 minutes' - interval '40 minutes',
        now() - (b.position + 1) * interval '90 minutes', '', false
    FROM annotation_batch b JOIN annotation_participant p ON p.study_id = b.study_id WHERE b.study_id = %(study)s""",
    """INSERT INTO qualification_payentry
        (participant_id, kind, assignment_id, amount, currency, reason, at, active_ms, elapsed_ms)
    SELECT a.participant_id, 'batch', a.id, 4.67, 'GBP', '', a.submitted_at, 2100000, 2400000
    FROM annotation_assignment a JOIN annotation_batch b ON b.id = a.batch_id WHERE b.study_id = %(study)s""",
)
SWEEPS: dict[str, Callable[..., object]] = {
    "figures": agreement.sweep,
    "qualifications": results.sweep_attempts,
    "acceptance": sweeping.sweep_acceptance,
    "confirmation": disagreements.sweep_disagreements,
    "signals": signals.sweep_signals,
    "consent texts": consent_texts.keep_consent_texts,
    "pay": ledger.sweep_pay,
}


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    del place
    n = QUICK if is_quick else LINES
    _study(n)
    of = f"{n:,} lines in the ledger"
    yield Row(f"sweep of pay, all work, {of}", _ms(partial(ledger.sweep_pay, now=timezone.now())), "ms")
    for name, sweep in SWEEPS.items():
        spent = statistics.median(_ms(partial(sweep, now=timezone.now())) for _ in range(21))
        yield Row(f"sweep of {name}, nothing to do, {of}", spent, "ms", goal=Goal(5))


def _study(n: int) -> Study:
    shape = Shape(n // PEOPLE, per_batch=1, n_responses=N_SOURCES, seats=PEOPLE)
    study = make_study(f"sweeps-{n}", shape)
    Study.objects.filter(pk=study.pk).update(pay_amount="4.67", pay_currency="GBP")
    make_people(study, PEOPLE)
    fill(study, shape, WORK)
    run_sql("VACUUM ANALYZE")
    return study


def _ms(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000
