"""A chat log from the file to the annotator's last answer: seen before it is stored, and read as one conversation."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Batch, Dialogue, ImportJob, Rating, Study
from annotation.services.batching import make_batches
from annotation.services.uploads import run_import_job
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS, Screen, answer, wait_for_step
from tests.browser.rating import begin
from tests.factories import HeartbeatFactory, MembershipFactory, StudyFactory, make_annotator, take_seat
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish

pytestmark = pytest.mark.django_db(transaction=True)
MESSAGES = Path(__file__).parents[1] / "data" / "transcripts" / "messages.jsonl"
TRAIN = MESSAGES.read_bytes().splitlines(keepends=True)[1]


@pytest.fixture
def study(transactional_db: None) -> Study:
    """It asks about each response and about the whole dialogue."""
    version = VersionFactory(order="item_first")
    for place, unit in enumerate(("response", "dialogue")):
        criterion = CriterionFactory(version=version, unit=unit, key=unit, position=place)
        for at, label in enumerate(("Good", "Bad")):
            OptionFactory(criterion=criterion, label=label, key=label.lower(), position=at)
    HeartbeatFactory()
    return StudyFactory(protocol_version=publish(version))


def test_a_long_log_says_how_many_pages_annotators_get(open_screen: Callable[..., Screen], study: Study):
    said = [{"role": role, "content": f"{role} {at}"} for at in range(30) for role in ("user", "assistant")]
    log = json.dumps({"id": "long", "model": "m", "messages": said}).encode()
    page = open_screen(MembershipFactory(study=study, role="researcher").user).go(
        reverse("study_import", args=[study.slug])
    )
    page.get_by_label("The file is a chat log: rate its responses").check()
    page.get_by_label("Rate the whole dialogue too, at the end").check()
    page.set_input_files("[name=file]", {"name": "log.jsonl", "mimeType": "application/json", "buffer": log})
    shown = page.locator(".preview")
    expect(shown.locator("h3")).to_have_text(
        [*(f"Page {at} of 31 long:{at}" for at in range(1, 21)), "Page 31 of 31 long"]
    )
    expect(shown).to_contain_text("10 pages between the first ones and the end are left out here.")
    expect(shown.get_by_text("The whole dialogue is rated here")).to_be_visible()


@LOOKS
def test_the_conversations_of_a_log_are_paged_through(
    open_screen: Callable[..., Screen], study: Study, width: int, scheme: str
):
    screen = open_screen(MembershipFactory(study=study, role="researcher").user, width=width, color_scheme=scheme)
    page = screen.go(reverse("study_import", args=[study.slug]))
    page.get_by_label("The file is a chat log: rate its responses").check()
    given = {"name": "log.jsonl", "mimeType": "application/json", "buffer": MESSAGES.read_bytes()}
    page.set_input_files("[name=file]", given)
    shown = page.locator("[data-turned]:visible")
    expect(shown).to_contain_text("Conversation 1 of 2")
    expect(shown.locator("h3")).to_have_text(["Page 1 of 2 tea:1", "Page 2 of 2 tea:2"])
    screen.keep_picture(SCREENSHOTS / f"transcript-conversations-{width}.png")
    shown.get_by_role("button", name="Next conversation").click()
    expect(shown).to_contain_text("Conversation 2 of 2")
    expect(page.locator("#conversation-2")).to_be_focused()
    expect(shown.locator(".turn-begins").first).to_have_text('find_train({"to": "Trento"})')
    assert screen.barriers() == ""
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    shown.get_by_role("button", name="Previous conversation").click()
    expect(shown).to_contain_text("Conversation 1 of 2")


def upload(page: Page) -> None:
    page.get_by_label("The file is a chat log: rate its responses").check()
    page.get_by_label("Rate the whole dialogue too, at the end").check()
    page.set_input_files("[name=file]", {"name": "log.jsonl", "mimeType": "application/json", "buffer": TRAIN})


@LOOKS
def test_a_log_is_shown_before_it_is_stored_and_read_turn_after_turn(
    open_screen: Callable[..., Screen], study: Study, width: int, scheme: str
):
    researcher = MembershipFactory(study=study, role="researcher").user
    screen = open_screen(researcher, width=width, color_scheme=scheme)
    page = screen.go(reverse("study_import", args=[study.slug]))
    upload(page)

    shown = page.locator(".preview")
    expect(shown.locator("h3")).to_have_text(["Page 1 of 3 train:1", "Page 2 of 3 train:2", "Page 3 of 3 train"])
    expect(shown.locator(".turn.next")).to_have_text(
        [
            "assistant to be ratedAt 9:40, from platform 2.",
            "assistant to be ratedYou are welcome.",
        ]
    )
    expect(shown.get_by_text("Thanks <b>a lot</b>!")).to_be_visible()
    assert screen.barriers() == ""
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not ImportJob.objects.exists()
    assert not Dialogue.objects.exists()
    screen.keep_picture(SCREENSHOTS / f"transcript-import-{width}.png")

    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/import/*/")
    run_import_job(ImportJob.objects.get().pk, timezone.now())
    make_batches(study, by="size", size=3, now=timezone.now())
    Batch.objects.update(status=Batch.Status.OPEN)
    batch = study.batches.get()

    annotator = make_annotator(study, "ann")
    reading = open_screen(annotator.user, width=width, color_scheme=scheme)
    page = begin(reading, take_seat(annotator, batch))
    wait_for_step(page)
    heading = page.locator(".context-head h2")
    expect(heading).to_have_text("Conversation 1 of 1 · turn 1 of 2")
    assert heading.evaluate("each => each.scrollWidth <= each.clientWidth"), "nothing of it is cut"
    if width > 900:
        expect(page.locator(".strip-item")).to_have_count(3)
        names = [button.get_attribute("aria-label") for button in page.locator(".strip-item").all()]
        assert names == [
            "Conversation 1, turn 1: not answered",
            "Conversation 1, turn 2: not answered",
            "Conversation 1, the whole dialogue: not answered",
        ]
    expect(page.locator(".turn-folded")).to_have_count(2)
    answered = page.locator(".turn-folded").nth(1)
    expect(answered.locator("p")).to_be_hidden()
    answered.locator("summary").click()
    expect(answered.locator("p")).to_have_text('{"departs": "9:40"}')
    expect(page.locator(".judged:visible .turn.next")).to_contain_text("At 9:40, from platform 2.")
    assert reading.barriers() == ""
    assert "model_b" not in page.content()
    reading.keep_picture(SCREENSHOTS / f"transcript-rating-{width}.png")
    answer(page, "1")

    expect(page.locator(".judged:visible .turn.next")).to_contain_text("You are welcome.")
    expect(page.locator(".turns-new")).to_have_text("New since the last page")
    expect(page.locator(".turns-new ~ .turn")).to_have_count(1)
    expect(page.locator("[data-strip-place]")).to_have_text("1.2")
    expect(page.get_by_text("Thanks <b>a lot</b>!")).to_be_visible()
    answer(page, "2")

    expect(page.locator(".turns > .turn")).to_have_count(6)
    answer(page, "1")
    page.wait_for_url("**/submit/")
    assert "model_b" not in page.content()
    stored = Rating.objects.order_by("pk").values_list("item__dialogue__key", "criterion__key", "option__key")
    assert list(stored) == [
        ("train:1", "response", "good"),
        ("train:2", "response", "bad"),
        ("train", "dialogue", "good"),
    ]
    assert set(Rating.objects.values_list("item__source__key", flat=True)) == {"model_b"}


def test_faults_of_a_log_are_shown_beside_the_file(open_screen: Callable[..., Screen], study: Study):
    page = open_screen(MembershipFactory(study=study, role="researcher").user).go(
        reverse("study_import", args=[study.slug])
    )
    page.get_by_label("The file is a chat log: rate its responses").check()
    faulty = TRAIN.replace(b'"role": "tool"', b'"role": "oracle"')
    page.set_input_files("[name=file]", {"name": "log.jsonl", "mimeType": "application/json", "buffer": faulty})
    expect(page.locator(".field-error")).to_contain_text("Line 1, messages[2].role: 'oracle' is not a known role")
    page.get_by_label("Responses to rate").fill("some")
    page.get_by_label("Responses to rate").blur()
    expect(page.get_by_role("alert")).to_contain_text("'some' is not a choice of responses: use all, last, every:K")
