"""How a study was conducted: whom it wanted, who was accepted by which rule, what was told, confirmed, checked, paid.

Plain values, as an archive carries them. Of a study that came out of an archive, each part is what was done here, else
what the archive says was done where it comes from.
"""

from dataclasses import dataclass, fields
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
from reporting.record.qualifying import cleared_by_hand, qualification_of
from reporting.record.shape import ACCEPTANCE, STUDY_RECORD, Record, in_order

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """Of the shape in reporting/record/shape.py, its keys in that order. None: there is nothing to tell of a part.

    recruitment: criteria that are set, people wanted, who came by which platform, demographics in suppressed counts.
    qualification: its rules as they decided, and what came of it.
    feedback: days between which annotators were told how they agree. adjudication: labels that two confirmed.
    acceptance: plans, decisions and rounds of batch acceptance. pay: the floor of an hour, and what was paid.
    """

    recruitment: Row
    qualification: Row | None
    feedback: list[Row]
    adjudication: Row | None
    acceptance: Row | None
    pay: Row

    def parts(self) -> Row:
        return {each.name: getattr(self, each.name) for each in fields(self)}


def study_record_of(study: Study) -> StudyRecord:
    """In a number of queries that does not grow with the study."""
    said = study.imported_record
    found = {
        "recruitment": _recruitment(study, said.get("recruitment")),
        "qualification": _qualification(study),
        "feedback": _feedback(study) or said.get("feedback", []),
        "adjudication": _adjudication(study) or said.get("adjudication"),
        "acceptance": acceptance_part(study),
        "pay": _pay(study, said.get("pay")),
    }
    shape = Record({name: STUDY_RECORD.keys[name] for name in found})
    return StudyRecord(**in_order(found, shape))


def acceptance_part(study: Study) -> Row | None:
    """By itself, for a page that shows no other part."""
    own = acceptance_of(study)
    said = study.imported_record.get("acceptance")
    return own or (None if said is None else in_order(said, ACCEPTANCE))


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
    """Counts alone; fewer than three people are None, and what has too many values is left out."""
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
    """Return the qualification if it is on or has decided, else what the archive says, else who cleared people."""
    return qualification_of(study) or (
        study.imported_record["qualification"] if study.imported_record else cleared_by_hand(study)
    )


def _feedback(study: Study) -> list[Row]:
    return [
        {"since": f"{period.since:%Y-%m-%d}", "until": f"{period.until:%Y-%m-%d}" if period.until else None}
        for period in feedback_periods(study)
    ]


def _adjudication(study: Study) -> Row | None:
    """None where nobody had to confirm a label. Votes and agreement of a report are those of the first look.

    `labels`: pairs of answers to one question about one item; `replaced`: agreed after one of the two was replaced.
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
    """The floor of the study's plan, or the default. Amounts are texts: decimals to the cent."""
    plan = plan_of(study)
    ledger = _ledger(study, plan)
    if said is not None and plan.pk is None:
        return said | {"ledger": ledger or said["ledger"]}
    currency = study.pay_currency if plan.pk else FLOOR_CURRENCY
    floor = f"{plan.floor_per_hour.normalize():f}"
    return {"floor": floor, "floor_currency": currency, "ledger": ledger or (said and said["ledger"])}


def _ledger(study: Study, plan: PayPlan) -> Row | None:
    """What was paid in fact, by currency, and the median hours of paid batches; None while nothing is in the ledger."""
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
