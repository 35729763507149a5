"""How people who came by a platform leave again: what has ended their work, or whether they may end it themselves."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Assignment, Batch, Participant, Study
from annotation.selectors.work import StudyWork, work_of
from qualification.models import Entry, Flag
from qualification.providers import PROVIDERS
from qualification.providers.base import Provider

Standing = Participant.Standing
State = Entry.State
WAITING = (Standing.PENDING, Standing.QUALIFYING, Standing.PAUSED)  # somebody decides what follows
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


def ways_of(works: Sequence[StudyWork]) -> dict[int, Way]:
    """{participant: way} of those who came by a platform, in at most three queries."""
    mine = {work.participant.pk: work for work in works}
    entries = Entry.objects.filter(participant__in=mine, provider__in=PROVIDERS).select_related("study__recruitment")
    found = {entry.participant_id: entry for entry in entries if entry.participant_id}
    open_ones = [pk for pk, entry in found.items() if entry.state == State.ENTERED]
    n_main, missed = _main_batches(open_ones), _missed_checks(open_ones)
    return {
        pk: _way(entry, mine[pk], missed.get(pk, set()), n_main.get(pk, 0)) if pk in open_ones else Way(entry)
        for pk, entry in found.items()
    }


def _way(entry: Entry, work: StudyWork, missed: Container[str], n_main: int) -> Way:
    """Nobody leaves while they are paused for missed checks: a code says what the lead has not decided yet."""
    if work.participant.standing == Standing.PAUSED and Flag.State.OPEN in missed:
        return Way(entry, is_looked_at=True)
    return Way(entry, _due(entry, work, Flag.State.EXCLUDED in missed), n_main > 0)


def way_of(entry: Entry, now: datetime) -> Way:
    works = work_of(entry.participant.user_id, {}, now) if entry.participant else []
    mine = [work for work in works if work.participant.pk == entry.participant_id]
    return ways_of(mine).get(entry.participant_id or 0, Way(entry))


def _main_batches(participants: Iterable[int]) -> dict[int, int]:
    pks = list(participants)
    if not pks:
        return {}
    done = Assignment.objects.filter(participant__in=pks, status=Assignment.Status.SUBMITTED)
    counts: dict[int, int] = {}
    for pk in done.filter(batch__kind=Batch.Kind.MAIN).values_list("participant", flat=True):
        counts[pk] = counts.get(pk, 0) + 1
    return counts


def _missed_checks(participants: Iterable[int]) -> dict[int, set[str]]:
    """{participant: states of their flags for missed checks}."""
    pks = list(participants)
    found: dict[int, set[str]] = defaultdict(set)
    flags = Flag.objects.filter(participant__in=pks, kind__in=CHECKS) if pks else Flag.objects.none()
    for pk, state in flags.values_list("participant", "state"):
        found[pk].add(state)
    return found


def _due(entry: Entry, work: StudyWork, has_missed_checks: bool) -> str:
    """Not qualified and excluded are decided; else it is over when there is nothing left to take."""
    standing, is_open = work.participant.standing, work.study.status == Study.Status.OPEN
    if standing == Standing.EXCLUDED:
        return State.FAILED_ATTENTION if has_missed_checks else State.SCREENED_OUT
    if standing == Standing.FAILED:
        return State.SCREENED_OUT
    if is_open and _has_timed_out(entry, work):
        return State.TIMED_OUT
    if is_open and (standing in WAITING or work.is_waiting_for_consent or work.progress or work.next_batch):
        return ""
    return State.DONE if work.n_submitted else State.SCREENED_OUT


def _has_timed_out(entry: Entry, work: StudyWork) -> bool:
    """The time of the first batch ran out, in a study that has a code for it. Else a seat can be taken again."""
    is_lapsed = work.active is not None and not work.lease and not work.is_waiting_for_consent
    return is_lapsed and not work.n_submitted and bool(entry.study.recruitment.code_timed_out)
