"""Template filters that format pay."""

from collections.abc import Iterable
from decimal import Decimal

from django import template
from django.utils.formats import number_format

from annotation.models import Assignment
from qualification.models import PayEntry
from qualification.pay.selectors.ledger import WORK, note_of

register = template.Library()


@register.filter
def money(amount: Decimal | None, currency: str) -> str:
    """Return the amount to the cent with its currency, kept on one line."""
    return "–" if amount is None else f"{number_format(amount, 2)}\u00a0{currency}".replace("-", "−")


@register.filter
def minutes(ms: int | None) -> str:
    return "–" if ms is None else number_format(ms / 60_000, 1)


register.filter("pay_note", note_of)


def earned_texts(batches: Iterable[Assignment]) -> dict[int, str]:
    """Return {assignment id: what it earned}, in one query, without those that earned nothing."""
    found = PayEntry.objects.filter(assignment__in=[each.pk for each in batches], kind__in=WORK)
    return {entry.assignment_id: money(entry.amount, entry.currency) for entry in found if entry.assignment_id}
