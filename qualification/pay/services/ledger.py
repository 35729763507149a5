"""Keep the ledger: what annotators have earned, what was added and corrected by hand, and what is paid out.

Lines are added and never changed, except that they are marked as paid.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation.models import Participant, Study
from annotation.services import activity
from annotation.services.refusals import Refused
from qualification.models import PayEntry, PayMark
from qualification.pay.selectors.ledger import unpaid_lines
from qualification.pay.selectors.rates import Paying, paying_studies

Kind = PayEntry.Kind
AT_ONCE = 500  # lines of a study in one sweep: if a study sets its pay late, years of work may be due
SAME_WITHIN = timedelta(minutes=1)

LOOK_AGAIN = timedelta(hours=1)  # at all work, for work stamped by a slow clock and people who left the panel
OVERLAP = timedelta(hours=2)  # covers work that is stored late, or by a clock an hour behind
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)

# Finished work is paid whatever became of it: passed or not, returned, by somebody excluded later. Not so work that
# came with an import or an archive, which was paid where it was done, and the panel's own qualification, which is no
# attempt to qualify. ON CONFLICT lets only one of two simultaneous sweeps make a line.
EARNED = """
    WITH due AS (
        SELECT work.participant_id, CASE batch.kind WHEN 'main' THEN 'batch' ELSE 'qualification' END, work.id,
            CASE batch.kind WHEN 'main' THEN study.pay_amount ELSE plan.qualification_amount END,
            study.pay_currency, '', %(now)s::timestamptz,
            (SELECT nullif(sum(rating.active_ms), 0) FROM annotation_rating rating
                WHERE rating.assignment_id = work.id),
            greatest((extract(epoch FROM work.submitted_at - work.claimed_at) * 1000)::bigint, 0)
        FROM annotation_assignment work
        JOIN annotation_batch batch ON batch.id = work.batch_id AND batch.kind IN ('main', 'qualification')
        JOIN annotation_study study ON study.id = batch.study_id AND study.pay_currency <> ''
        JOIN annotation_participant participant ON participant.id = work.participant_id
        LEFT JOIN qualification_payplan plan ON plan.study_id = study.id
        WHERE batch.study_id = %(study)s AND work.submitted_at >= %(since)s
            AND NOT work.is_imported AND NOT participant.is_imported
            AND (batch.kind = 'main' OR participant.panel = '')
            AND CASE batch.kind WHEN 'main' THEN study.pay_amount ELSE plan.qualification_amount END > 0
            AND NOT EXISTS (
                SELECT FROM qualification_payentry entry
                WHERE entry.assignment_id = work.id AND entry.kind IN ('batch', 'qualification')
            )
        ORDER BY work.submitted_at, work.id
        LIMIT %(most)s),
    made AS (
        INSERT INTO qualification_payentry
            (participant_id, kind, assignment_id, amount, currency, reason, at, active_ms, elapsed_ms)
        SELECT * FROM due
        ON CONFLICT (assignment_id, kind) WHERE kind IN ('batch', 'qualification') DO NOTHING
        RETURNING 1)
    SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM made)
"""


def sweep_pay(*, now: datetime) -> int:
    """Add a line for every finished batch that has none and whose study sets its pay. Return how many were added."""
    return sum(_pay(paying, now) for paying in paying_studies())


def _pay(paying: Paying, now: datetime) -> int:
    looked_at, since = paying.looked_at, None
    # Otherwise all work is looked at: the first time, after a change of terms, and also after the clock was set back,
    # when work finished now would lie before the mark.
    if looked_at and paying.marked_terms == paying.terms and looked_at <= now < looked_at + LOOK_AGAIN:
        since = looked_at - OVERLAP
    with connection.cursor() as cursor:
        cursor.execute(EARNED, {"study": paying.study, "since": since or BEGINNING, "now": now, "most": AT_ONCE})
        n_due, n_made = cursor.fetchone()
    # This tests what was due, not what was made: another sweep may have made the lines and left more.
    if since is None and n_due < AT_ONCE:
        PayMark.objects.bulk_create(
            [PayMark(study_id=paying.study, terms=paying.terms, looked_at=now)],
            update_conflicts=True, unique_fields=["study"], update_fields=["terms", "looked_at"],
        )  # fmt: skip
    return int(n_made)


@transaction.atomic
def give_bonus(participant: Participant, *, amount: Decimal, reason: str, by: User, now: datetime) -> PayEntry:
    """Add a bonus in the study's currency. Raise Refused without one, or for the same line twice within a minute."""
    currency = participant.study.pay_currency
    if not currency:
        raise Refused("no_currency", _("First set the pay currency in the study settings."))
    _lock(participant)
    return _add(participant, Kind.BONUS, amount, currency, reason, by, now)


@transaction.atomic
def correct(
    participant: Participant, *, amount: Decimal, currency: str, reason: str, by: User, now: datetime
) -> PayEntry:
    """Add to what somebody has earned, or take from it with a negative amount.

    Raise Refused for taking more than there is, or for the same line twice within a minute.
    """
    _lock(participant)
    lines = PayEntry.objects.filter(participant=participant, currency=currency)
    has = lines.aggregate(sum=Sum("amount"))["sum"]
    if has is None:
        text = _("%(name)s has earned nothing in %(currency)s.")
        raise Refused("other_currency", text % {"name": participant.pseudonym, "currency": currency})
    if has + amount < 0:
        text = _("%(name)s has earned %(sum)s %(currency)s. You cannot take back more than that.")
        raise Refused("below_zero", text % {"name": participant.pseudonym, "sum": has, "currency": currency})
    return _add(participant, Kind.CORRECTION, amount, currency, reason, by, now)


def _lock(participant: Participant) -> None:
    """Lock the participant, so that two corrections at once cannot together take back more than there is."""
    Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)


def _add(
    participant: Participant, kind: str, amount: Decimal, currency: str, reason: str, by: User, now: datetime
) -> PayEntry:
    same = PayEntry.objects.filter(participant=participant, kind=kind, amount=amount, reason=reason, actor=by)
    if same.filter(at__gt=now - SAME_WITHIN).exists():
        raise Refused("twice", _("The same line was added a moment ago. To add it again, say so in the reason."))
    entry = PayEntry(
        participant=participant, kind=kind, amount=amount, currency=currency, reason=reason, actor=by, at=now
    )
    entry.full_clean()
    entry.save()
    details = {"amount": str(amount), "currency": currency, "reason": reason}
    activity.log(participant.study, by, str(kind), about=participant.pseudonym, details=details, now=now)
    return entry


@transaction.atomic
def mark_paid_out(study: Study, *, up_to: int, n_lines: int, by: User, now: datetime) -> int:
    """Mark as paid the open lines that somebody has seen. Return how many.

    Raise Refused if there are not `n_lines` open lines up to the id `up_to`: the ledger has changed since.
    """
    # This lock ensures that a button pressed twice marks the lines once.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    lines = unpaid_lines(study).filter(pk__lte=up_to)
    found = list(lines.order_by("pk").select_for_update(of=("self",)).values_list("pk", "currency", "amount"))
    if not found:
        return 0
    if len(found) != n_lines:
        raise Refused(
            "other_lines", _("The ledger has changed since you looked at it. Look again, then mark it as paid.")
        )
    sums: dict[str, Decimal] = {}
    for _pk, currency, amount in found:
        sums[currency] = sums.get(currency, Decimal(0)) + amount
    PayEntry.objects.filter(pk__in=[pk for pk, *_rest in found]).update(paid_out_at=now)
    details = {"n": len(found), "sums": {currency: str(amount) for currency, amount in sorted(sums.items())}}
    activity.log(study, by, "paid_out", details=details, now=now)
    return len(found)
