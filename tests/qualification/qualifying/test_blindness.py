"""What a candidate gets holds no panel answer, no known answer before its time, and no figure of anybody."""

import pytest
from django.urls import get_resolver
from django.utils import timezone

from annotation.models import Assignment, Dialogue, Participant
from qualification.models import Attempt, KnownAnswer
from qualification.qualifying.services.comprehension import asked_of
from qualification.qualifying.services.results import sweep_attempts
from qualification.qualifying.services.training import make_training
from tests.annotation.test_blindness import Session, addresses
from tests.cast import Cast, make_cast
from tests.factories import UserFactory, make_batch
from tests.factories_protocols import ExampleFactory, make_he_version
from tests.qualification.qualifying.factories import (
    QualificationFactory,
    QuestionFactory,
    finish,
    like,
    make_candidate,
    make_panel,
    mostly,
)

pytestmark = pytest.mark.django_db
WHY = "zzlesson"  # the words of the examples themselves stand in the guidelines


@pytest.fixture
def cast(monkeypatch) -> Cast:
    monkeypatch.setattr("tests.factories_protocols.publish", lambda version: version)
    version = make_he_version()
    ExampleFactory(
        criterion=version.criteria.first(),
        candidates=[{"text": "Well, thank you.", "option": "appropriate", "why": "It answers."}],
    )
    cast = make_cast(protocol_version=version, has_qualification=True)
    QualificationFactory(study=cast.study, is_trained=True, has_comprehension_check=True)
    QuestionFactory(qualification=cast.study.qualification, right=1, why="zzwhy of the question")
    make_training(cast.study, by=cast.researcher, now=timezone.now())
    KnownAnswer.objects.update(explanation=WHY)
    batch = make_batch(cast.study, position=3, kind="qualification", key="q")
    make_panel(cast.study, batch, [like(0), mostly(like(0), 3)])
    return cast


def texts(session: Session) -> str:
    return "\n".join(text for _, text in session.received)


def test_the_whole_way_of_a_candidate_tells_nothing_of_others(cast: Cast):
    candidate, rival = make_candidate(cast.study), make_candidate(cast.study, "zzrival")
    Attempt.objects.create(
        participant=rival, assignment=Assignment.objects.create(
            batch=make_batch(cast.study, position=9, key="old", kind="qualification", status="closed"),
            participant=rival, claimed_at=timezone.now(),
        ),
        number=1, state="failed", value=0.123987, threshold=0.456123, submitted_at=timezone.now(),
        decided_at=timezone.now(), override_reason="zzreason", overridden_to="passed",
    )  # fmt: skip
    session = Session(cast)
    session.client.force_login(candidate.user)
    slug = cast.study.slug
    session.crawl("/work/", f"/work/qualification/{slug}/", f"/work/qualification/{slug}/questions/")
    assert WHY not in texts(session)
    assert "zzwhy" not in texts(session)  # the explanation comes after the answer
    for data in ({}, {f"question-{each.pk}": 0 for each in asked_of(candidate)}):
        session.post(f"/work/qualification/{slug}/questions/", data)
    Participant.objects.filter(pk=candidate.pk).update(status="qualifying")
    cast.study.qualification.questions.all().delete()
    candidate.refresh_from_db()
    training = cast.study.batches.get(kind="training")
    finish(candidate, training, like(0))
    batch = cast.study.batches.get(key="q")
    session.post(f"/work/claim/{batch.token}/", {})
    assignment = Assignment.objects.get(participant=candidate, batch=batch)
    session.crawl(f"/work/{assignment.token}/", f"/work/{assignment.token}/0/", "/work/")
    Assignment.objects.filter(pk=assignment.pk).update(status="submitted", submitted_at=timezone.now())
    session.crawl("/work/", f"/work/{assignment.token}/thanks/", f"/work/qualification/{slug}/")
    sweep_attempts(now=timezone.now())
    session.crawl("/work/", f"/work/qualification/{slug}/")
    mine = candidate.attempts.get()
    panel = list(cast.study.participants.exclude(panel="").values_list("pseudonym", flat=True))
    hidden = [*panel, rival.pseudonym, "zzreason", "0.124", "0.456", "0.123987", "kappa", "gold"]
    hidden += [f"{value:.3f}" for value in (mine.value, mine.threshold) if value is not None]
    assert len(session.received) > 12
    assert [word for word in hidden if word in texts(session)] == []


def test_no_address_tells_a_candidate_a_known_answer_or_a_result_of_others(cast: Cast):
    candidate = make_candidate(cast.study)
    dialogue = Dialogue.objects.filter(study=cast.study).first()
    KnownAnswer.objects.create(
        study=cast.study, kind="gold", dialogue=dialogue, criterion=cast.study.protocol_version.criteria.first(),
        unit="dialogue", options=[987654321], explanation="zzgold", created_at=timezone.now(),
    )  # fmt: skip
    session = Session(cast)
    session.client.force_login(candidate.user)
    for url in sorted(set(addresses(get_resolver(), cast))):
        if "/finish/" not in url:
            session.get(url)
    assert [word for word in ("zzgold", "987654321", WHY, "zzwhy") if word in texts(session)] == []


def test_the_right_option_cannot_be_read_from_the_page(cast: Cast):
    """Candidates get other places for it, and the page marks none."""
    seen: set[bool] = set()
    for at in range(60):  # all alike by chance once in 10**17
        seen.add(_reads_right_first(cast, at))
        if len(seen) == 2:
            return
    pytest.fail("60 candidates got the same order")


def _reads_right_first(cast: Cast, at: int) -> bool:
    session = Session(cast)
    session.client.force_login(make_candidate(cast.study, f"c-{at}").user)
    page = session.get(f"/work/qualification/{cast.study.slug}/questions/")
    assert "checked" not in page
    return page.index("The dialogue") < page.index("The response")


def test_somebody_elses_training_answer_is_not_explained(cast: Cast):
    training = cast.study.batches.get(kind="training")
    cast.study.qualification.questions.all().delete()
    theirs = finish(make_candidate(cast.study, "other"), training, like(0))
    session = Session(cast)
    session.client.force_login(UserFactory())
    session.get(f"/work/{theirs.token}/1/1/why/")
    assert WHY not in texts(session)
