"""Write files for a crowd platform: whose work is approved, and which bonuses the pay ledger still owes."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

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

# Corrections are added to the bonuses or deducted from them, because the platform's own pay is fixed.
OWED = (PayEntry.Kind.BONUS, PayEntry.Kind.CORRECTION)


@dataclass(frozen=True, slots=True)
class Owed:
    """Hold what one person is still to get, and the ledger lines it is made of."""

    bonus: Bonus
    currency: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bonuses:
    """Hold all that the ledger owes at present.

    The last line and the number of lines identify what a file contains: a line may be stored late, with a lower id.
    """

    owed: list[Owed]
    up_to: int
    n_lines: int

    @property
    def total(self) -> Decimal:
        return sum((each.bonus.amount for each in self.owed), Decimal(0))


def provider_of(study: Study) -> Provider:
    """Return the study's platform. Raise Refused if it has none."""
    provider = PROVIDERS.get(recruitment_of(study).provider)
    if provider is None:
        raise Refused("no_platform", _("Choose the recruitment platform."))
    return provider


def approvals_csv(study: Study) -> str:
    """Return the platform's file of approvals for work that has ended. Raise Refused without a platform."""
    provider = provider_of(study)
    entries = Entry.objects.filter(study=study, provider=provider.key, state__in=provider.approved_states)
    rows = entries.order_by("ended_at", "pk").values_list("person", "platform_study", "session", "state")
    return _csv(provider.approvals.heading, (provider.approvals.row(Work(*row)) for row in rows))


def bonuses_csv(study: Study, up_to: int | None = None, n_lines: int | None = None) -> str:
    """Return the platform's file of bonuses that are not paid out, up to a line of the ledger.

    Raise Refused without a platform, with two currencies, or if there are not `n_lines` up to that line.
    """
    provider = provider_of(study)
    bonuses = bonuses_of(study, up_to)
    currency_of(bonuses)
    _refuse_others(bonuses, n_lines)
    return _csv(provider.bonuses.heading, (provider.bonuses.row(each.bonus) for each in bonuses.owed))


def bonuses_of(study: Study, up_to: int | None = None) -> Bonuses:
    """Return what is owed per person and currency, where something is left to pay."""
    lines = PayEntry.objects.filter(
        participant__study=study,
        participant__entry__provider=provider_of(study).key,
        kind__in=OWED,
        paid_out_at__isnull=True,
    )
    if up_to is not None:
        lines = lines.filter(pk__lte=up_to)
    columns = ("pk", "amount", "currency", "reason", "participant__entry__person", "participant__entry__session")
    rows = list(lines.order_by("pk").values_list(*columns))
    grouped: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in rows:
        grouped[row[4], row[2]].append(row)
    owed = []
    for own in grouped.values():
        pks, amounts, currencies, reasons, people, sessions = zip(*own, strict=True)
        bonus = Bonus(people[-1], sessions[-1], sum(amounts, Decimal(0)), "; ".join(dict.fromkeys(reasons)))
        owed.append(Owed(bonus, currencies[-1], pks))
    last = rows[-1][0] if rows else 0
    return Bonuses([each for each in owed if each.bonus.amount > 0], last, len(rows))


def currency_of(bonuses: Bonuses) -> str:
    """Return the currency; empty if nothing is owed. Raise Refused if there are two: a platform pays in one."""
    found = sorted({each.currency for each in bonuses.owed})
    if len(found) > 1:
        text = _("The ledger has bonuses in %(names)s, but a platform pays in one currency.")
        raise Refused("currencies", text % {"names": ", ".join(found)})
    return found[0] if found else ""


@transaction.atomic
def mark_bonuses_paid(study: Study, *, up_to: int, n_lines: int, by: User, now: datetime) -> int:
    """Mark the lines of a file as paid, so that they are not listed again. Return for how many people.

    Raise Refused if there are not `n_lines` up to the line `up_to`: the file had other lines.
    """
    # This lock ensures that a button pressed twice marks the lines once.
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
