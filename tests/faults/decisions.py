"""Every decision just before it can be made: the last piece of work it waits for is rated, and not submitted yet."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils import timezone

from annotation.models import ActivityLog, Assignment, Batch, Participant, StatusChange, Study
from annotation.services import agreement
from annotation.services.claiming import claim_seat, submit_assignment
from qualification import tasks
from qualification.acceptance.services.reviewing import take_sample
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.checks.services.inserting import insert_checks
from qualification.checks.services.signals import sweep_signals
from qualification.models import (
    Attempt,
    Comparison,
    Disagreement,
    Flag,
    PayEntry,
    ReRating,
    Review,
    Sample,
    SampledItem,
)
from qualification.pay.services.ledger import sweep_pay
from qualification.qualifying.services.results import sweep_attempts
from tests.factories import MembershipFactory, StudyFactory, make_annotator, make_batch
from tests.qualification.acceptance.factories import PlanFactory, make_dialogue_batch, make_score_version
from tests.qualification.adjudication.factories import AdjudicationPlanFactory
from tests.qualification.checks.factories import CheckPlanFactory, make_checks
from tests.qualification.qualifying.factories import like, make_candidate, make_qualifying_study, rate
from tests.working import rate_everything

N_DIALOGUES = 4


@dataclass(frozen=True)
class Decision:
    """`decides`: everything that is in the study afterwards and was not before. `held`: the table that the decision
    writes to, or locks a row of, as the last thing: who holds it stops the decision in the middle."""

    name: str
    task: str
    sweep: Callable[..., object]
    stage: Callable[[], Assignment]
    decides: dict[str, int]
    held: str = "annotation_activitylog"

    def __str__(self) -> str:
        return self.name


def finish(work: Assignment, *, now: datetime) -> None:
    submit_assignment(work, feedback="", now=now)
    agreement.sweep(now=now)  # signals are read from the figures


def stored(study: Study) -> Counter[str]:
    """What a decision can leave behind, in words, with how often it is there."""
    of_item = {"item__batch__study": study}
    found = (
        ("log", ActivityLog.objects.filter(study=study).values_list("verb")),
        ("status", StatusChange.objects.filter(participant__study=study).values_list("after")),
        ("work", Assignment.objects.filter(batch__study=study).values_list("batch__kind", "status")),
        ("batch", Batch.objects.filter(study=study).values_list("kind", "round", "status")),
        ("attempt", Attempt.objects.filter(participant__study=study).values_list("state")),
        ("sample", Sample.objects.filter(batch__study=study).values_list("state", "decision")),
        ("sampled item", SampledItem.objects.filter(sample__batch__study=study).values_list("controller_label__label")),
        ("review counted", Review.objects.filter(batch__study=study, counted_at__isnull=False).values_list("number")),
        ("comparison", Comparison.objects.filter(batch__study=study).values_list("round", "n_labels")),
        ("disagreement", Disagreement.objects.filter(**of_item).values_list("state", "how")),
        (
            "re-rating",
            ReRating.objects.filter(comparison__batch__study=study).values_list("private_batch__n_items"),
        ),
        ("pay", PayEntry.objects.filter(participant__study=study).values_list("kind", "amount")),
        ("flag", Flag.objects.filter(participant__study=study).values_list("kind", "state")),
    )
    return Counter(" ".join([name, *map(str, filter(None, row))]) for name, rows in found for row in rows)


def decided(study: Study, before: Counter[str]) -> dict[str, int]:
    return dict(stored(study) - before)


# --- staging -----------------------------------------------------------------------------------------
def _work(person: Participant, batch: Batch, option: int) -> Assignment:
    """All answers given, each the same place of option."""
    work = claim_seat(person, batch, now=timezone.now())
    rate_everything(work, now=timezone.now(), option=option)
    return work


def _scored(name: str, **fields: object) -> tuple[Study, list[Participant]]:
    """Two annotators who give dialogues a score."""
    study = StudyFactory(slug=name, seats=2, protocol_version=make_score_version(), **fields)
    return study, [make_annotator(study, f"{name}-{number}") for number in (1, 2)]


def _rated_by_two(name: str, options: tuple[int, int]) -> Assignment:
    """Of the second; the first has submitted."""
    study, people = _scored(name)
    batch = make_dialogue_batch(study, "a", N_DIALOGUES)
    first, second = (_work(person, batch, option) for person, option in zip(people, options, strict=True))
    finish(first, now=timezone.now())
    return second


def _candidate() -> Assignment:
    study, batch = make_qualifying_study(2, 2)
    work = claim_seat(make_candidate(study), batch, now=timezone.now())
    rate(work, like(0))
    return work


def _sample(name: str = "drawing") -> Assignment:
    work = _rated_by_two(name, (0, 0))
    PlanFactory(study=work.batch.study, kind="fixed", n_sample=N_DIALOGUES, most_errors=0)
    return work


def _review() -> Assignment:
    """A controller who finds every label wrong."""
    work = _sample("acceptance")
    finish(work, now=timezone.now())
    sweep_acceptance(now=timezone.now())
    controller = MembershipFactory(study=work.batch.study, role="controller", user__username="checks").user
    review = take_sample(Sample.objects.get(batch=work.batch), user=controller, now=timezone.now())
    return _work(review.participant, review.batch, 1)


def _pair(name: str = "comparing") -> Assignment:
    work = _rated_by_two(name, (0, 1))
    AdjudicationPlanFactory(study=work.batch.study)
    return work


def _re_ratings() -> Assignment:
    """Both see it alike now."""
    finish(_pair("looking"), now=timezone.now())
    sweep_disagreements(now=timezone.now())
    looks = ReRating.objects.filter(private_batch__study__slug="looking").order_by("pk")
    first, second = (_work(look.participant, look.private_batch, 0) for look in looks)
    finish(first, now=timezone.now())
    return second


def _paid_batch() -> Assignment:
    study, people = _scored("paying", pay_amount=Decimal("4.67"), pay_currency="GBP")
    return _work(people[0], make_dialogue_batch(study, "a", N_DIALOGUES), 0)


def _missed_check() -> Assignment:
    """Somebody who gives the first answer everywhere, also where the text asks for the second."""
    study = StudyFactory(slug="flagging")
    batch = make_batch(study, 2, 1)
    CheckPlanFactory(study=study, attention_percent=50, most_attention_missed=0, pauses_automatically=True)
    make_checks(study, 1, kind="attention", option=1)
    insert_checks(study, by=None, now=timezone.now())
    return _work(make_annotator(study, "flagging-1"), batch, 0)


DECISIONS = (
    Decision(
        "qualification", tasks.sweep_attempts.name, sweep_attempts, _candidate,
        {"attempt passed": 1, "status cleared": 1, "log qualification_result": 1, "log status": 1},
    ),
    Decision(
        "drawing", tasks.sweep_acceptance.name, sweep_acceptance, _sample,
        {"sample waiting": 1, "sampled item": N_DIALOGUES, "log sample_drawn": 1},
    ),
    Decision(
        "acceptance", tasks.sweep_acceptance.name, sweep_acceptance, _review,
        {"sample decided return": 1, "review counted 1": 1, "sampled item Score 1": N_DIALOGUES, "batch main 2 open": 1,
         "work main superseded": 2, "log acceptance_decided": 1, "log next_round": 1},
    ),
    Decision(
        "comparing", tasks.sweep_disagreements.name, sweep_disagreements, _pair,
        {f"comparison 1 {N_DIALOGUES}": 1, "disagreement re_rating": N_DIALOGUES, f"re-rating {N_DIALOGUES}": 2,
         "batch re_rating 1 open": 2, "log compared": 1},
    ),
    Decision(
        "looking", tasks.sweep_disagreements.name, sweep_disagreements, _re_ratings,
        {"disagreement settled re_rating": N_DIALOGUES, "batch re_rating 1 closed": 2, "log re_rating": 1},
    ),
    Decision(
        "paying", tasks.sweep_pay.name, sweep_pay, _paid_batch, {"pay batch 4.67": 1}, held="annotation_assignment",
    ),
    Decision(
        "flagging", tasks.sweep_signals.name, sweep_signals, _missed_check,
        {"flag attention open": 1, "status paused": 1, "log flag_raised": 1, "log status": 1},
    ),
)  # fmt: skip
