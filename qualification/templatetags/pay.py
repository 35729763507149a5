"""Money on pages, the warning of pay below the floor, and what an annotator has earned, for their own page."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django import template
from django.utils.formats import number_format

from annotation.models import Assignment, Study
from annotation.selectors.work import StudyWork
from qualification.models import PayEntry
from qualification.selectors.pay import Offer, floor_of, offers_of, plan_of, slow_work
from qualification.selectors.pay_ledger import WORK, Earnings, earnings_of, note_of

register = template.Library()


@register.filter
def money(amount: Decimal | None, currency: str) -> str:
    """To the cent, with the currency that it is of: they stay on one line."""
    return "–" if amount is None else f"{number_format(amount, 2)}\u00a0{currency}".replace("-", "−")


@register.filter
def minutes(ms: int | None) -> str:
    return "–" if ms is None else number_format(ms / 60_000, 1)


@register.filter
def pay_note(entry: PayEntry) -> str:
    return note_of(entry)


@register.filter
def at(found: dict[int, Any], pk: int) -> Any:
    return found.get(pk)


@register.inclusion_tag("qualification/pay_warning.html")
def pay_warning(study: Study) -> dict[str, list[Offer]]:
    """Nothing while the pay that is offered reaches the floor."""
    if not study.pay_currency:
        return {"offers": []}
    plan = plan_of(study)
    return {"offers": [offer for offer in offers_of(study, plan) if offer.is_below] if floor_of(study, plan) else []}


@register.inclusion_tag("qualification/pay_measured.html")
def pay_measured(study: Study) -> dict[str, Any]:
    """Of an open study whose finished work was paid below the floor. One query."""
    return {"study": study, "slow": slow_work(study) if study.status == Study.Status.OPEN else []}


@register.simple_tag
def earnings_in(works: Iterable[StudyWork]) -> dict[int, Earnings]:
    """Of all studies of an annotator, in two queries."""
    return earnings_of([work.participant for work in works])


@register.inclusion_tag("qualification/pay_earned.html")
def earned(earnings: dict[int, Earnings], work: StudyWork) -> dict[str, Earnings | None]:
    return {"mine": earnings.get(work.participant.pk)}


@register.simple_tag
def pay_of_batches(batches: Iterable[Assignment]) -> dict[int, PayEntry]:
    """By assignment, in one query. Empty where none has earned anything."""
    found = PayEntry.objects.filter(assignment__in=[each.pk for each in batches], kind__in=WORK)
    return {entry.assignment_id: entry for entry in found if entry.assignment_id is not None}
