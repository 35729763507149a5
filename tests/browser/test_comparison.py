"""Two candidates compared as somebody rates them: by arrows, digits and pointer, on a desk and on a phone."""

import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Candidate, Rating
from annotation.selectors.screens import screens_of
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from protocols.services import FIRST_COMPARISON, store_bundle
from tests.annotation.importing.conftest import load
from tests.browser.conftest import SCREENSHOTS
from tests.browser.geometry import expect_seen
from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, press, step
from tests.comparing import COMPARED, deal, make_study
from tests.factories import MembershipFactory, StudyFactory, make_annotator
from tests.shipped import bundle_of
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
SIDES = ".judged:not([hidden]) .compared-side"


@pytest.fixture
def begun() -> Assignment:
    study = make_study(3, 2)
    (batch,) = deal(study)
    return claim_seat(make_annotator(study, "anna"), batch, now=timezone.now())


def texts(page: Page) -> list[str]:
    """The candidates as they stand on screen, the left or upper one first."""
    boxes = [(side.bounding_box(), side.inner_text()) for side in page.locator(SIDES).all()]
    return [text.split("\n")[-1] for box, text in sorted(boxes, key=lambda each: (each[0]["y"] // 40, each[0]["x"]))]


def preferred() -> dict[int, str]:
    """{place of the pair in the annotator's order: the text of the candidate stored as better, or the option}."""
    places = {each.position: each.place for each in screens_of(Assignment.objects.get())}
    found = {}
    for rating in Rating.objects.select_related("item", "option"):
        shown = {"left": rating.item.shown[0], "right": rating.item.shown[1]}.get(rating.option.role)
        found[places[rating.item.position]] = Candidate.objects.get(pk=shown).text if shown else rating.option.key
    return found


@pytest.mark.journey
@pytest.mark.parametrize("size", [(1280, 800), (900, 700), (375, 740)], ids=lambda size: f"{size[0]}px")
def test_what_is_chosen_is_stored_for_the_candidate_that_stood_there(open_screen, begun: Assignment, size):
    screen = open_screen(begun.participant.user, width=size[0], height=size[1])
    page = begin(screen, begun)
    read: dict[int, list[str]] = {}
    for place, key in ((1, "ArrowLeft"), (2, "ArrowRight"), (3, "ArrowDown")):
        wait_for_step(page)
        expect_seen(page, f"comparison {place}")
        left, right = (side.bounding_box() for side in page.locator(SIDES).all())
        if size[0] >= 900:
            assert left["y"] == right["y"]
            assert left["x"] + left["width"] <= right["x"]
        else:
            assert left["y"] + left["height"] <= right["y"]
        read[place] = texts(page)
        screen.keep_picture(SCREENSHOTS / f"comparison-{size[0]}-{place}.png")
        press(page, key)
        expect(step(page).locator("input:checked")).to_have_count(1)
        if place == 1:
            assert screen.barriers() == ""
        press(page, "Enter")
    wait_until(lambda: len(preferred()) == 3, what="three answers")
    assert preferred() == {1: read[1][0], 2: read[2][1], 3: "equal"}


def test_what_was_chosen_comes_back_on_the_side_where_it_was_chosen(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    read = texts(page)
    press(page, "ArrowRight", "Enter")
    wait_until(lambda: len(preferred()) == 1, what="an answer")
    assert preferred() == {1: read[1]}
    wait_for_step(page)
    press(page, "Backspace")
    for _ in range(2):
        wait_for_step(page)
        assert texts(page) == read
        expect(step(page).locator("input:checked")).to_have_attribute("data-arrow", "ArrowRight")
        page.reload()
    press(page, "ArrowLeft", "Enter")
    wait_until(lambda: preferred() == {1: read[0]}, what="the other answer")


def test_the_list_of_keys_says_what_arrows_do_and_without_single_keys_they_do_nothing(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    page.get_by_role("button", name="Keys").click()
    keys = page.locator("[data-keys]")
    expect(keys.locator("dl > div", has_text="In a comparison")).to_have_text(
        [
            re.compile(said)
            for said in (r"←\s+2\s+.*response 1", r"↓\s+3\s+.*equal", r"→\s+4\s+.*response 2", r"\s*0\s+.*bad")
        ]
    )
    keys.locator("[data-keys-on]").uncheck()
    keys.get_by_role("button", name="Close").click()
    step(page).locator("fieldset").focus()
    press(page, "ArrowLeft")
    expect(step(page).locator("input:checked")).to_have_count(0)


def test_the_first_candidate_stands_on_the_left_in_a_language_from_right_to_left(
    open_screen, begun: Assignment, right_to_left: str
):
    screen = open_screen(begun.participant.user, locale=right_to_left)
    page = begin(screen, begun)
    wait_for_step(page)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    first, second = (side.bounding_box() for side in page.locator(SIDES).all())
    assert first["x"] < second["x"]
    read = texts(page)
    press(page, "ArrowLeft", "Enter")
    wait_until(lambda: preferred() == {1: read[0]}, what="an answer")


HISTORY = [
    {"speaker": "A", "text": "My tomato plants have all leaves and hardly any fruit. What can I do?"},
    {"speaker": "B", "text": "How much do you water them, and do they get sun for most of the day?"},
    {"speaker": "A", "text": "Every evening, and they stand by the south wall."},
]
SAID = {
    "north": "It is probably the **fertiliser**: too much nitrogen gives leaves.\n\n- Stop feeding them for a month.\n"
    "- Shake the flowers around noon.\n- Pinch out the side shoots.\n\nThen you should see fruit within weeks.",
    "south": "Tomatoes like sun. You could also buy some at the market, where they have them all year round.",
}


@pytest.mark.journey
def test_from_a_file_over_pairs_and_keys_to_the_report(open_screen, tmp_path):
    """A researcher imports, deals and opens; somebody rates by keyboard; board and report show who was preferred."""
    version = store_bundle(bundle_of("acute-eval-1.0"), publish=True, now=timezone.now())[0]
    study = StudyFactory(slug="duel", name="Duel", protocol_version=version, seats=1, text_format="markdown")
    owner = MembershipFactory(study=study, role="owner").user
    anna = make_annotator(study, "anna")
    path = tmp_path / "dialogues.jsonl"
    lines = [
        {"id": f"d{n}", "history": HISTORY, "candidates": [{"source": key, "text": text} for key, text in SAID.items()]}
        for n in range(3)
    ]
    lines[2]["candidates"][1]["text"] = SAID["north"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    load(study, path)
    page = open_screen(owner).go(reverse("study_batches", args=["duel"]))
    page.locator("input[name=by][value=size]").check()
    page.get_by_label("Pairs shown again, per cent").fill("50")
    page.get_by_role("button", name="Make batches").click()
    page.get_by_role("button", name="Open the draft").click()
    batch = study.batches.get()
    assert batch.n_items == 2

    rater = open_screen(anna.user)
    work = claim_seat(anna, batch, now=timezone.now())
    screen = begin(rater, work)
    for place in range(3):
        wait_for_step(screen)
        if place == 0:
            expect(screen.locator(SIDES).first).to_contain_text("Speaker 1")
            rater.keep_picture(SCREENSHOTS / "acute-eval.png")
        key = "ArrowLeft" if "fertiliser" in texts_of_sides(screen)[0] else "ArrowRight"
        press(screen, key, key, key, key)
        expect(screen.locator("[data-save]")).to_be_focused()
        press(screen, "Enter")
        wait_until(lambda n=place: Rating.objects.count() == 4 * (n + 1), what="four answers")
    screen.wait_for_url("**/submit/")
    screen.get_by_role("button", name="Submit").click()
    screen.wait_for_url("**/thanks/")
    refresh_batch(batch.pk, now=timezone.now())

    board = page.goto(reverse("board", args=["duel"])) and page.locator("#board-pairings")
    expect(board).to_contain_text("Pairs shown again with the sides swapped: 1")
    row = board.get_by_role("row", name="north and south").first
    expect(row.get_by_role("cell")).to_have_text(["2", "0", "0", "0", "0", "2", "1"])
    page.goto(reverse("report", args=["duel"]))
    report = page.locator("section[aria-labelledby=t-pairings]")
    expect(report.get_by_role("heading", level=4)).to_have_text(
        ["Engagingness", "Interestingness", "Humanness", "Knowledgeability"]
    )
    expect(report.get_by_role("row", name="north and south").first.get_by_role("cell").first).to_have_text("2")
    ranking = page.get_by_role("region", name="Ranking: Engagingness")
    expect(ranking.get_by_role("row", name="north")).to_contain_text("it never lost")


NEED = [
    "Is a bicycle that I ride to work deductible?",
    "And what about the helmet and the repairs?",
    "Do I need the receipts for that?",
    "Who do I ask if my office says no?",
]
WAYS = {
    "north": "Yes, as far as you ride it to work: the allowance counts the kilometres, whatever they cost you.",
    "south": "I am not sure. Perhaps you should ask somebody who knows about taxes, or read about it.",
}


def whole_dialogue(source: str, scenario: str, n_rounds: int) -> dict:
    said = [
        {"role": role, "content": text}
        for at in range(n_rounds)
        for role, text in (
            ("user", f"{NEED[at % 4]} This is about {scenario}, round {at + 1}."),
            ("assistant", f"{WAYS[source]} That was answer {at + 1} on {scenario}. " + "It depends on the year. " * 12),
        )
    ]
    return {"id": f"{source}-{scenario}", "model": source, "scenario": scenario, "messages": said}


@pytest.mark.journey
def test_whole_dialogues_from_a_file_over_columns_and_keys_to_the_report(open_screen, tmp_path):
    """Two dialogues of a scenario scroll side by side on a desk and follow each other on a phone."""
    version = store_bundle(bundle_of("acute-eval-1.0-dialogues"), publish=True, now=timezone.now())[0]
    study = StudyFactory(slug="talks", name="Talks", protocol_version=version, seats=2)
    owner = MembershipFactory(study=study, role="owner").user
    path = tmp_path / "talks.jsonl"
    lines = [whole_dialogue(source, scenario, 5) for scenario in ("taxes", "rents", "fees") for source in WAYS]
    lines[5]["messages"] = lines[4]["messages"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    load(study, path)
    office = open_screen(owner)
    page = office.go(reverse("study_batches", args=["talks"]))
    page.locator("input[name=by][value=size]").check()
    page.get_by_label("Pairs shown again, per cent").fill("50")
    page.get_by_role("button", name="Make batches").click()
    page.get_by_role("button", name="Open the draft").click()
    batch = study.batches.get()
    assert (batch.n_items, batch.items.count()) == (2, 3)

    for name, size in (("anna", (1280, 800)), ("ben", (375, 740))):
        person = make_annotator(study, name)
        rater = open_screen(person.user, width=size[0], height=size[1])
        work = claim_seat(person, batch, now=timezone.now())
        screen = begin(rater, work)
        before = Rating.objects.count()
        for place in range(3):
            wait_for_step(screen)
            expect_seen(screen, f"{name}, pair {place + 1}")
            left, right = screen.locator(SIDES).all()
            rater.keep_picture(SCREENSHOTS / f"talks-{size[0]}-{place}.png")
            expect(left).to_contain_text("Dialogue 1 · Speaker 1")
            if size[0] >= 900:
                assert left.bounding_box()["x"] + left.bounding_box()["width"] <= right.bounding_box()["x"]
                assert all(
                    side.bounding_box()["y"] + side.bounding_box()["height"] <= size[1] for side in (left, right)
                )
                more = screen.locator("[data-more=below]")
                expect(more).to_have_attribute("data-unseen", "")
                left.evaluate("side => side.scrollTo(0, side.scrollHeight)")
                assert right.evaluate("side => side.scrollTop") == 0
                expect(more).to_have_attribute("data-unseen", "")
                press(screen, *["PageDown"] * 12)
                expect(more).to_be_hidden()
                expect(left).to_contain_text("answer 5")
                press(screen, "PageUp")
                expect(more).to_be_visible()
                expect(more).not_to_have_attribute("data-unseen", "")
                expect_seen(screen, f"{name}, pair {place + 1}, read")
            else:
                assert left.bounding_box()["y"] + left.bounding_box()["height"] <= right.bounding_box()["y"]
                right.evaluate("side => side.scrollIntoView({ block: 'start' })")
                expect(right.get_by_text("Speaker 2")).to_be_in_viewport()
                rater.keep_picture(SCREENSHOTS / f"talks-{size[0]}-{place}-read.png")
            if place == 0:
                assert rater.barriers() == ""
            key = "ArrowLeft" if "allowance" in left.inner_text() else "ArrowRight"
            press(screen, key, key, key, key)
            expect(screen.locator("[data-save]")).to_be_focused()
            press(screen, "Enter")
            wait_until(lambda n=place, m=before: Rating.objects.count() == m + 4 * (n + 1), what="four answers")
        screen.wait_for_url("**/submit/")
        screen.get_by_role("button", name="Submit").click()
        screen.wait_for_url("**/thanks/")
    refresh_batch(batch.pk, now=timezone.now())

    board = page.goto(reverse("board", args=["talks"])) and page.locator("#board-pairings")
    expect(board).to_contain_text("Pairs shown again with the sides swapped: 2")
    row = board.get_by_role("row", name="north and south").first
    expect(row.get_by_role("cell")).to_have_text(["4", "0", "0", "0", "0", "4", "1"])
    page.goto(reverse("report", args=["talks"]))
    report = page.locator("section[aria-labelledby=t-pairings]")
    expect(report.get_by_role("row", name="north and south").first.get_by_role("cell").first).to_have_text("4")


def texts_of_sides(page: Page) -> list[str]:
    return [side.inner_text() for side in page.locator(SIDES).all()]


FOUR = COMPARED | {"criteria": [COMPARED["criteria"][0] | {"options": FIRST_COMPARISON["options"], "examples": []}]}


@pytest.mark.parametrize("size", [(1280, 800), (375, 740)], ids=lambda size: f"{size[0]}px")
def test_the_options_of_a_comparison_stand_as_its_sides_do(open_screen, size):
    study = make_study(1, 2, version=store_bundle(FOUR, publish=True, now=timezone.now())[0])
    (batch,) = deal(study)
    begun = claim_seat(make_annotator(study, "anna"), batch, now=timezone.now())
    screen = open_screen(begun.participant.user, width=size[0], height=size[1])
    page = begin(screen, begun)
    wait_for_step(page)
    expect_seen(page, "the options of a comparison")
    labels = ("Response 1", "Both are equally good", "Response 2", "Both are bad")
    left, equal, right, bad = (step(page).locator(".choice", has_text=label).first.bounding_box() for label in labels)
    screen.keep_picture(SCREENSHOTS / f"comparison-options-{size[0]}.png")
    assert left["width"] == right["width"] == equal["width"] <= bad["width"]
    if size[0] == 1280:
        assert left["y"] == equal["y"] == right["y"] < bad["y"]
        assert left["x"] + left["width"] <= equal["x"]
        assert equal["x"] + equal["width"] <= right["x"]
    else:
        assert left["x"] == right["x"] == equal["x"]
        assert left["y"] < equal["y"] < right["y"] < bad["y"]
