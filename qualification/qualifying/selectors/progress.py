"""Find an annotator's progress through the qualification. The list of work shows it, and claims depend on it.

The number of queries grows neither with the participants nor with their work.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import Assignment, Batch, Participant
from qualification.models import Attempt, ComprehensionQuestion, ComprehensionTry, PayPlan, Qualification

Kind = Batch.Kind
PersonStatus = Participant.Status
COMPREHENSION, TRAINING, QUALIFICATION, RESULT = "comprehension", "training", "qualification", "result"
DECIDING, ASKED, WAITING, PASSED, FAILED = "deciding", "asked", "waiting", "passed", "failed"
ON_THE_WAY = (PersonStatus.QUALIFYING, PersonStatus.FAILED, PersonStatus.CLEARED)
# In these stages the next step is not a batch, so none is offered.
BLOCKING = frozenset({COMPREHENSION, DECIDING, ASKED, WAITING, FAILED})


@dataclass(frozen=True, slots=True)
class QualificationStep:
    name: str
    is_done: bool
    is_now: bool


@dataclass(frozen=True, slots=True)
class QualificationState:
    """Hold what is next for one candidate. `text` is the study's own message about a result."""

    stage: str
    steps: tuple[QualificationStep, ...] = ()
    text: str = ""
    amount: Decimal | None = None
    currency: str = ""
    is_again: bool = False  # the last attempt decided nothing, and there is another batch
    tries_left: int = 0
    is_trained: bool = False

    @property
    def is_blocking(self) -> bool:
        return self.stage in BLOCKING


@dataclass(slots=True)
class Facts:
    """Hold what is known of one candidate, read for all of them at once."""

    qualification: Qualification
    status: str  # as it was read with the participant
    n_questions: int = 0
    n_tries: int = 0
    has_understood: bool = False
    n_more: int = 0  # attempts that a lead has given beyond those of the rule
    states: list[str] = field(default_factory=list)
    n_begun_main: int = 0
    done: set[tuple[int, int]] = field(default_factory=set)  # (batch, round)
    open: dict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))

    @property
    def must_check(self) -> bool:
        """Return whether questions come next. With no tries left, only a lead can have let them continue."""
        return self.tries_left > 0 and not self.has_understood

    @property
    def tries_left(self) -> int:
        is_asked = self.qualification.has_comprehension_check and self.n_questions > 0
        return max(self.qualification.most_check_tries - self.n_tries, 0) if is_asked else 0

    def left(self, kind: str) -> set[tuple[int, int]]:
        return self.open[kind] - self.done

    @property
    def n_finished(self) -> int:
        return len(self.states)

    @property
    def is_used_up(self) -> bool:
        return self.n_finished >= self.qualification.most_attempts + self.n_more


def qualification_states(participants: Iterable[Participant]) -> dict[int, QualificationState]:
    """Return states by participant, for those who need to qualify. Participants need their study loaded."""
    asked = [each for each in participants if each.study.has_qualification and not each.panel]
    candidates = [each for each in asked if each.status in ON_THE_WAY]
    if not candidates:
        return {}
    facts = facts_of(candidates)
    plans = PayPlan.objects.filter(study__in={each.study_id for each in candidates})
    amounts = dict(plans.values_list("study", "qualification_amount"))
    found = {}
    for each in candidates:
        stage = stage_of(each, facts[each.pk])
        if stage:
            found[each.pk] = _state(each, stage, facts[each.pk], amounts.get(each.study_id))
    return found


def stage_of(participant: Participant, facts: Facts) -> str:
    """Return what comes next; empty if nothing of the qualification is left."""
    is_passed = participant.status == PersonStatus.CLEARED
    is_left = bool(facts.left(Kind.QUALIFICATION))
    stages = {
        FAILED: participant.status == PersonStatus.FAILED,
        PASSED: is_passed and facts.n_finished > 0 and facts.n_begun_main == 0,
        "": is_passed,
        COMPREHENSION: facts.must_check,
        DECIDING: Attempt.State.PENDING in facts.states,
        TRAINING: bool(facts.left(Kind.TRAINING)),
        ASKED: facts.n_finished > 0 and (facts.is_used_up or not is_left),
        QUALIFICATION: is_left,
    }
    return next((stage for stage, is_it in stages.items() if is_it), WAITING)


def _state(participant: Participant, stage: str, facts: Facts, amount: Decimal | None) -> QualificationState:
    study, qualification = participant.study, facts.qualification
    return QualificationState(
        stage=stage,
        steps=tuple(_steps(stage, facts)),
        text={PASSED: qualification.passed_text, FAILED: qualification.failed_text}.get(stage, ""),
        amount=amount if facts.n_finished or stage != FAILED else None,  # the questions alone are not paid
        currency=study.pay_currency,
        is_again=stage == QUALIFICATION and facts.n_finished > 0,
        tries_left=facts.tries_left,
        is_trained=qualification.is_trained,
    )


def _steps(stage: str, facts: Facts) -> Iterable[QualificationStep]:
    """Yield the steps of this qualification in their order. The one after the last finished step is the present one."""
    names = [QUALIFICATION, RESULT]
    if facts.open[Kind.TRAINING]:
        names.insert(0, TRAINING)
    if facts.qualification.has_comprehension_check and facts.n_questions:
        names.insert(0, COMPREHENSION)
    now = {DECIDING: RESULT, ASKED: RESULT, WAITING: QUALIFICATION}.get(stage, stage)
    place = names.index(now) if now in names else len(names)
    for at, name in enumerate(names):
        yield QualificationStep(name, at < place, at == place)


# --- facts -----------------------------------------------------------------------------------------


def facts_of(participants: list[Participant]) -> dict[int, Facts]:
    studies = {each.study_id for each in participants}
    qualifications = {each.study_id: each for each in Qualification.objects.filter(study__in=studies)}
    asked = ComprehensionQuestion.objects.filter(qualification__study__in=studies).order_by()
    n_questions = dict(asked.values_list("qualification__study").annotate(n=Count("pk")))
    facts = {
        each.pk: Facts(
            qualifications.get(each.study_id) or Qualification(study=each.study),
            each.status,
            n_questions.get(each.study_id, 0),
        )
        for each in participants
    }
    tries = ComprehensionTry.objects.filter(participant__in=facts)
    for participant, is_passed in tries.values_list("participant", "is_passed"):
        facts[participant].n_tries += 1
        facts[participant].has_understood |= is_passed
    _add_work(facts)
    _add_batches(participants, facts)
    return facts


def _add_work(facts: dict[int, Facts]) -> None:
    """Add finished work. Qualification work without an attempt counts as being decided.

    So does work that was decided after its participants were read: beside their old status, the result would look
    like one that is left to the team, and a page that says so does not refresh.
    """
    kinds = (Kind.TRAINING, Kind.QUALIFICATION)
    done = Assignment.objects.filter(participant__in=facts, batch__kind__in=kinds, status="submitted")
    state = ("attempt__state", "attempt__overridden_to", "participant__status")
    for participant, kind, batch, round_, decided, overridden, status in done.values_list(
        "participant", "batch__kind", "batch", "round", *state
    ):
        own = facts[participant]
        own.done.add((batch, round_))
        if kind == Kind.QUALIFICATION:
            found = overridden or decided or Attempt.State.PENDING
            own.states.append(found if status == own.status else Attempt.State.PENDING)
            own.n_more += overridden == Attempt.State.UNDECIDED
    begun = Assignment.objects.filter(participant__in=facts, batch__kind=Kind.MAIN).order_by()
    for participant, n in begun.values_list("participant").annotate(n=Count("pk")):
        facts[participant].n_begun_main = n


def _add_batches(participants: list[Participant], facts: dict[int, Facts]) -> None:
    """Add the batches that are open to them, finished or not."""
    rows = Batch.objects.filter(
        study__in={each.study_id for each in participants},
        kind__in=(Kind.TRAINING, Kind.QUALIFICATION),
        status=Batch.Status.OPEN,
        reserved_for=None,
    )
    found = list(rows.values_list("study", "pk", "round", "kind", "group"))
    for each in participants:
        for study, batch, round_, kind, group in found:
            if study == each.study_id and group in (None, each.group_id):
                facts[each.pk].open[kind].add((batch, round_))


# --- what waits for a person -----------------------------------------------------------------------
def asks_a_lead() -> Q:
    """Match participants whose last attempt decided nothing and was not overridden by a lead."""
    later = Attempt.objects.filter(participant=OuterRef("participant"), number__gt=OuterRef("number"))
    undecided = Attempt.objects.filter(participant=OuterRef("pk"), state=Attempt.State.UNDECIDED, overridden_to="")
    return Q(Exists(undecided.filter(~Exists(later))), status=PersonStatus.QUALIFYING)
