"""The study record: how a study was conducted, from recruitment to pay.

Parts are plain values, as in an archive. For a study imported from an archive, a part tells what was done here or, if
nothing was, what the archive says.
"""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from annotation.models import Study
from qualification.adjudication.selectors.disagreements import adjudication_counts
from qualification.checks.selectors.feedback import feedback_periods
from qualification.models import PayPlan
from qualification.pay.selectors.ledger import sums_of
from qualification.pay.selectors.rates import FLOOR_CURRENCY, measured_rates, plan_of
from qualification.recruitment.selectors.demographics import Table
from qualification.recruitment.selectors.facts import facts_of
from reporting.record.acceptance import acceptance_of
from reporting.record.imports import imports_of
from reporting.record.qualifying import cleared_by_hand, qualification_of

Row = dict[str, Any]
SCHEMA: Row = json.loads(Path(__file__).with_name("study_record.schema.json").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """The parts have the format of study_record.schema.json. None: nothing to tell of a part.

    recruitment: the criteria set, people wanted, arrivals by platform, demographics with small counts suppressed.
    qualification: its rules as they decided, and their results.
    feedback: periods in which annotators were told how they agree. adjudication: labels that two people had to agree
    on. acceptance: plans, decisions and rounds of batch acceptance. pay: the minimum per hour, and what was paid.
    imports: the answers that came from each imported file.
    """

    recruitment: Row
    qualification: Row | None
    feedback: list[Row]
    adjudication: Row | None
    acceptance: Row | None
    pay: Row
    imports: list[Row]

    def parts(self) -> Row:
        return {each.name: getattr(self, each.name) for each in fields(self)}


def study_record_of(study: Study) -> StudyRecord:
    """Return the study record. The number of queries does not grow with the study."""
    said = study.imported_record
    found = {
        "recruitment": _recruitment(study, said.get("recruitment")),
        "qualification": _qualification(study),
        "feedback": _feedback(study) or said.get("feedback", []),
        "adjudication": _adjudication(study) or said.get("adjudication"),
        "acceptance": acceptance_part(study),
        "pay": _pay(study, said.get("pay")),
        "imports": [*said.get("imports", []), *imports_of(study)],
    }
    return StudyRecord(**_in_order(found, SCHEMA))


def acceptance_part(study: Study) -> Row | None:
    """Return only batch acceptance, for a page that shows no other part."""
    found = acceptance_of(study) or study.imported_record.get("acceptance")
    return _in_order(found, SCHEMA["properties"]["acceptance"])


def _in_order(value: Any, schema: Row) -> Any:
    """Return the value with keys in the order of the schema: PostgreSQL does not keep the order of an archive."""
    if isinstance(value, list):
        return [_in_order(each, schema["items"]) for each in value]
    if not isinstance(value, dict):
        return value
    for branch in schema.get("allOf", ()):  # a plan has the numbers of its kind
        if branch["if"]["properties"]["kind"]["const"] == value["kind"]:
            schema = branch["then"]
    return {name: _in_order(value[name], part) for name, part in schema["properties"].items() if name in value}


# --- parts -----------------------------------------------------------------------------------------
def _recruitment(study: Study, said: Row | None) -> Row:
    facts = facts_of(study)
    own = {
        "criteria": facts.criteria,
        "wanted": facts.n_wanted,
        "came": [{"platform": name, "n": n} for name, n in facts.came.items()],
        "demographics": _demographics(facts.demographics),
    }
    return {name: value or (said or own)[name] for name, value in own.items()}


def _demographics(table: Table) -> Row | None:
    """Return counts only: fewer than three people are None, and fields with too many values are left out."""
    if not table.n_people:
        return None
    told = [field for field in table.fields if field.cells]
    return {
        "n": table.n_people,
        "fields": [
            {"name": field.name, "values": [{"value": cell.value, "n": cell.n} for cell in field.cells]}
            for field in told
        ],
    }


def _qualification(study: Study) -> Row | None:
    """Return the qualification if it is on or has attempts, otherwise what the archive says.

    Without an archive, it says whether the team cleared annotators by hand.
    """
    said = study.imported_record
    return qualification_of(study) or (said["qualification"] if said else cleared_by_hand(study))


def _feedback(study: Study) -> list[Row]:
    return [
        {"since": f"{period.since:%Y-%m-%d}", "until": f"{period.until:%Y-%m-%d}" if period.until else None}
        for period in feedback_periods(study)
    ]


def _adjudication(study: Study) -> Row | None:
    """Return the counts of adjudication, or None if no batch needed two annotators to agree.

    `labels` counts pairs of answers to one question about one item; `replaced` counts those agreed after one of the
    two was replaced. Votes and agreement in a report are those before adjudication.
    """
    counts = adjudication_counts(study)
    if not counts.n_batches:
        return None
    n_differing = sum(row["disagreements"] for row in counts.by_criterion.values())
    return {
        "batches": counts.n_batches,
        "items": counts.n_items,
        "items_with_disagreement": counts.n_items_disagreed,
        "labels": counts.n_labels,
        "labels_agreed_at_first": counts.n_labels - n_differing,
        "by_criterion": [{"criterion": key, **row} for key, row in counts.by_criterion.items()],
    }


def _pay(study: Study, said: Row | None) -> Row:
    """Return the minimum pay per hour in the study's plan (or the default), and the ledger. Amounts are texts."""
    plan = plan_of(study)
    ledger = _ledger(study, plan)
    if said is not None and plan.pk is None:
        return said | {"ledger": ledger or said["ledger"]}
    currency = study.pay_currency if plan.pk else FLOOR_CURRENCY
    floor = f"{plan.floor_per_hour.normalize():f}"
    return {"floor": floor, "floor_currency": currency, "ledger": ledger or (said and said["ledger"])}


def _ledger(study: Study, plan: PayPlan) -> Row | None:
    """Return what was paid, by currency, with the median rates per hour; None while the ledger is empty."""
    sums = sums_of(study)
    if not sums:
        return None
    rates = measured_rates(study, plan).all
    return {
        "paid": [
            {"currency": each.currency, "n_work": each.n_work}
            | {name: str(getattr(each, name)) for name in ("work", "bonus", "correction", "total")}
            for each in sums
        ],
        "hourly_active": None if rates.active is None else str(rates.active),
        "hourly_elapsed": None if rates.elapsed is None else str(rates.elapsed),
        "batches_timed": rates.n,
        "batches_below_floor": rates.n_below,
        "is_below_floor": rates.is_below,
    }
