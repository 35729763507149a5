"""Find how people from a platform can leave: what has ended their work, or whether they may end it themselves."""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.models import Assignment, Batch, Participant, Study
from annotation.selectors.claims import OF_PANEL, kinds_for
from annotation.selectors.work import StudyWork, work_of
from qualification.models import Entry, Flag
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.platforms.base import Provider

Kind = Batch.Kind
PersonStatus = Participant.Status
State = Entry.State
WAITING = (PersonStatus.PENDING, PersonStatus.QUALIFYING, PersonStatus.PAUSED)  # somebody decides what follows
CHECKS = (Flag.Kind.ATTENTION, Flag.Kind.GOLD)


@dataclass(frozen=True, slots=True)
class Way:
    entry: Entry
    due: str = ""  # the state in which the work has ended, if it has
    may_finish: bool = False  # they have done enough, although there is more to do
    is_looked_at: bool = False  # checks were missed, and a person has to decide first

    @property
    def is_over(self) -> bool:
        return self.entry.state != State.ENTERED

    @property
    def provider(self) -> Provider:
        return PROVIDERS[self.entry.provider]


def ways_of(works: Sequence[StudyWork], now: datetime) -> dict[int, Way]:
    """Return {participant: way} of those who came through a platform, in at most three queries."""
    mine = {work.participant.pk: work for work in works}
    entries = Entry.objects.filter(participant__in=mine, provider__in=PROVIDERS).select_related("study__recruitment")
    found = {entry.participant_id: entry for entry in entries if entry.participant_id}
    open_ones = [pk for pk, entry in found.items() if entry.state == State.ENTERED]
    # The kinds of batches they ever submitted, whatever became of the work: a batch that was returned, or rated before
    # the study moved to another version of its protocol, counts as finished.
    handed_in: dict[int, set[str]] = defaultdict(set)
    done = Assignment.objects.filter(participant__in=open_ones, submitted_at__isnull=False)
    for pk, kind in done.values_list("participant", "batch__kind").distinct():
        handed_in[pk].add(kind)
    missed: dict[int, set[str]] = defaultdict(set)  # the states of their flags for missed checks
    flags = Flag.objects.filter(participant__in=open_ones, kind__in=CHECKS)
    for pk, state in flags.values_list("participant", "state"):
        missed[pk].add(state)
    return {
        pk: _way(entry, mine[pk], handed_in[pk], missed[pk], now) if pk in open_ones else Way(entry)
        for pk, entry in found.items()
    }


def _way(entry: Entry, work: StudyWork, handed_in: set[str], missed: Container[str], now: datetime) -> Way:
    """Return one person's way out.

    Nobody leaves while missed checks wait for a lead: a code would state what is not decided yet. Exclusion decides it.
    """
    status = work.participant.status
    way = Way(entry, _due(entry, work, handed_in, Flag.State.EXCLUDED in missed, now), Kind.MAIN in handed_in)
    is_open_to_decide = Flag.State.OPEN in missed and status != PersonStatus.EXCLUDED
    # Anyone who cannot leave yet continues to work, and is told nothing about their checks.
    if is_open_to_decide and (way.due or way.may_finish or status == PersonStatus.PAUSED):
        return Way(entry, is_looked_at=True)
    return way


def way_of(entry: Entry, now: datetime) -> Way:
    works = work_of(entry.participant.user_id, {}, now) if entry.participant else []
    mine = [work for work in works if work.participant.pk == entry.participant_id]
    return ways_of(mine, now).get(entry.participant_id or 0, Way(entry))


def _due(entry: Entry, work: StudyWork, handed_in: set[str], has_missed_checks: bool, now: datetime) -> str:
    """Return the state in which the work has ended, or an empty text if it has not.

    Exclusion and a failed qualification end it. Otherwise it ends when time ran out or nothing is left to take.
    """
    status, is_open = work.participant.status, work.study.status == Study.Status.OPEN
    if status == PersonStatus.EXCLUDED:
        return State.FAILED_ATTENTION if has_missed_checks else State.SCREENED_OUT
    if status == PersonStatus.FAILED:
        return State.SCREENED_OUT
    has_worked = bool(handed_in & _wanted_of(work.participant))
    if is_open and not has_worked and _has_timed_out(entry, work, now):
        return State.TIMED_OUT
    if is_open and (status in WAITING or work.is_waiting_for_consent or work.progress or work.next_batch):
        return ""
    return State.DONE if has_worked else State.SCREENED_OUT


def _wanted_of(participant: Participant) -> set[str]:
    """Return the kinds of work a study is made for: main batches, and for the panel also its own kinds of batches."""
    return {*OF_PANEL, Kind.MAIN} if participant.panel else {Kind.MAIN}


def _has_timed_out(entry: Entry, work: StudyWork, now: datetime) -> bool:
    """Return whether the time of begun work ran out, if the study has a code for it; without one, work can continue.

    Work that lost its seat early, because the study moved to another version, keeps its time. Submitted work never
    times out.
    """
    begun = work.active
    if begun is None or work.lease or work.is_waiting_for_consent or not entry.study.recruitment.code_timed_out:
        return False
    if begun.submitted_at is not None or now < begun.claimed_at + timedelta(minutes=begun.batch.minutes_at_most):
        return False
    return begun.batch.kind in _wanted_of(work.participant) | kinds_for(work.participant)
