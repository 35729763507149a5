"""The dialogues of a study: what each is used for, filtered and paged."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Candidate, Dialogue, Item, Study
from annotation.services.refusals import Refused
from annotation.services.repeating import repeat_pilot
from tests.comparing import deal, make_study
from tests.factories import DialogueFactory, ItemFactory, MembershipFactory, SourceFactory, StudyFactory, make_batch
from tests.qualification.checks.factories import KnownAnswerFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SURE = {"is_sure": "on"}


@pytest.fixture
def study() -> Study:
    """A pilot of two dialogues that the qualification repeats, a main batch with a check, a spare dialogue."""
    study = StudyFactory(slug="he")
    pilot = make_batch(study, 2, key="pilot-1", kind="pilot")
    repeat_pilot(study, pilot="pilot-1", kind="qualification", now=NOW)
    main = make_batch(study, 1, key="main-1", position=5)
    check = ItemFactory(batch=main, is_check=True).dialogue
    names = {"tried": pilot.items.first().dialogue, "work": main.items.first().dialogue, "check": check}
    for key, dialogue in names.items():
        Dialogue.objects.filter(pk=dialogue.pk).update(key=key)
    DialogueFactory(study=study, key="spare", position=90)
    DialogueFactory(study=study, key="kept", position=91, purpose="training")
    return study


@pytest.fixture
def owner(study: Study, client: Client) -> Client:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client


def rows(client: Client, **asked: str) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """{key: what it is used for, in which batches}"""
    context = client.get(reverse("study_dialogues", args=["he"]), asked).context
    return {
        dialogue.key: [(str(use.name), use.batches) for use in uses] for dialogue, uses, _is_unused in context["rows"]
    }


def test_each_dialogue_says_what_it_is_used_for(owner: Client):
    found = rows(owner)
    assert found["tried"] == [("Pilot", ("pilot-1",)), ("Qualification", ("qualification-1",))]
    assert found["work"] == [("Main", ("main-1",))]
    assert found["check"] == [("Check", ("main-1",))]
    assert found["spare"] == found["kept"] == []


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ({"use": "main"}, {"work"}),
        ({"use": "check"}, {"check"}),
        ({"use": "nothing"}, {"spare", "kept"}),
        ({"text": "SPA"}, {"spare"}),
        ({"use": "pilot", "text": "tri"}, {"tried"}),
        ({"use": "training"}, set()),
    ],
)
def test_dialogues_are_found_by_their_use_and_by_their_key(owner: Client, asked: dict[str, str], keys: set[str]):
    assert set(rows(owner, **asked)) == keys


def test_a_row_has_turns_responses_and_links_to_its_batches(owner: Client):
    page = owner.get(reverse("study_dialogues", args=["he"]), {"text": "tried"}).content.decode()
    assert '<td class="number">2</td>' in page
    assert '<td class="number">3</td>' in page
    assert f'{reverse("study_batches", args=["he"])}?batch=pilot-1"' in page
    page = owner.get(reverse("study_dialogues", args=["he"]), {"text": "kept"}).content.decode()
    assert "Not used yet, reserved for: Training" in page
    batch = owner.get(reverse("study_batches", args=["he"]), {"batch": "pilot-1"})
    assert [each.key for each in batch.context["page"]] == ["pilot-1"]


def test_batches_beyond_the_third_are_counted(study: Study, owner: Client):
    dialogue = Dialogue.objects.get(key="work")
    for number in range(4):
        batch = make_batch(study, 0, key=f"more-{number}", position=20 + number)
        Item.objects.create(batch=batch, dialogue=dialogue, unit="dialogue", position=1)
    assert "and 2 more" in owner.get(reverse("study_dialogues", args=["he"]), {"text": "work"}).content.decode()


def test_pages_keep_the_filter_and_cost_the_same(
    study: Study, owner: Client, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries
):
    monkeypatch.setattr("annotation.views.pages.ROWS", 5)
    few = _queries(owner, django_assert_max_num_queries)
    DialogueFactory.create_batch(12, study=study)
    assert _queries(owner, django_assert_max_num_queries) == few
    page = owner.get(reverse("study_dialogues", args=["he"]), {"use": "nothing"}).content.decode()
    assert "?page=2&amp;use=nothing&amp;text=" in page


def _queries(client: Client, at_most) -> int:
    with at_most(20) as captured:
        rows(client)
    return len(captured)


def test_an_unknown_use_shows_all_and_says_so(owner: Client):
    answer = owner.get(reverse("study_dialogues", args=["he"]), {"use": "lunch"})
    assert answer.status_code == 200
    assert len(answer.context["rows"]) == 6


def test_the_page_shows_and_finds_source_and_scenario(owner: Client, study: Study):
    source = SourceFactory(study=study, name="Model A")
    DialogueFactory(study=study, key="whole", position=92, source=source, scenario="tea-time")
    page = owner.get(reverse("study_dialogues", args=["he"]), {"text": "tea-t"}).content.decode()
    assert "whole" in page
    assert "source Model A" in page
    assert "scenario tea-time" in page
    assert "source " not in owner.get(reverse("study_dialogues", args=["he"]), {"text": "spare"}).content.decode()


def test_only_unused_dialogues_can_be_selected_and_removed(owner: Client, study: Study):
    page = owner.get(reverse("study_dialogues", args=["he"])).content.decode()
    assert "Select dialogue spare" in page
    assert "Select dialogue work" not in page
    address = reverse("study_dialogues_remove", args=["he"])
    said = owner.post(address, SURE | {"key": ["spare", "work"]}, follow=True).content.decode()
    assert "1 dialogue is in use and cannot be removed: work. Nothing was removed." in said
    assert study.dialogues.filter(key="spare").exists()
    said = owner.post(address, SURE | {"key": ["spare", "kept"]}, follow=True).content.decode()
    assert "2 dialogues have been removed." in said
    assert not study.dialogues.filter(items=None).exists()
    assert {"tried", "work", "check"} <= set(study.dialogues.values_list("key", flat=True))
    line = ActivityLog.objects.get(verb="dialogues_removed")
    assert (line.object, line.details) == ("spare, kept", {"n": 2})


def test_it_is_asked_before_dialogues_are_removed(owner: Client, study: Study):
    page = owner.get(reverse("study_dialogues", args=["he"])).content.decode()
    assert "The selected dialogues are removed, with their responses" in page
    said = owner.post(reverse("study_dialogues_remove", args=["he"]), {"key": ["spare", "kept"]}, follow=True)
    assert "Confirm that you want to remove the dialogues." in said.content.decode()
    assert study.dialogues.filter(key="spare").exists()


def test_without_a_selection_nothing_is_removed(owner: Client, study: Study):
    said = owner.post(reverse("study_dialogues_remove", args=["he"]), follow=True).content.decode()
    assert "Tick the dialogues to remove." in said
    assert study.dialogues.filter(key="spare").exists()


def test_a_dialogue_with_a_known_answer_is_in_use(owner: Client, study: Study):
    KnownAnswerFactory(candidate__dialogue=study.dialogues.get(key="spare"))
    assert "Select dialogue spare" not in owner.get(reverse("study_dialogues", args=["he"])).content.decode()


def test_a_row_has_the_beginning_of_its_last_turn(study: Study, owner: Client):
    turns = [{"speaker": "A", "text": "Hi"}, {"speaker": "B", "text": "<b>How</b> was the exam? " + "word " * 40}]
    Dialogue.objects.filter(study=study, key="spare").update(turns=turns)
    page = owner.get(reverse("study_dialogues", args=["he"]), {"text": "spare"}).content.decode()
    assert "&lt;b&gt;How&lt;/b&gt; was the exam? word" in page
    assert page.count("word") < 20


def test_what_cannot_be_used_is_a_filter(client: Client):
    study = make_study(12, 2, slug="he")
    Candidate.objects.filter(dialogue__key__in=["d1", "d3"], source__key="model-b").delete()
    DialogueFactory(study=study, key="bare", position=30)
    client.force_login(MembershipFactory(study=study, role="owner").user)
    assert set(rows(client, use="unusable")) == {"d1", "d3", "bare"}


def test_the_refusal_names_all_that_have_one_side(client: Client):
    study = make_study(12, 2, slug="he")
    Candidate.objects.filter(source__key="model-b").delete()
    with pytest.raises(Refused, match=r"12 dialogues have only one side to compare: d0, d1, d2, .*, d9, …. Add"):
        deal(study)
