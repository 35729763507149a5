"""How people who came by a platform leave again: what has ended their work, or whether they may end it themselves."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
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
    may_finish: bool = False  # there is more to do, and enough is done
    is_looked_at: bool = False  # checks were missed, and a person has to decide first

    @property
    def is_over(self) -> bool:
        return self.entry.state != State.ENTERED

    @property
    def provider(self) -> Provider:
        return PROVIDERS[self.entry.provider]


def ways_of(works: Sequence[StudyWork], now: datetime) -> dict[int, Way]:
    """{participant: way} of those who came by a platform, in at most three queries."""
    mine = {work.participant.pk: work for work in works}
    entries = Entry.objects.filter(participant__in=mine, provider__in=PROVIDERS).select_related("study__recruitment")
    found = {entry.participant_id: entry for entry in entries if entry.participant_id}
    open_ones = [pk for pk, entry in found.items() if entry.state == State.ENTERED]
    handed_in, missed = _handed_in(open_ones), _missed_checks(open_ones)
    return {
        pk: _way(entry, mine[pk], handed_in[pk], missed[pk], now) if pk in open_ones else Way(entry)
        for pk, entry in found.items()
    }


def _way(entry: Entry, work: StudyWork, handed_in: set[str], missed: Container[str], now: datetime) -> Way:
    """Nobody leaves while missed checks wait for the lead: a code says what is not decided yet. To exclude decides."""
    status = work.participant.status
    way = Way(entry, _due(entry, work, handed_in, Flag.State.EXCLUDED in missed, now), Kind.MAIN in handed_in)
    is_open_to_decide = Flag.State.OPEN in missed and status != PersonStatus.EXCLUDED
    # Who has nothing to leave with yet works on, and is told nothing of their checks.
    if is_open_to_decide and (way.due or way.may_finish or status == PersonStatus.PAUSED):
        return Way(entry, is_looked_at=True)
    return way


def way_of(entry: Entry, now: datetime) -> Way:
    works = work_of(entry.participant.user_id, {}, now) if entry.participant else []
    mine = [work for work in works if work.participant.pk == entry.participant_id]
    return ways_of(mine, now).get(entry.participant_id or 0, Way(entry))


def _handed_in(participants: Iterable[int]) -> dict[int, set[str]]:
    """{participant: kinds of the batches they ever handed in}, whatever became of the work afterwards.

    A batch that was returned, or rated before the study moved to another protocol version, was finished all the same.
    """
    done = Assignment.objects.filter(participant__in=participants, submitted_at__isnull=False)
    found: dict[int, set[str]] = defaultdict(set)
    for pk, kind in done.values_list("participant", "batch__kind").distinct():
        found[pk].add(kind)
    return found


def _missed_checks(participants: Iterable[int]) -> dict[int, set[str]]:
    """{participant: states of their flags for missed checks}."""
    found: dict[int, set[str]] = defaultdict(set)
    flags = Flag.objects.filter(participant__in=participants, kind__in=CHECKS)
    for pk, state in flags.values_list("participant", "state"):
        found[pk].add(state)
    return found


def _due(entry: Entry, work: StudyWork, handed_in: set[str], has_missed_checks: bool, now: datetime) -> str:
    """Not qualified and excluded are decided; else it is over when there is nothing left to take."""
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
    """The work a study is made for. Training and qualification only lead there, but for the panel they are the work."""
    return {*OF_PANEL, Kind.MAIN} if participant.panel else {Kind.MAIN}


def _has_timed_out(entry: Entry, work: StudyWork, now: datetime) -> bool:
    """The time of work begun ran out, in a study that has a code for it. Else a seat can be taken again.

    Work that lost its seat early, when the study moved to another version, keeps its time. So does what was handed in.
    """
    begun = work.active
    if begun is None or work.lease or work.is_waiting_for_consent or not entry.study.recruitment.code_timed_out:
        return False
    if begun.submitted_at is not None or now < begun.claimed_at + timedelta(minutes=begun.batch.minutes_at_most):
        return False
    return begun.batch.kind in _wanted_of(work.participant) | kinds_for(work.participant)
