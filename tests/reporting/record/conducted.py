"""A study with everything in its record: recruitment, a qualification, feedback, adjudication, acceptance, pay."""

from datetime import timedelta

from annotation.models import Batch, Dialogue, Participant, Study
from annotation.services.agreement import sweep
from protocols.services import new_draft, publish_version
from qualification.acceptance.services.reviewing import take_second_review
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.checks.services.plans import save_check_plan
from qualification.pay.services.ledger import sweep_pay
from tests.cast import make_cast
from tests.clock import NOW
from tests.factories import AssignmentFactory, MembershipFactory, ParticipantFactory, make_annotator, make_batch
from tests.qualification.acceptance.conftest import AcceptanceStudy
from tests.qualification.acceptance.factories import PlanFactory, make_score_version, review_items
from tests.qualification.adjudication.conftest import AdjudicatedStudy
from tests.qualification.adjudication.factories import AdjudicationPlanFactory
from tests.qualification.pay.factories import PayEntryFactory, PayPlanFactory
from tests.qualification.qualifying.factories import AttemptFactory, QualificationFactory
from tests.qualification.recruitment.factories import DemographicsFactory, EntryFactory, open_for

LABELS = ["0", "0", "1", "1", "2", "2"]


def make_conducted() -> Study:
    # Published by the service: an archive asks for the hash.
    version = publish_version(new_draft(make_score_version(), version_name="2.0", now=NOW), now=NOW)
    cast = make_cast(protocol_version=version, seats=2)
    study, second = cast.study, MembershipFactory(study=cast.study, role="controller", user__username="second").user
    acceptance = AcceptanceStudy(cast, PlanFactory(study=study, kind="fixed", n_sample=6, most_errors=1), second)
    _recruit(acceptance)
    _qualify(study)
    acceptance_batches(acceptance)
    _confirm(acceptance)
    _pay(study)
    for is_on in (True, False, True):
        save_check_plan(study, by=acceptance.cast.researcher, now=NOW, gives_feedback=is_on)
    Dialogue.objects.filter(key__in=("kept-0", "kept-1")).update(purpose=Dialogue.Purpose.CHECK)
    Batch.objects.filter(study=study, kind="main").update(ratings_version=1)  # they were rated in bulk
    sweep(now=NOW)
    return Study.objects.get(pk=study.pk)


def _recruit(acceptance: AcceptanceStudy) -> None:
    study = acceptance.cast.study
    fields = {"locations": ["United Kingdom", "Éire"], "gender": "balanced", "n_wanted": 12, "expertise": "Nurses."}
    open_for(study, **fields, other="Reads <b>daily</b>,\nand =writes")
    for at, person in enumerate([*acceptance.cast.annotators, *(make_annotator(study, f"came-{n}") for n in range(5))]):
        EntryFactory(study=study, participant=person, provider="mturk" if at < 2 else "prolific")
        sex, age = "Female" if at < 5 else "Male" if at < 7 else "<i>", str(20 + 5 * at)
        DemographicsFactory(participant=person, fields={"Sex": sex, "Age": age, "Zodiac": "Löwe"})
    Participant.objects.filter(study=study).exclude(pseudonym="came-4").update(consented_at=NOW, consent_version="1")
    lead = MembershipFactory(study=study, role="lead").user
    ParticipantFactory(study=study, user=lead, status="pending", pseudonym="a-lead")
    ParticipantFactory(study=study, status="pending", pseudonym="who-waits")


def _qualify(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(has_qualification=True)
    study.refresh_from_db()
    QualificationFactory(study=study, is_trained=True, has_comprehension_check=True, most_attempts=2)
    for at in range(3):
        ParticipantFactory(study=study, panel="non_expert", status="pending", pseudonym=f"panel-{at}")
    people = [ParticipantFactory(study=study, status="cleared") for _ in range(4)]
    rule = {"method": "panel_kappa", "scope": "pooled", "threshold_from": "panel", "threshold": None}
    rule |= {"panel_members": "non_expert", "decision": "point", "most_attempts": 1}
    fixed = rule | {"threshold_from": "fixed", "threshold": 0.3}
    batches = [make_batch(study, 1, 0, kind="qualification", key=f"q{at}", position=90 + at) for at in (1, 2)]

    def attempt(at: int, batch: Batch = batches[0], **fields: object) -> None:
        done = AssignmentFactory(batch=batch, participant=people[at], status="submitted", submitted_at=NOW)
        AttemptFactory(participant=people[at], assignment=done, **fields)

    attempt(0, state="passed", value=0.5, threshold=0.2125, rule=rule)
    attempt(1, state="failed", value=0.1, threshold=0.2375, rule=rule)
    overridden = {"overridden_to": "passed", "override_reason": "A bad line.", "overridden_at": NOW}
    attempt(2, state="failed", threshold=0.3, rule=fixed, **overridden)
    attempt(3, state="undecided", threshold=0.3, rule=fixed)
    attempt(3, batches[1], number=2, state="passed", threshold=0.3, rule=fixed)


def acceptance_batches(acceptance: AcceptanceStudy) -> None:
    """One accepted at once and checked twice, and one returned and then accepted."""
    good = acceptance.finish("good", LABELS, active_ms=4000)
    sample = acceptance.review(acceptance.draw(good), LABELS)
    second = take_second_review(sample, user=acceptance.second, now=NOW)
    review_items(second, acceptance.truth_of(good, [*LABELS[:5], "1"]))
    sweep_acceptance(now=NOW)
    again = acceptance.finish("again", LABELS, active_ms=60_000)
    acceptance.review(acceptance.draw(again), LABELS[::-1])
    acceptance.again(again, LABELS)
    acceptance.review(acceptance.draw(again), LABELS)
    sweep_acceptance(now=NOW)


def _confirm(acceptance: AcceptanceStudy) -> None:
    """Two look again at what they see differently: one label is settled, and one waits for a trainer."""
    AdjudicationPlanFactory(study=acceptance.cast.study)
    adjudicated = AdjudicatedStudy(acceptance.cast, acceptance.cast.lead)
    batch = adjudicated.finish(["1", "0", "2"], ["2", "0", "1"], key="kept")
    sweep_disagreements(now=NOW)
    adjudicated.look(batch, 0, {0: "2", 2: "2"})
    adjudicated.look(batch, 1, {0: "2", 2: "1"})
    sweep_disagreements(now=NOW)


def _pay(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(pay_amount="4.67", pay_currency="EUR", platform="Prolific")
    PayPlanFactory(study=study, floor_per_hour="10.00")
    for batch in Batch.objects.filter(study=study, key="good"):
        batch.assignments.update(submitted_at=NOW + timedelta(minutes=40))
    sweep_pay(now=NOW)
    person = study.participants.order_by("pk").first()
    PayEntryFactory(participant=person, amount="1.50", currency="GBP")
    PayEntryFactory(participant=person, amount="-0.25", currency="EUR", kind="correction", reason="Paid twice.")
