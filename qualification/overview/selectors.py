"""Summarise the parts of quality control: what is on, how much there is, what waits for a person."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.access import Right
from annotation.models import ActivityLog, Batch, Participant, Study
from qualification.adjudication.selectors.disagreements import disagreements_of
from qualification.flagged_items.selectors import flagged_items, flags_in
from qualification.models import (
    AcceptancePlan,
    AdjudicationPlan,
    Case,
    CheckPlan,
    Disagreement,
    Entry,
    Flag,
    KnownAnswer,
    PayEntry,
    Recruitment,
    Sample,
)
from qualification.qualifying.selectors.candidates import qualification_counts


@dataclass(frozen=True, slots=True)
class RoomCard:
    """`route` names the page; `right` is needed to open it. `is_on` is None if there is nothing to switch on."""

    route: str
    right: str
    title: str
    what: str
    is_on: bool | None
    facts: tuple[str, ...]
    n_waiting: int = 0
    waiting: str = ""
    action: str = ""  # names what to do about it; if empty, it is to decide


def parts_of(study: Study) -> list[RoomCard]:
    """Return all parts, each in a fixed number of queries."""
    return [part(study) for part in PARTS]


def _facts(*facts: str) -> tuple[str, ...]:
    return tuple(fact for fact in facts if fact)


def _recruitment(study: Study) -> RoomCard:
    recruitment = Recruitment.objects.filter(study=study).first()
    n = Entry.objects.filter(study=study).count()
    wanted = recruitment.n_wanted if recruitment else None
    return RoomCard(
        "recruitment", Right.CONFIGURE, _("Recruitment"), _("Who the study recruits, and from which platform."),
        bool(recruitment and recruitment.is_open),
        _facts(
            ngettext("%(n)s person joined through a platform", "%(n)s people joined through a platform", n) % {"n": n},
            _("%(n)s wanted") % {"n": wanted} if wanted else "",
        ),
    )  # fmt: skip


def _pilot(study: Study) -> RoomCard:
    n = study.batches.filter(kind=Batch.Kind.PILOT).count()
    members = Participant.objects.filter(study=study).aggregate(
        experts=Count("pk", filter=Q(panel=Participant.Panel.EXPERT)),
        others=Count("pk", filter=Q(panel=Participant.Panel.NON_EXPERT)),
    )
    return RoomCard(
        "pilot", Right.CLEAR, pgettext("a stage of a study", "Pilot"),
        _("The panel rates first. This gives time, difficulty and a threshold for everyone else."), None,
        _facts(
            ngettext("%(n)s pilot batch", "%(n)s pilot batches", n) % {"n": n},
            _("Panel: experts %(experts)s, non-experts %(others)s") % members,
        ),
    )  # fmt: skip


def _qualification(study: Study) -> RoomCard:
    counts = qualification_counts(study)
    waiting = ngettext(
        "%(n)s candidate is waiting for your decision", "%(n)s candidates are waiting for your decision", counts.n_asked
    )
    return RoomCard(
        "qualification", Right.CLEAR, _("Qualification"), _("A rule decides who may rate the main batches."),
        study.has_qualification,
        _facts(
            _("%(n)s qualifying") % {"n": counts.n_qualifying},
            _("%(passed)s of %(all)s attempts passed") % {"passed": counts.n_passed, "all": counts.n_attempts},
            _("%(n)s being decided") % {"n": counts.n_pending} if counts.n_pending else "",
        ),
        counts.n_asked, waiting % {"n": counts.n_asked},
    )  # fmt: skip


def _checks(study: Study) -> RoomCard:
    is_on = CheckPlan.objects.filter(study=study).exists()
    n_known = KnownAnswer.objects.filter(study=study, is_active=True).exclude(kind=KnownAnswer.Kind.TRAINING).count()
    n_open = Flag.objects.filter(participant__study=study, state=Flag.State.OPEN).count()
    return RoomCard(
        "checks", Right.CLEAR, _("Checks"),
        _("Known answers among the items, and signals that someone's work needs attention."),
        is_on, _facts(ngettext("%(n)s known answer", "%(n)s known answers", n_known) % {"n": n_known}),
        n_open, ngettext("%(n)s open flag", "%(n)s open flags", n_open) % {"n": n_open},
    )  # fmt: skip


def _acceptance(study: Study) -> RoomCard:
    is_on = AcceptancePlan.objects.filter(study=study, is_on=True).exists()
    is_decided = Q(state=Sample.State.DECIDED)
    counts = (
        Sample.objects.filter(batch__study=study)
        .exclude(state=Sample.State.VOID)
        .aggregate(
            n_all=Count("pk"),
            n_checked=Count("pk", filter=is_decided & Q(carried_out_at=None)),
            n_unchecked=Count("pk", filter=~is_decided),
        )
    )
    n_all, n_waiting = counts["n_all"], counts["n_checked"] + counts["n_unchecked"]
    return RoomCard(
        "acceptance", Right.WATCH, _("Batch acceptance"),
        _("Samples of finished batches, which decide whether a batch is accepted."),
        is_on, _facts(ngettext("%(n)s sample drawn", "%(n)s samples drawn", n_all) % {"n": n_all}),
        n_waiting, ngettext("%(n)s sample is open", "%(n)s samples are open", n_waiting) % {"n": n_waiting},
        "" if counts["n_checked"] else _("Review a sample"),
    )  # fmt: skip


def _adjudication(study: Study) -> RoomCard:
    is_on = AdjudicationPlan.objects.filter(study=study, is_on=True).exists()
    n_cases = Case.objects.filter(study=study, is_active=True).count()
    n_open = disagreements_of(study).filter(state=Disagreement.State.ADJUDICATION).count()
    return RoomCard(
        "adjudication", Right.TEACH, _("Adjudication"),
        _("Disagreements, how they were settled, and cases everyone can learn from."),
        is_on, _facts(ngettext("%(n)s case", "%(n)s cases", n_cases) % {"n": n_cases}),
        n_open,
        ngettext(
            "%(n)s disagreement is waiting for a trainer", "%(n)s disagreements are waiting for a trainer", n_open
        ) % {"n": n_open},
        _("Settle it"),
    )  # fmt: skip


def _pay(study: Study) -> RoomCard:
    entries = PayEntry.objects.filter(participant__study=study)
    n = entries.filter(paid_out_at=None).count()
    text = ngettext("%(n)s amount not paid out yet", "%(n)s amounts not paid out yet", n)
    return RoomCard(
        "pay", Right.CONFIGURE, _("Pay"), _("What each person has earned, to the cent."), None, _facts(text % {"n": n})
    )


def _activity(study: Study) -> RoomCard:
    n = ActivityLog.objects.filter(study=study).count()
    return RoomCard(
        "activity", Right.MEMBERS, _("Activity log"), _("Who decided what, and when."), None,
        _facts(ngettext("%(n)s line", "%(n)s lines", n) % {"n": n}),
    )  # fmt: skip


def _flagged_items(study: Study) -> RoomCard:
    n_flags, n_waiting = flags_in(study).count(), flagged_items(study, is_open=True).count()
    waiting = ngettext("%(n)s flagged item to settle", "%(n)s flagged items to settle", n_waiting)
    return RoomCard(
        "flagged_items", Right.READ, _("Flagged items"), _("What annotators say is wrong with an item."), None,
        _facts(ngettext("%(n)s flag", "%(n)s flags", n_flags) % {"n": n_flags}),
        n_waiting, waiting % {"n": n_waiting}, _("Look at them"),
    )  # fmt: skip


PARTS = (_recruitment, _pilot, _qualification, _checks, _flagged_items, _acceptance, _adjudication, _pay, _activity)


def what_waits(study: Study) -> list[RoomCard]:
    """Return the parts that are on and wait for a person. If none is on, this takes one query."""
    plans = Study.objects.values_list("check_plan", "acceptance_plan__is_on", "adjudication_plan__is_on")
    are_on = (study.has_qualification, *plans.get(pk=study.pk))
    parts = zip((_qualification, _checks, _acceptance, _adjudication), are_on, strict=True)
    return [found for part, is_on in parts if is_on and (found := part(study)).n_waiting]
