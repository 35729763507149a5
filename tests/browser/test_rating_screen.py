"""The rating screen in a real browser: keys, the outbox, two tabs, no network, a phone, no JavaScript."""

import gzip
import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Response, Route, expect

from annotation.models import Assignment, Item, Participant, Rating, RatingRevision, Study
from tests.browser.helpers import Screen
from tests.browser.rating import answers, begin, expect_saved, expect_step, press, step
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import HIDDEN_WORDS, make_scale_version
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 375, "height": 740, "has_touch": True, "is_mobile": True}


# --- keys ------------------------------------------------------------------------------------------------
def test_a_digit_chooses_and_enter_saves_and_goes_on(screen: Screen):
    press(screen.page, "1", "Enter")
    expect_step(screen.page, 0, 2)
    expect_saved(screen.page)
    assert answers() == [("appropriateness", "appropriate")]


@pytest.mark.journey
def test_a_whole_batch_is_rated_from_the_keyboard_and_submitted(screen: Screen, assignment: Assignment):
    for position in (0, 1):
        for number in range(1, 13):
            expect_step(screen.page, position, number)
            press(screen.page, "1", "Enter")
    expect(screen.page.get_by_role("heading", name="Everything is rated")).to_be_visible()
    screen.page.get_by_label("Anything you want to tell").fill("A clear task.")
    screen.page.get_by_role("button", name="Submit the batch").click()
    expect(screen.page.get_by_role("heading", name="Thank you")).to_be_visible()
    assignment.refresh_from_db()
    assert (assignment.status, assignment.feedback, Rating.objects.count()) == ("submitted", "A clear task.", 24)


def test_the_candidate_in_question_stands_in_the_dialogue_as_its_next_turn(screen: Screen):
    for _ in range(3):
        token = step(screen.page).locator(".part").get_attribute("data-item")
        expect(screen.page.locator(".turn.next:visible p")).to_have_text(Item.objects.get(token=token).candidate.text)
        press(screen.page, "2", "Enter")


def test_backspace_goes_back_to_ones_own_answer(screen: Screen):
    press(screen.page, "2", "a", "Enter", "Backspace")
    expect_step(screen.page, 0, 1)
    expect(step(screen.page).locator("input[type=radio]:checked")).to_have_value("2")
    expect(step(screen.page).locator("[data-why='2'] input[value=a]")).to_be_checked()


def test_back_from_the_first_step_is_the_last_of_the_dialogue_before(screen: Screen, assignment: Assignment):
    screen.go(reverse("rate", args=[assignment.token, 1, 1]))
    press(screen.page, "Backspace")
    expect_step(screen.page, 0, 12)


def test_an_answer_confirmed_again_unchanged_is_not_sent_again(screen: Screen):
    press(screen.page, "1", "Enter", "Backspace", "Enter")
    expect_step(screen.page, 0, 2)
    expect_saved(screen.page)
    assert RatingRevision.objects.count() == 1


def test_a_changed_answer_is_a_revision(screen: Screen):
    press(screen.page, "1", "Enter", "Backspace", "2", "Enter")
    wait_until(lambda: RatingRevision.objects.count() == 2, what="the second revision")
    assert answers() == [("appropriateness", "not-appropriate")]


def test_keys_do_nothing_inside_a_text(screen: Screen):
    press(screen.page, "3")
    screen.page.keyboard.type("12 a b")
    press(screen.page, "Backspace", "Enter")
    expect(step(screen.page).locator("[data-why='3'] textarea")).to_have_value("12 a \n")
    expect(step(screen.page).locator("input[type=radio]:checked")).to_have_value("3")
    expect_step(screen.page, 0, 1)


def test_a_double_press_of_enter_is_one_answer_and_no_mistake(screen: Screen):
    press(screen.page, "1")
    screen.page.evaluate(
        """() => { for (let n = 0; n < 2; n += 1)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })); }"""
    )
    expect_step(screen.page, 0, 2)
    expect(step(screen.page).locator("[data-error=option]")).to_be_hidden()
    expect_saved(screen.page)
    assert RatingRevision.objects.count() == 1


def test_the_next_step_is_there_when_the_click_returns(screen: Screen):
    """Also from one dialogue to the next: it was fetched before."""
    screen.page.wait_for_load_state("networkidle")
    for _ in range(14):
        press(screen.page, "1")
        assert screen.page.evaluate(
            """() => {
            const before = document.querySelector(".step:not([hidden])");
            document.querySelector("[data-save]").click();
            return document.querySelector(".step:not([hidden])") !== before; }"""
        )


# --- what an option asks for -------------------------------------------------------------------------------
def test_explanations_open_under_the_judgement_that_asks_for_them(screen: Screen):
    whys = step(screen.page).locator(".why")
    assert [why.is_visible() for why in whys.all()] == [False, False, False]
    press(screen.page, "2")
    assert [why.is_visible() for why in whys.all()] == [False, True, False]
    press(screen.page, "a", "Enter")
    expect_saved(screen.page)
    assert len(Rating.objects.get().explanations) == 1


def test_other_opens_a_text_that_is_needed_and_sent_while_it_is_ticked(screen: Screen):
    why = step(screen.page).locator("[data-why='2']")
    press(screen.page, "2")
    expect(why.locator("textarea")).to_be_hidden()
    press(screen.page, "a", "b")
    expect(why.get_by_label("Other (in your own words)")).to_be_checked()
    expect(why.locator("textarea")).to_be_focused()
    press(screen.page, "Control+Enter")
    expect(why.locator("[data-error=free_text]")).to_have_text(
        "Write your own reason in 3 to 30 words, or untick “Other”."
    )
    screen.page.keyboard.type("It mixes names")
    expect(why.locator(".word-count")).to_have_text("3 words (3 to 30 needed)")
    press(screen.page, "Control+Enter")
    expect_saved(screen.page)
    assert Rating.objects.get().free_text == "It mixes names"


def test_a_text_is_not_sent_once_other_is_unticked(screen: Screen):
    press(screen.page, "2", "b")
    screen.page.keyboard.type("It mixes names")
    press(screen.page, "Escape", "b")
    expect(step(screen.page).locator("[data-why='2'] textarea")).to_be_hidden()
    press(screen.page, "Enter", "Backspace")
    expect_saved(screen.page)
    assert (Rating.objects.get().free_text, Rating.objects.get().explanations) == ("", [])


def test_a_judgement_that_asks_nothing_opens_nothing(screen: Screen, assignment: Assignment):
    screen.go(reverse("rate", args=[assignment.token, 0, 7]))  # listening
    press(screen.page, "1")
    expect(step(screen.page).locator(".why")).to_have_count(0)


def test_words_are_counted_while_they_are_typed(screen: Screen):
    press(screen.page, "3")
    screen.page.keyboard.type("I cannot tell")
    expect(step(screen.page).locator("[data-why='3'] .word-count")).to_have_text("3 words (3 to 30 needed)")


def test_a_missing_reason_is_named_where_it_is_missing(screen: Screen):
    press(screen.page, "3", "Control+Enter")
    expect(step(screen.page).locator("[data-why='3'] [data-error=free_text]")).to_have_text(
        "Say why in 3 words or more."
    )
    expect(step(screen.page).locator("[data-why='3'] textarea")).to_be_focused()
    screen.page.keyboard.type("I cannot tell")
    press(screen.page, "Control+Enter")
    expect_step(screen.page, 0, 2)
    expect_saved(screen.page)
    assert Rating.objects.get().free_text == "I cannot tell"


def test_the_first_question_without_an_answer_is_scrolled_to_and_named(open_screen, cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version(4))
    participant = make_annotator(study, "scaler")
    screen = open_screen(participant.user, height=500)
    begin(screen, take_seat(participant, make_batch(study, 2, 2)))
    press(screen.page, "5", "4")
    screen.page.keyboard.press("Enter")
    error = step(screen.page).locator("[data-criterion=consistency] [data-error=option]")
    expect(error).to_have_text("Choose one of the answers to “Consistency”.")
    expect(error).to_be_in_viewport()
    press(screen.page, "3", "1", "Enter")
    expect_step(screen.page, 0, 2)
    wait_until(lambda: Rating.objects.count() == 4, what="four answers")
    assert dict(answers()) == {
        "fluency": "p5",
        "coherence": "p4",
        "consistency": "p3",
        "diversity": "p1",
    }


def test_a_correction_made_while_the_first_answer_is_on_its_way_is_the_one_that_stays(screen: Screen):
    """The first request is slow: by its arrival it would seem to be the younger answer."""

    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)

    screen.page.route("**/api/v1/answers/**", hold_the_first)
    press(screen.page, "1", "Enter", "Backspace", "2", "Enter")
    wait_until(lambda: (screen.page.wait_for_timeout(300), held)[1], what="the first request")
    held[0].continue_()
    wait_until(lambda: (screen.page.wait_for_timeout(20), RatingRevision.objects.count() == 2)[1], what="both answers")
    assert answers() == [("appropriateness", "not-appropriate")]


# --- what the browser gets ---------------------------------------------------------------------------------------
def test_nothing_that_would_unblind_goes_over_the_wire(open_screen, cast: Cast, assignment: Assignment):
    screen = open_screen(cast.annotator.user)
    bodies: list[str] = []
    screen.listen("response", lambda got: bodies.append(got.url + got.text()) if "/static/" not in got.url else None)
    begin(screen, assignment)
    press(screen.page, "1", "a", "Enter", "2", "a", "Enter")
    screen.page.wait_for_load_state("networkidle")
    screen.go(reverse("guidelines", args=[cast.study.slug]))
    wire = "\n".join(bodies)
    assert "step-place" in wire
    secrets = [*HIDDEN_WORDS, *cast.study.sources.values_list("name", flat=True)]
    assert [word for word in secrets if word in wire] == []


def test_the_first_page_is_small(open_screen, cast: Cast, assignment: Assignment):
    """In requests, and in bytes as a server sends them that compresses its static files."""
    screen = open_screen(cast.annotator.user)
    got: list[Response] = []
    screen.listen("response", lambda response: got.append(response))  # noqa: PLW0108 - it takes no attributes
    begin(screen, assignment)
    screen.page.wait_for_load_state("load")
    first = [each for each in got if each.status == 200 and each.request.resource_type != "fetch"]
    assert len(first) <= 10, [each.url for each in first]
    assert sum(len(gzip.compress(each.body())) for each in first) < 64_000


def test_keys_pressed_while_the_next_dialogue_is_loading_change_nothing(open_screen, cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version(1, unit="dialogue"))
    participant = make_annotator(study, "reader")
    screen = open_screen(participant.user)
    held: list[Route] = []
    screen.page.route(re.compile(r"/work/[0-9a-f-]{36}/\d+/$"), lambda route: held.append(route))  # noqa: PLW0108 - it takes no attributes
    begin(screen, take_seat(participant, make_batch(study, 2, 0)))
    press(screen.page, "3", "Enter")
    expect(screen.page.locator("[data-stage]")).to_have_attribute("aria-busy", "true")
    press(screen.page, "1", "Enter")
    expect(step(screen.page).locator("input:checked")).to_have_attribute("data-key", "3")
    for route in held:
        route.continue_()
    expect_step(screen.page, 1, 1)
    expect_saved(screen.page)
    assert answers() == [("fluency", "p3")]


def test_a_large_batch_opens_with_one_dialogue(open_screen, cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version(1, unit="dialogue"))
    participant = make_annotator(study, "reader")
    assignment = take_seat(participant, make_batch(study, 300, 0))
    screen = open_screen(participant.user)
    begin(screen, assignment)
    expect(step(screen.page)).to_have_count(1)
    for position in range(8):
        expect_step(screen.page, position, 1)
        press(screen.page, "3", "Enter")
    expect_step(screen.page, 8, 1)
    expect_saved(screen.page)
    assert Rating.objects.count() == 8


# --- for everybody -------------------------------------------------------------------------------------------------
def test_a_batch_can_be_rated_without_javascript(open_screen, cast: Cast, assignment: Assignment):
    screen = open_screen(cast.annotator.user, java_script_enabled=False)
    screen.allowed = ["422"]
    begin(screen, assignment)
    screen.page.get_by_role("button", name="Save and continue").click()
    expect(screen.page.get_by_role("alert").filter(has_text="Choose one")).to_be_visible()
    step(screen.page).locator(".choice", has_text="Not appropriate").click()
    step(screen.page).get_by_text("It does not follow").click()
    screen.page.get_by_role("button", name="Save and continue").click()
    expect_step(screen.page, 0, 2)
    screen.page.get_by_role("link", name="Back").click()
    expect(step(screen.page).locator("input[name$=-option]:checked")).to_have_value("2")
    assert answers() == [("appropriateness", "not-appropriate")]


def test_the_focus_moves_to_the_active_question_of_the_new_step(screen: Screen):
    press(screen.page, "1", "Enter")
    expect(step(screen.page).locator("fieldset[data-active]")).to_be_focused()
    expect(screen.page.locator("[data-announce]")).to_contain_text("Response 2 of 3")


def test_right_to_left_texts_run_from_the_right(open_screen, cast: Cast, assignment: Assignment):
    for item in cast.batch.items.select_related("candidate"):
        item.candidate.text = "أفهم ذلك، وماذا تفعل حين يعود؟"
        item.candidate.save()
    screen = open_screen(cast.annotator.user)
    begin(screen, assignment)
    quote = screen.page.locator(".turn.next:visible p")
    assert quote.evaluate("element => getComputedStyle(element).direction") == "rtl"


def test_on_a_phone_options_are_large_enough_and_nothing_scrolls_sideways(open_screen, cast: Cast, assignment):
    screen = open_screen(cast.annotator.user, **PHONE)
    begin(screen, assignment)
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for choice in step(screen.page).locator(".choice").all():
        assert choice.bounding_box()["height"] >= 44
    dialogue, question = screen.page.locator("[data-context]"), step(screen.page)
    assert dialogue.bounding_box()["y"] < question.bounding_box()["y"]
    assert dialogue.bounding_box()["height"] > 740 / 2 - 100
    step(screen.page).locator(".choice", has_text="Not appropriate").tap()
    screen.page.get_by_role("button", name="Save and continue").tap()
    expect_step(screen.page, 0, 2)
    expect_saved(screen.page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_no_barrier_on_any_page(open_screen, cast: Cast, assignment: Assignment, scheme: str, device: dict):
    Study.objects.update(
        consent_text="# What we keep\n\nYour answers.", is_joinable=True, pay_amount=5, pay_currency="EUR"
    )
    screen = open_screen(cast.annotator.user, color_scheme=scheme, **device)
    found = {}

    def look(path: str, *keys: str) -> None:
        screen.go(path)
        press(screen.page, *keys)
        found[f"{path} {keys}"] = screen.barriers()

    look(reverse("consent", args=[cast.study.slug]))
    look(reverse("work"))
    look(reverse("join", args=[cast.study.join_token]))
    Participant.objects.update(consent_version="1", consented_at=timezone.now())
    rate = reverse("rate", args=[assignment.token, 0, 1])
    for keys in ((), ("2", "a"), ("3", "Control+Enter")):
        look(rate, *keys)
    look(reverse("guidelines", args=[cast.study.slug]))
    look(reverse("submit", args=[assignment.token]))
    look(reverse("work"))
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    look(reverse("thanks", args=[assignment.token]))
    barriers = "\n".join(f"{page}\n{report}" for page, report in found.items() if report)
    assert not barriers, barriers
