"""Questions that may be answered with none, as somebody rates them: by key 0, by Enter, by hand, and back again."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Rating
from protocols.services import FIRST_COMPARISON, store_bundle
from tests.browser.helpers import LOOKS, wait_for_step
from tests.browser.rating import begin, expect_step, press, step, wait_until_looked_at
from tests.comparing import deal, make_study
from tests.factories import make_annotator, take_seat
from tests.optional import BEHAVIOURS, SHEET, make_sheet_batch
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
LABELS = {"behaviours": "None of these", "tone": "No answer", "where": "No turn"}


@pytest.fixture
def begun() -> Assignment:
    batch = make_sheet_batch(2)
    return take_seat(make_annotator(batch.study, "ann"), batch)


def question(page: Page, key: str):
    return step(page).locator(f"fieldset[data-criterion={key}]")


def box(page: Page, key: str, label: str = ""):
    role = "radio" if key == "tone" else "checkbox"
    return question(page, key).get_by_role(role, name=label or LABELS[key])


def stored() -> dict[tuple[int, str], tuple]:
    rows = Rating.objects.values_list("item__position", "criterion__key", "option__key", "choices", "turns")
    return {(position, key): (option, len(choices), turns) for position, key, option, choices, turns in rows}


@LOOKS
def test_a_sheet_without_a_tick_is_rated_and_shown_as_none(open_screen, begun: Assignment, width: int, scheme: str):
    screen = open_screen(begun.participant.user, width=width, color_scheme=scheme)
    page = begin(screen, begun)
    wait_for_step(page)
    expect(page.locator("body")).to_contain_text("0 of 2")
    for key in LABELS:
        assert question(page, key).evaluate("each => each === document.querySelector('[data-active]')")
        expect(box(page, key)).not_to_be_checked()
        press(page, "0")
        expect(box(page, key)).to_be_checked()
    expect(page.locator("[data-save]")).to_be_focused()
    assert screen.barriers() == ""
    press(page, "Enter")
    wait_until(lambda: len(stored()) == 3, what="three answers")
    assert {key: stored()[1, key] for key in LABELS} == dict.fromkeys(LABELS, (None, 0, []))
    expect(page.locator("body")).to_contain_text("1 of 2")
    wait_for_step(page)
    press(page, "Backspace")
    for key in LABELS:
        expect(box(page, key)).to_be_checked()
    page.reload()
    wait_for_step(page)
    for key in LABELS:
        expect(box(page, key)).to_be_checked()


def test_enter_says_none_to_one_question_after_another(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    wait_until_looked_at(page)
    press(page, "Enter")
    expect(box(page, "behaviours")).to_be_checked()
    expect(box(page, "tone")).not_to_be_checked()
    press(page, "1", "Enter", "Enter")
    wait_until(lambda: len(stored()) == 3, what="three answers")
    assert {key: stored()[1, key] for key in LABELS} == {
        "behaviours": (None, 0, []), "tone": ("warm", 0, []), "where": (None, 0, []),
    }  # fmt: skip


def test_enter_is_taken_the_moment_the_next_page_is_there(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    press(page, "0", "0", "0", "Enter", "Enter", "1")
    assert question(page, "behaviours").get_attribute("data-active") is None
    expect(box(page, "behaviours")).to_be_checked()
    expect(box(page, "tone", "Warm")).to_be_checked()


def test_one_long_press_of_enter_says_none_to_nothing(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    press(page, "0", "0", "0")
    for _ in range(5):
        page.keyboard.down("Enter")  # never released: all but the first repeat it
    page.keyboard.up("Enter")
    wait_until(lambda: len(stored()) == 3, what="three answers")
    for key in LABELS:
        expect(box(page, key)).not_to_be_checked()


def test_ctrl_enter_in_a_text_leads_to_the_next_question_without_a_word_about_it(open_screen):
    why = {"key": "other", "label": "Other", "asks": "free_text", "words_min": 1}
    tone = SHEET["criteria"][1] | {"required": True}
    manner = tone | {"key": "manner", "name": "Manner", "options": [*tone["options"], why]}
    batch = make_sheet_batch(2, criteria=[manner, tone])
    work = take_seat(make_annotator(batch.study, "ann"), batch)
    page = begin(open_screen(work.participant.user), work)
    wait_for_step(page)
    press(page, "4")
    page.keyboard.type("Sleepy")
    press(page, "Control+Enter")
    expect(active(page)).to_have_attribute("data-criterion", "tone")
    expect(question(page, "tone").locator("[data-error]:visible")).to_have_count(0)
    press(page, "1", "Enter")
    wait_until(lambda: len(stored()) == 2, what="two answers")


def test_a_double_click_on_save_is_no_none_for_the_next_page(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    press(page, "0", "0", "0")
    page.locator("[data-save]").dblclick()
    wait_until(lambda: len(stored()) == 3, what="three answers")
    expect_step(page, 2, 1)
    for key in LABELS:
        expect(box(page, key)).not_to_be_checked()


def test_the_screen_says_what_enter_means_before_it_is_pressed(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    hints = (
        "(choose all that apply, or none) Enter alone means none.",
        "(choose one, or no answer) Enter alone means no answer.",
        "(mark the turns, or none) Enter alone means none.",
    )
    for key, hint in zip(LABELS, hints, strict=True):
        legend = question(page, key).locator("legend")
        expect(legend).to_contain_text(hint)
        expect(legend).not_to_contain_text("optional")
    page.get_by_role("button", name="Keys").click()
    expect(page.locator("[data-keys]")).to_contain_text("Without an answer it means none")


def test_the_button_says_that_saving_means_none(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    save = page.locator("[data-save-label]")
    expect(save).to_have_text("Save with none")
    press(page, "1")
    expect(save).to_have_text("Save, none for 2 questions")
    press(page, "ArrowDown", "0", "0")
    expect(save).to_have_text("Save and continue")


def test_an_answer_that_stands_alone_leads_on_and_one_of_several_does_not(open_screen):
    alone = [option | {"alone": option["key"] == "ignores"} for option in BEHAVIOURS["options"]]
    batch = make_sheet_batch(criteria=[BEHAVIOURS | {"options": alone}, *SHEET["criteria"][1:]])
    work = take_seat(make_annotator(batch.study, "ann"), batch)
    page = begin(open_screen(work.participant.user), work)
    wait_for_step(page)
    press(page, "2")
    expect(active(page)).to_have_attribute("data-criterion", "behaviours")
    press(page, "1")
    expect(box(page, "behaviours", "Ignores")).to_be_checked()
    expect(active(page)).to_have_attribute("data-criterion", "tone")
    press(page, "1")
    expect(active(page)).to_have_attribute("data-criterion", "where")


def active(page: Page):
    return step(page).locator("fieldset[data-active]")


def test_an_answer_takes_none_back_and_none_takes_all_answers_back(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    press(page, "1", "3")
    expect(box(page, "behaviours", "Preaches")).to_be_checked()
    box(page, "behaviours").check(force=True)
    for label in ("Ignores", "Preaches"):
        expect(box(page, "behaviours", label)).not_to_be_checked()
    box(page, "behaviours", "Repeats").check(force=True)
    expect(box(page, "behaviours")).not_to_be_checked()
    page.locator("[data-save]").click()
    wait_until(lambda: len(stored()) == 3, what="three answers")
    assert stored()[1, "behaviours"] == (None, 1, [])


def test_saving_with_the_mouse_takes_the_page_as_it_stands_and_the_batch_ends(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    for _ in range(2):
        wait_for_step(page)
        wait_until_looked_at(page)
        page.locator("[data-save]").click()
    page.wait_for_url(f"**{reverse('submit', args=[begun.token])}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Everything is rated")
    assert list(stored().values()) == [(None, 0, [])] * 6
    assert all(each.endswith("none") for each in page.locator(".review-answers dd a").all_inner_texts())


def test_where_0_is_another_answer_no_answer_has_the_next_key_and_one_name(open_screen, transactional_db: None):
    optional = FIRST_COMPARISON | {"required": False}
    head = {"bundle": 1, "protocol": "own", "name": "Own", "version": "1.0", "unit": "comparison"}
    bundle = head | {"mode": "comparative", "criteria": [optional]}
    study = make_study(1, 2, version=store_bundle(bundle, publish=True, now=timezone.now())[0])
    (batch,) = deal(study)
    begun = take_seat(make_annotator(study, "ann"), batch)
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    asked = question(page, "preference")
    expect(asked.locator("legend")).to_contain_text("(choose one, or no answer) Enter alone means no answer.")
    expect(page.locator("[data-save-label]")).to_have_text("Save with no answer")
    expect(asked.locator(".choice kbd:not(.keys-only)")).to_have_text(["1", "3", "2", "0", "4"])
    press(page, "4")
    expect(asked.get_by_role("radio", name="No answer")).to_be_checked()
