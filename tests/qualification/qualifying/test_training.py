"""Which of a protocol's worked examples become training items, and what is said of the others."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Candidate, Item, Participant, Rating, Reading, Study
from annotation.selectors.progress import read_progress
from annotation.selectors.studies import rated_sources
from annotation.selectors.work import dialogue_page, missing_step, spec_of_assignment
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.moving import move_study
from annotation.services.refusals import Refused
from annotation.steps import Step
from protocols.bundles import load_bundle
from protocols.models import Example, Option
from protocols.selectors import BUILTIN, builtin_bundles
from protocols.services import store_bundle
from qualification.checks.services.known_answers import import_known_answers
from qualification.models import KnownAnswer
from qualification.qualifying.selectors.training import ExplainedAnswer, known_answers
from qualification.qualifying.services.training import left_out, make_training
from tests.factories import MembershipFactory, StudyFactory, UserFactory, make_annotator
from tests.factories_protocols import CriterionFactory, ExampleFactory, VersionFactory
from tests.qualification.qualifying.factories import make_candidate
from tests.shipped import Work

pytestmark = pytest.mark.django_db
NOW = timezone.now()
TURNS = [{"speaker": "S1", "text": "Are you hungry?"}, {"speaker": "S2", "text": "Not yet."}]
LONG_AGO = NOW - timedelta(days=1)


def study_of(bundle: dict[str, Any]) -> Study:
    return StudyFactory(protocol_version=store_bundle(bundle, publish=True, now=NOW)[0])


def expected_of(bundle: dict[str, Any]) -> Counter[tuple[str, str]]:
    """(criterion, option) of everything that an example evaluates."""
    found: Counter[tuple[str, str]] = Counter()
    for criterion in bundle["criteria"]:
        for example in criterion.get("examples", []):
            is_pair = bundle.get("unit") == "comparison"
            said = [example] if is_pair else example.get("candidates") or [example]
            found.update((criterion["key"], each["option"]) for each in said if "option" in each)
    return found


def trainee(study: Study) -> Participant:
    study.has_qualification = True
    study.save()
    return make_candidate(study)


def train(client: Client, participant: Participant, batch: Batch) -> list[ExplainedAnswer]:
    """Go through the batch on the rating screen as somebody who knows every answer: each of them is explained."""
    return [
        answer for page in trained_pages(client, participant, batch) for answer in page.context.get("answers") or []
    ]


def trained_pages(client: Client, participant: Participant, batch: Batch) -> Iterator[Any]:
    work = claim_seat(participant, batch, now=timezone.now())
    client.force_login(participant.user)
    n_explained = 0
    while (missing := missing_step(work)) is not None:
        page, step = missing
        Reading.objects.update_or_create(
            assignment=work, position=page.position, defaults={"opened_at": LONG_AGO, "shown_at": LONG_AGO}
        )
        place = (work.token, page.position, step.number)
        shown = client.post(reverse("rate", args=place), right_answers(work, step), follow=True)
        assert shown.status_code == 200, shown.content.decode()
        explained = shown.context.get("answers") or []
        assert all(answer.is_right for answer in explained)
        n_explained += len(explained)
        yield shown
    assert n_explained == Rating.objects.filter(assignment=work, is_active=True, criterion__rules=[]).count()
    submit_assignment(work, feedback="", now=timezone.now())


def right_answers(work: Assignment, step: Step) -> dict[str, Any]:
    """The right option of each question; the first one where nobody knows."""
    known = known_answers(work, {part.item.token for part in step.parts})
    form: dict[str, Any] = {"form_key": str(uuid4())}
    for part, question in step.questions:
        row = known.get((part.item.token, question.criterion.id))
        options = list(question.criterion.options)
        chosen = [each for each in options if each.id in row.options] if row else options[:1]
        name = "option" if question.criterion.kind == "single" else "options"
        form[f"{question.name}-{name}"] = [each.code for each in chosen[: 1 if name == "option" else None]]
        for option in chosen:
            form[f"{question.name}-text-{option.code}"] = "" if option.asks == "nothing" else "I really cannot say"
    return form


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_somebody_is_trained_with_every_example_of_a_shipped_protocol(path: Path, client: Client):
    bundle = load_bundle(path)
    study = study_of(bundle)
    batch = make_training(study, by=UserFactory(), now=NOW)[0]
    assert Batch.objects.get(pk=batch.pk).n_items == batch.items.count()
    answers = train(client, trainee(study), batch)
    options = [(answer.question.criterion.key, option.key) for answer in answers for option in answer.right]
    assert Counter(options) >= expected_of(bundle)
    assert left_out(study) == ""


def test_the_rated_turn_is_a_response_to_the_turns_before_it(client):
    study = study_of(load_bundle(next(path for path in builtin_bundles() if path.stem == "persona-quality-1.0")))
    client.force_login(MembershipFactory(study=study, role="owner").user)
    answer = client.post(reverse("training_make", args=[study.slug]), follow=True)
    assert "are now an open training batch." in answer.content.decode()
    assert Batch.objects.get().n_items == 29
    assert Item.objects.filter(unit="response").count() == 25
    known = KnownAnswer.objects.get(explanation__contains="Fact 1 rules it out.")
    assert known.dialogue.turns == [{"speaker": "S1", "text": "Where did you learn to cook like this?"}]
    assert known.candidate.text == "In the three years I lived abroad."
    assert known.dialogue.metadata == {
        "persona": ["I have never left my country.", "I keep bees.", "I work in a library."]
    }


def test_training_on_consistency_shows_the_facts_on_the_rating_screen_and_with_the_explanation(client):
    work = Work("persona-quality-1.0", n_dialogues=1, n_sources=1)
    (batch,) = make_training(work.study, by=UserFactory(), now=NOW)
    learner = make_annotator(work.study, "bea", status="qualifying")
    assignment = claim_seat(learner, batch, now=NOW)
    client.force_login(learner.user)
    bees = ["I have never left my country.", "I keep bees.", "I work in a library."]
    item = batch.items.filter(dialogue__metadata__persona=bees).first()
    path = reverse("rate", args=[assignment.token, item.position, 1])
    page = client.get(path).content.decode()
    assert all(fact in page for fact in ("Facts about the speaker", *bees))
    spec = work.spec
    answers = {f"{each.key}-option": "1" for each in spec.asked_of("response")}
    form_key = re.search(r'name="form_key" value="([^"]+)"', page)[1]
    explained = client.post(path, answers | {"form_key": form_key, "protocol": spec.fingerprint}, follow=True)
    assert all(fact in explained.content.decode() for fact in bees)


def test_training_asks_about_consistency_only_where_facts_are_shown():
    work = Work("persona-quality-1.0", n_dialogues=1, n_sources=1)
    (batch,) = make_training(work.study, by=UserFactory(), now=NOW)
    responses = batch.items.filter(unit="response").select_related("dialogue")
    asking = [item for item in responses if "persona_consistency" in item.asks]
    assert asking
    assert all(item.dialogue.metadata.get("persona") for item in asking)
    assert all(item.asks for item in batch.items.all())


def test_the_page_of_the_models_is_counted_among_those_of_its_batch():
    work = Work("persona-quality-1.0", n_dialogues=1, n_sources=1)
    (batch,) = make_training(work.study, by=UserFactory(), now=NOW)
    assignment = claim_seat(make_annotator(work.study, "bea", status="qualifying"), batch, now=NOW)
    last = dialogue_page(assignment, batch.items.filter(unit="model").first().position)
    assert last.screen.piece == last.screen.n_pieces


def test_the_same_turns_with_other_facts_are_another_dialogue():
    options = [{"key": "good", "label": "Good", "role": "positive"}, {"key": "bad", "label": "Bad", "role": "negative"}]
    examples = [
        {"title": option, "facts": facts, "history": TURNS, "rated_turn": 2, "option": option}
        for option, facts in (("good", ["I ate at noon."]), ("bad", ["I have not eaten for days."]), ("good", []))
    ]
    criterion = {"key": "fit", "name": "Fit", "question": "Fits?", "options": options, "examples": examples}
    study = study_of({"bundle": 1, "protocol": "p", "name": "P", "version": "1", "criteria": [criterion]})
    make_training(study, by=UserFactory(), now=NOW)
    known = KnownAnswer.objects.filter(study=study).select_related("dialogue").order_by("pk")
    facts = [each.dialogue.metadata.get("persona", []) for each in known]
    assert facts == [["I ate at noon."], ["I have not eaten for days."], []]
    assert len({each.dialogue.key for each in known}) == 3


def test_responses_that_are_rated_together_are_one_item_with_their_texts():
    study = study_of(load_bundle(next(path for path in builtin_bundles() if path.stem == "persona-quality-1.0")))
    (batch,) = make_training(study, by=UserFactory(), now=NOW)
    together = batch.items.filter(unit__in=("candidate_set", "model"))
    assert Counter(together.values_list("unit", flat=True)) == {"candidate_set": 2, "model": 2}
    assert not rated_sources(study).exists()
    texts = Candidate.objects.in_bulk()
    for item in together:
        known = KnownAnswer.objects.get(unit=item.unit, source=item.source)
        example = Example.objects.get(criterion=known.criterion, why=known.explanation)
        replies = [turn["text"] for turn in example.history if not turn["speaker"].endswith("S1")]
        assert [texts[pk].text for pk in item.shown] == replies
    assert make_training(study, by=UserFactory(), now=NOW) == []


def test_turns_of_a_model_are_told_apart_by_who_opens_a_dialogue():
    version = VersionFactory(unit="model")
    turns = [{"speaker": name, "text": f"{name}{at}"} for at in (1, 2) for name in ("A", "B")]
    ExampleFactory(criterion=CriterionFactory(version=version), candidates=[], history=turns, option="yes")
    (batch,) = make_training(StudyFactory(protocol_version=version), by=UserFactory(), now=NOW)
    said = Candidate.objects.filter(pk__in=batch.items.get().shown).order_by("pk")
    assert [(each.dialogue.turns[0]["text"], each.text) for each in said] == [("A1", "B1"), ("A2", "B2")]


# --- questions that depend on another answer ---------------------------------------------------------
@pytest.fixture
def depending() -> tuple[Study, Batch]:
    """Trained with the first example about the reasons for a 1 alone."""
    bundle = load_bundle(next(path for path in builtin_bundles() if path.stem == "diqad-1.0"))
    for criterion in bundle["criteria"]:
        criterion["examples"] = criterion.get("examples", [])[:1] if criterion["key"] == "reasons_1" else []
    study = study_of(bundle | {"reading_seconds": 0})
    return study, make_training(study, by=UserFactory(), now=NOW)[0]


def post(client: Client, work: Assignment, **options: str) -> HttpResponse:
    """Answers by the keys of their options."""
    spec = spec_of_assignment(work)
    form: dict[str, Any] = {"form_key": str(uuid4())}
    for key, option in options.items():
        criterion = spec.by_key[key]
        name = "option" if criterion.kind == "single" else "options"
        form[f"{key}-{name}"] = criterion.option_named(option).code
    return client.post(reverse("rate", args=[work.token, 1, 1]), form, follow=True)


def test_a_wrong_answer_that_hides_a_question_of_the_example_has_to_be_changed(depending, client: Client):
    study, batch = depending
    candidate = trainee(study)
    work = claim_seat(candidate, batch, now=timezone.now())
    client.force_login(candidate.user)

    page = post(client, work, knowledge="no", score="2").content.decode()
    assert "The correct answer leads to another question: “Reasons for 1”." in page
    assert "Change the answer" in page
    assert f'href="{reverse("rate", args=[work.token, 1, 1])}"' in page

    right = Option.objects.get(pk=KnownAnswer.objects.get(criterion__key="reasons_1").options[0]).key
    page = post(client, work, knowledge="no", score="1", reasons_1=right).content.decode()
    assert "Change the answer" not in page
    assert page.count("Correct answer") == 0


def test_a_wrong_answer_leads_to_no_question_that_its_item_does_not_teach(client: Client):
    study = study_of(load_bundle(BUILTIN / "diqad-1.0.yaml") | {"reading_seconds": 0})
    batch = make_training(study, by=UserFactory(), now=NOW)[0]
    item = next(
        each for each in batch.items.order_by("position") if "reasons_1" not in each.asks and "score" in each.asks
    )
    candidate = trainee(study)
    work = claim_seat(candidate, batch, now=timezone.now())
    client.force_login(candidate.user)
    before = read_progress(work)

    spec = spec_of_assignment(work)
    place = reverse("rate", args=[work.token, item.position, 1])
    form = {f"{key}-option": spec.by_key[key].option_named(said).code for key, said in (("score", "1"),)}
    page = client.get(place).content.decode()
    assert 'name="reasons_1-options"' not in page
    assert client.post(place, form | {"form_key": str(uuid4())}).status_code == 302

    after = read_progress(work)
    assert (after.n_done, after.n_wanted) == (1, before.n_wanted)
    assert before.n_wanted == KnownAnswer.objects.filter(criterion__when=[]).count()
    assert missing_step(work)[0].position != item.position


def test_answers_that_become_known_are_asked_of_the_items_that_stand_open(depending, tmp_path: Path):
    study, batch = depending
    assert batch.items.get().asks == ["reasons_1", "score"]
    path = tmp_path / "known.csv"
    row = f"{batch.items.get().dialogue.key},,,knowledge,no,training,You need none."
    path.write_text(f"dialogue,candidate,source,criterion,options,kind,explanation\n{row}\n")
    import_known_answers(study, path, by=None, now=NOW)
    assert batch.items.get().asks == ["knowledge", "reasons_1", "score"]


def test_items_whose_questions_a_new_version_does_not_have_ask_everything_again():
    bundle = load_bundle(BUILTIN / "three-point-coherence-1.0.yaml")
    study = study_of(bundle)
    batch = make_training(study, by=UserFactory(), now=NOW)[0]
    move_study(study, store_bundle(bundle | {"version": "1.1"}, publish=True, now=NOW)[0], now=NOW)
    assert not batch.items.filter(asks=[]).exists()
    bundle["criteria"][0]["key"] = "whole"
    move_study(study, store_bundle(bundle | {"version": "1.2"}, publish=True, now=NOW)[0], now=NOW)
    assert not batch.items.exclude(asks=[]).exists()


def test_of_several_choices_exactly_the_right_ones_are_right(depending, client: Client):
    study, batch = depending
    candidate = trainee(study)
    work = claim_seat(candidate, batch, now=timezone.now())
    client.force_login(candidate.user)
    known = KnownAnswer.objects.get(criterion__key="reasons_1")
    right, other = Option.objects.get(pk=known.options[0]), Option.objects.exclude(pk=known.options[0])
    wrong = other.filter(criterion=known.criterion).first()
    for key, said in ((right.key, "correct"), (wrong.key, "not correct")):
        page = post(client, work, knowledge="no", score="1", reasons_1=key).content.decode()
        assert f'{Option.objects.get(criterion=known.criterion, key=key).label} <span class="badge">{said}<' in page


def test_an_example_to_which_no_answer_applies_teaches_to_say_so(client: Client):
    study = study_of(load_bundle(next(path for path in builtin_bundles() if path.stem == "abc-eval-1.1")))
    batch = make_training(study, by=UserFactory(), now=NOW)[0]
    known = KnownAnswer.objects.get(criterion__key="sociality", candidate__text__startswith="I must say")
    assert known.options == []
    pages = [page.content.decode() for page in trained_pages(client, trainee(study), batch)]
    (page,) = [" ".join(page.split()) for page in pages if known.explanation in page]
    assert '>None of these</span> <span class="badge">correct<' in page


# --- what is left out --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("unit", "example", "said"),
    [
        ("response", {"rated_turn": 1}, "rates a turn that is not the last, or that has no turn before it"),
        ("response", {"rated_turn": 1, "history": TURNS[:1]}, "rates a turn that is not the last"),
        ("response", {"rated_turn": None}, "evaluates a part of the dialogue that annotators do not rate"),
        ("dialogue", {"rated_turn": 2}, "evaluates a part of the dialogue that annotators do not rate"),
        ("candidate_set", {"rated_turn": None}, "has fewer than two responses to rate together"),
    ],
)
def test_a_protocol_none_of_whose_examples_can_be_asked_says_exactly_why(unit: str, example: dict[str, Any], said: str):
    version = VersionFactory(unit=unit)
    values = {"title": "Dinner", "history": TURNS, "candidates": [], "option": "yes"} | example
    ExampleFactory(criterion=CriterionFactory(version=version), **values)
    with pytest.raises(Refused, match=f"can be a training item: “Dinner” {said}.*Write training items yourself"):
        make_training(StudyFactory(protocol_version=version), by=UserFactory(), now=NOW)


def test_training_shows_the_examples_in_the_language_of_the_study_under_their_speakers():
    study = study_of(load_bundle(BUILTIN / "he-protocol-1.0.yaml"))
    Study.objects.update(content_language="it")
    study.refresh_from_db()
    make_training(study, by=UserFactory(), now=NOW)
    known = KnownAnswer.objects.get(study=study, candidate__text="Le sardine alla griglia.")
    assert (known.candidate.speaker, known.criterion.options.get(pk=known.options[0]).key) == ("B", "contextualized")
    assert known.explanation.startswith("Risponde alla domanda")
    assert not study.dialogues.filter(turns__0__text__startswith="You ").exists()


# --- reading time --------------------------------------------------------------------------------------
def test_answers_that_come_too_soon_stay_on_the_page_that_says_for_how_many_seconds(client: Client):
    study = study_of(load_bundle(BUILTIN / "diqad-1.0.yaml") | {"reading_seconds": 40})
    batch = make_training(study, by=UserFactory(), now=NOW)[0]
    candidate = trainee(study)
    work = claim_seat(candidate, batch, now=timezone.now())
    client.force_login(candidate.user)
    item = next(each for each in batch.items.order_by("position") if "score" in each.asks)
    place = reverse("rate", args=[work.token, item.position, 1])
    Reading.objects.create(assignment=work, position=item.position, shown_at=NOW, opened_at=timezone.now())
    code = spec_of_assignment(work).by_key["score"].options[0].code
    early = client.post(place, {"score-option": code, "form_key": str(uuid4())})
    page = re.sub(r"\s+", " ", early.content.decode())
    assert early.status_code == 409
    assert re.search(r"save them again in (39|40) seconds", page)
    assert re.search(rf'name="score-option" value="{code}"[^>]* checked', page)
    assert not Rating.objects.exists()
