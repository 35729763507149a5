"""Files for a crowd platform: whose work is approved, and which bonuses the pay ledger still owes."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Study
from annotation.services import activity
from annotation.services.refusals import Refused
from qualification.models import Entry, PayEntry
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.platforms.base import Bonus, Provider, Work
from qualification.recruitment.selectors.facts import recruitment_of

# A correction of what somebody got is paid, or kept back, with the bonuses: the platform's own pay is fixed.
OWED = (PayEntry.Kind.BONUS, PayEntry.Kind.CORRECTION)


@dataclass(frozen=True, slots=True)
class Owed:
    """What one person is still to get, and the lines of the ledger that it is made of."""

    bonus: Bonus
    currency: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bonuses:
    """All that is owed as the ledger stands. A file and its tick mean the same by its last line and how many there are:
    a line may come late with a lower number than one that was seen.
    """

    owed: list[Owed]
    up_to: int
    n_lines: int

    @property
    def total(self) -> Decimal:
        return sum((each.bonus.amount for each in self.owed), Decimal(0))


def provider_of(study: Study) -> Provider:
    """Raises Refused where people come by no platform."""
    provider = PROVIDERS.get(recruitment_of(study).provider)
    if provider is None:
        raise Refused("no_platform", _("Choose the recruitment platform."))
    return provider


def approvals_csv(study: Study) -> str:
    """In the words of the platform, of everybody whose work has ended. Raises Refused without a platform."""
    provider = provider_of(study)
    entries = Entry.objects.filter(study=study, provider=provider.key, state__in=provider.approved_states)
    rows = entries.order_by("ended_at", "pk").values_list("person", "platform_study", "session", "state")
    return _csv(provider.approvals.heading, (provider.approvals.row(Work(*row)) for row in rows))


def bonuses_csv(study: Study, up_to: int | None = None, n_lines: int | None = None) -> str:
    """What is not paid out, up to a line of the ledger. Raises Refused without a platform, with two currencies, and
    when there are not `n_lines` up to that line.
    """
    provider = provider_of(study)
    bonuses = bonuses_of(study, up_to)
    currency_of(bonuses)
    _refuse_others(bonuses, n_lines)
    return _csv(provider.bonuses.heading, (provider.bonuses.row(each.bonus) for each in bonuses.owed))


def bonuses_of(study: Study, up_to: int | None = None) -> Bonuses:
    """Per person and currency, where there is something left to pay."""
    lines = PayEntry.objects.filter(
        participant__study=study,
        participant__entry__provider=provider_of(study).key,
        kind__in=OWED,
        paid_out_at__isnull=True,
    )
    if up_to is not None:
        lines = lines.filter(pk__lte=up_to)
    rows = lines.order_by("pk").values_list(
        "pk", "amount", "currency", "reason", "participant__entry__person", "participant__entry__session"
    )
    grouped: dict[tuple[str, str], list] = {}
    last = 0
    for row in rows:
        last = row[0]
        grouped.setdefault((row[4], row[2]), []).append(row)
    owed = [_owed(each) for each in grouped.values()]
    return Bonuses([each for each in owed if each.bonus.amount > 0], last, len(rows))


def currency_of(bonuses: Bonuses) -> str:
    """Empty where nothing is owed. Raises Refused where there are two: a platform's account has one."""
    found = sorted({each.currency for each in bonuses.owed})
    if len(found) > 1:
        text = _("The ledger has bonuses in %(names)s, but a platform pays in one currency.")
        raise Refused("currencies", text % {"names": ", ".join(found)})
    return found[0] if found else ""


def _owed(rows: list) -> Owed:
    _pk, _amount, currency, _reason, person, session = rows[-1]
    reasons = "; ".join(dict.fromkeys(row[3] for row in rows))
    bonus = Bonus(person, session, sum((row[1] for row in rows), Decimal(0)), reasons)
    return Owed(bonus, currency, tuple(row[0] for row in rows))


@transaction.atomic
def mark_bonuses_paid(study: Study, *, up_to: int, n_lines: int, by: User, now: datetime) -> int:
    """The file went to the platform: its lines are not listed again. Returns to how many people.

    Raises Refused when there are not `n_lines` up to that one: the file had others.
    """
    # Behind the study's row: a button pressed twice marks once.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    bonuses = bonuses_of(study, up_to)
    if not bonuses.owed:
        return 0
    _refuse_others(bonuses, n_lines)
    details = {"people": len(bonuses.owed), "amount": str(bonuses.total), "currency": currency_of(bonuses)}
    lines = [pk for each in bonuses.owed for pk in each.lines]
    PayEntry.objects.filter(pk__in=lines, paid_out_at__isnull=True).update(paid_out_at=now)
    activity.log(study, by, "bonuses_paid", details=details, now=now)
    return len(bonuses.owed)


def _refuse_others(bonuses: Bonuses, n_lines: int | None) -> None:
    if n_lines not in (None, bonuses.n_lines):
        raise Refused(
            "other_lines", _("The ledger has changed since you looked at it. Look again and download a new file.")
        )


def _csv(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if heading:
        writer.writerow(heading)
    writer.writerows(rows)
    return out.getvalue()
