"""What a screen reader says of the rating screen, for every protocol that ships: Chromium's accessibility tree."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.selectors.work import dialogue_page
from annotation.steps import AskedCriterion, Step
from protocols.selectors import BUILTIN
from tests.browser.aloud import Heard, Reader, plain
from tests.browser.helpers import Screen
from tests.shipped import Work
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
SIZES = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 375, "height": 740, "has_touch": True, "is_mobile": True},
}
TOGETHER = "all responses together"
SHIPPED = sorted(path.stem for path in BUILTIN.glob("*.yaml"))
AREAS = ("skip-link", "rate-bar", "rate-context", "rate-steps", "rate-guide", "rate-dock")
AREA = f"document.activeElement.closest('{', '.join(f'.{each}' for each in AREAS)}')?.className"
MOST_STOPS = 60
on_every_protocol = pytest.mark.parametrize("name", [*SHIPPED, TOGETHER])
on_every_size = pytest.mark.parametrize("size", SIZES)


class Opened:
    """The rating screen of one protocol, at its first step."""

    def __init__(self, open_screen: Open, name: str, size: str) -> None:
        shipped, changes = (name, {}) if name != TOGETHER else ("three-point-coherence-1.0", {"order": "set_level"})
        self.work = Work(shipped, n_sources=n_sources_of(name), **changes).has_read_all()
        self.size = size
        self.screen = open_screen(self.work.participant.user, **SIZES[size])
        self.page: Page = self.screen.go(reverse("rate_start", args=[self.work.assignment.token]))
        expect(self.page.locator("#rate[data-ready]")).to_have_count(1)
        expect(self.page.locator("[data-strip]")).to_be_visible()
        self.reader = Reader(self.screen.cdp)
        first = min(self.work.batch.items.values_list("position", flat=True))
        self.step: Step = dialogue_page(self.work.assignment, first).steps[0]

    def heard(self) -> Heard:
        return self.reader.page()

    @property
    def about_a_part(self) -> str:
        """Where several responses are on one page, each has a heading of its own."""
        return "Response 1" if len(self.step.parts) > 1 else ""

    def from_the_top(self) -> None:
        """As when the page has just been loaded and nothing has the focus."""
        self.page.evaluate("document.querySelector('.skip-link').focus()")

    def stops(self, key: str = "Tab") -> list[tuple[str, Heard]]:
        """Where a key stops, with the part of the screen, until the focus leaves the page."""
        found: list[tuple[str, Heard]] = []
        while area := self.page.evaluate(AREA):
            found.append((area.split()[0], self.reader.focused()))
            assert len(found) < MOST_STOPS, "the focus goes round in circles"
            self.page.keyboard.press(key)
        return found

    def look(self) -> Heard:
        """What is focused now, which is never nothing."""
        focused = self.reader.focused()
        assert focused.role not in ("", "generic")
        assert focused.name
        return focused


def n_sources_of(name: str) -> int:
    return 0 if name.startswith("diqad") else 2 if name.startswith("acute") else 1


@dataclass(frozen=True)
class Start:
    """What is said of a screen that has just been opened."""

    page: Heard
    step: Step
    size: str

    def groups(self) -> list[Heard]:
        names = [name_of(question, self.size) for _, question in asked(self.step)]
        return [each for each in self.page.one("region", "Questions").all("group") if each.name in names]


@pytest.fixture
def opened(open_screen: Open, name: str, size: str) -> Opened:
    return Opened(open_screen, name, size)


@pytest.fixture(scope="module")
def starts() -> dict[tuple[str, str], Start]:
    """Of each screen, as soon as a test has opened it: several look at the same words."""
    return {}


@pytest.fixture
def start(starts: dict[tuple[str, str], Start], open_screen: Open, name: str, size: str) -> Start:
    if (name, size) not in starts:
        opened = Opened(open_screen, name, size)
        starts[name, size] = Start(opened.heard(), opened.step, size)
    return starts[name, size]


def asked(step: Step) -> list[tuple[str, AskedCriterion]]:
    """The questions of a step that no other answer has to open, each with the response it is about."""
    about = "" if len(step.parts) == 1 else "Response {}"
    return [(about.format(part.number), each) for part, each in step.questions if each.is_asked]


def name_of(question: AskedCriterion, size: str) -> str:
    return plain(f"{question.criterion.name} {question.criterion.question}") + hint_of(question, size)


def hint_of(question: AskedCriterion, size: str) -> str:
    """What is said of an answer that may be none; on a phone nothing of keys."""
    if question.criterion.required:
        return ""
    how = "mark the turns" if question.criterion.kind == "turns" else "choose all that apply"
    ending = "" if SIZES[size].get("is_mobile") else " Enter alone means none."
    if question.criterion.kind == "single":
        return f" (choose one, or no answer){ending.replace('none', 'no answer')}"
    return f" ({'choose one' if question.criterion.takes_one else how}, or none){ending}"


def button_before_any_answer(step: Step, size: str) -> str:
    """What the button of the dock says: on a phone it leads to the next question, elsewhere it saves.

    Where every answer may be none, it leads to the questions that are not on screen yet.
    """
    questions = [each for _, each in asked(step)]
    if len(questions) == 1:
        return "Save and continue"
    if SIZES[size].get("is_mobile"):
        return "Next question" if questions[0].criterion.required else "None, next question"
    return "Save and continue" if any(each.criterion.required for each in questions) else "Show more questions"


def heading_of(page: Heard) -> str:
    return page.one("region", "Questions").all("heading")[0].name


# --- what there is ----------------------------------------------------------------------------------
@on_every_size
@on_every_protocol
def test_a_question_is_a_group_that_says_what_it_asks_and_about_which_response(start: Start):
    page = start.page
    expected = [(name_of(question, start.size), about or heading_of(page)) for about, question in asked(start.step)]
    assert [(each.name, each.description) for each in start.groups()] == expected


@on_every_protocol
@pytest.mark.parametrize("size", ["desktop"])
def test_an_answer_says_its_label_and_what_it_means(start: Start):
    for group, (_, question) in zip(start.groups(), asked(start.step), strict=True):
        choices = group.all("radio" if question.criterion.kind == "single" else "checkbox")
        options = question.criterion.options
        none = [] if question.criterion.required else ["None of these"]
        assert [each.name for each in choices] == [*(plain(option.label) for option in options), *none]
        for choice, option in zip(choices, options, strict=bool(not none)):
            meaning = [plain(text) for text in (option.definition, *option.conditions) if text]
            assert all(text in choice.description for text in meaning)
            assert bool(choice.description) == bool(meaning)
            assert choice.states["checked"] == "false"


@on_every_size
@on_every_protocol
def test_the_parts_of_the_screen_have_names_and_headings_leave_no_level_out(start: Start):
    page = start.page
    names = [each.name for each in page.one("main").all("region")]
    regions = [each for each in names if each not in ("Speaker 1", "Speaker 2")]  # what is compared
    assert regions in (["What to read", "The dialogue", "Questions"], [*regions[:3], "Guidelines"])
    assert page.one("navigation").name == "Items of the batch"
    headings = page.all("heading")
    levels = [each.states["level"] for each in headings]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise([0, *levels]))
    assert all(each.name for each in headings)


@on_every_size
@on_every_protocol
def test_the_dock_says_what_is_done_and_what_saves(start: Start):
    page = start.page
    assert page.one("button", button_before_any_answer(start.step, start.size))
    items = [each.name for each in page.one("navigation").all("button")]
    if items in (["Items 1.1"], ["Items 1"]):
        return  # on a phone the number of the item stands for the progress
    assert items.pop().startswith("Go to")
    assert all(name.startswith("Dialogue ") and name.endswith(": not answered") for name in items)
    assert "0 of " in page.words


@pytest.mark.parametrize("size", ["phone"])
@pytest.mark.parametrize("name", ["persona-quality-1.0", TOGETHER])
def test_the_numbers_that_lead_to_a_question_say_which_and_about_which_response(start: Start):
    page = start.page
    expected = [(each.criterion.name, about or heading_of(page)) for about, each in asked(start.step)]
    numbers = page.one("group", "Questions").all("button")
    assert [(each.name, each.description) for each in numbers] == expected


# --- where the focus goes -----------------------------------------------------------------------------
@on_every_size
@on_every_protocol
def test_tab_leads_from_the_dialogue_over_the_questions_to_the_dock_and_back_and_is_never_lost(opened: Opened):
    before = button_before_any_answer(opened.step, opened.size)
    if before == "Show more questions":
        before = "Save with none"  # once Tab has led over all questions, they have been on screen
    for what, button in (("nothing is answered", before), ("the step is answered", "Save and continue")):
        opened.from_the_top()
        stops = opened.stops()
        expect_the_same_way_back(opened, stops)
        assert nameless(stops) == [], what
        areas = [AREAS.index(area) for area, _ in stops]
        assert areas == sorted(areas), what
        assert {"rate-context", "rate-steps", "rate-dock"} <= {area for area, _ in stops}
        assert str(stops[-1][1]) == f"button “{button}”", what
        choices = [each.name for area, each in stops if area == "rate-steps" and each.role in ("radio", "checkbox")]
        assert len(choices) >= len(asked(opened.step)), what
        answer_the_step(opened)


def expect_the_same_way_back(opened: Opened, there: list[tuple[str, Heard]]) -> None:
    opened.page.locator("[data-save]").focus()
    back = opened.stops("Shift+Tab")
    assert list(dict.fromkeys(area for area, _ in reversed(back))) == list(dict.fromkeys(area for area, _ in there))
    assert nameless(back) == []


def nameless(stops: list[tuple[str, Heard]]) -> list[str]:
    return [f"{area}: {each}" for area, each in stops if not each.name or each.role in ("", "generic")]


def answer_the_step(opened: Opened) -> list[Heard]:
    """By keys, with the answers that ask for the least. Returns what had the focus at each question."""
    heard = []
    opened.page.locator("fieldset.asked:visible").first.focus()
    for _, question in asked(opened.step):
        heard.append(opened.look())
        choice = [each for each in question.choices if each.option.asks in ("nothing", "explanation")][-1]
        opened.page.keyboard.type(choice.key)
        is_last = question.criterion.takes_one or choice.option.alone
        if choice.option.asks != "nothing" or not is_last:
            opened.page.keyboard.press("ArrowDown")
    expect(opened.page.locator("[data-save]")).to_be_focused()
    return heard


@on_every_size
@on_every_protocol
def test_answers_lead_the_focus_from_question_to_question_to_the_button_and_to_the_next_response(opened: Opened):
    first = heading_of(opened.heard())
    assert opened.look().role == "group"
    heard = answer_the_step(opened)
    expected = [(name_of(question, opened.size), about or first) for about, question in asked(opened.step)]
    assert [(each.name, each.description) for each in heard] == expected
    assert str(opened.look()) == "button “Save and continue”"
    save_and_wait(opened)
    page, focused = opened.heard(), opened.look()
    assert focused.role == "group"
    assert focused.description == (opened.about_a_part or heading_of(page))
    assert page.all("status")[0].words.startswith(heading_of(page))


def save_and_wait(opened: Opened) -> None:
    path = opened.page.url
    opened.page.keyboard.press("Enter")
    expect(opened.page).not_to_have_url(path)
    expect(opened.page.locator("[data-stage]:not([aria-busy])")).to_have_count(1)


@on_every_size
@pytest.mark.parametrize("name", ["persona-quality-1.0"])
def test_back_is_a_link_as_soon_as_there_is_a_way_back(opened: Opened):
    assert opened.heard().all("link", name="Back") == []
    answer_the_step(opened)
    save_and_wait(opened)
    assert opened.heard().one("link", "Back")
    opened.from_the_top()
    assert "link “Back”" in [str(each) for area, each in opened.stops() if area == "rate-dock"]
    opened.page.locator("[data-back]").focus()
    save_and_wait(opened)
    assert opened.look().role == "group"
    assert opened.heard().all("link", name="Back") == []


@on_every_size
@pytest.mark.parametrize("name", ["dialogue-hit-1.0"])
def test_the_button_that_scrolls_to_the_beginning_hands_its_focus_to_the_dialogue(opened: Opened):
    size = opened.page.viewport_size
    opened.page.set_viewport_size({**size, "height": size["height"] - 80})  # so that the dialogue scrolls
    above = opened.page.locator("[data-more=above]")
    expect(above).to_be_visible()
    above.focus()
    assert str(opened.look()) == "button “More above”"
    while above.is_visible():
        above.press("Enter")
    assert str(opened.look()) == "region “The dialogue”"


# --- what is said without being asked -------------------------------------------------------------------
@pytest.mark.parametrize("size", ["desktop"])
@pytest.mark.parametrize("name", ["persona-quality-1.0", "he-protocol-1.0"])
def test_a_refused_save_is_an_alert_and_the_answers_are_marked_as_invalid(opened: Opened):
    wait_until(lambda: refused(opened), what="a refusal")
    focused = opened.look()
    assert focused.role in ("radio", "checkbox")
    assert focused.states["invalid"] == "true"


def refused(opened: Opened) -> bool:
    """The first press may be taken for an echo of the one before."""
    opened.page.keyboard.press("Enter")
    name = opened.step.part.questions[0].criterion.name
    return any(name in alert.words for alert in opened.heard().all("alert"))


@pytest.mark.parametrize("size", ["desktop"])
@pytest.mark.parametrize("name", ["persona-quality-1.0", "he-protocol-1.0"])
def test_answers_kept_offline_are_said_and_so_is_that_they_are_saved(opened: Opened):
    opened.screen.allowed = ["ERR_INTERNET_DISCONNECTED"]
    opened.page.wait_for_load_state("networkidle")
    opened.screen.context.set_offline(True)
    answer_the_step(opened)
    opened.page.keyboard.press("Enter")
    n = len(asked(opened.step))
    wait_until(lambda: f"Offline: {n} kept here" in said(opened), what="that they are kept")
    opened.screen.context.set_offline(False)
    wait_until(lambda: "Saved" in said(opened), what="that they are saved")


@pytest.mark.parametrize("size", ["desktop"])
@pytest.mark.parametrize("name", ["persona-quality-1.0"])
def test_the_end_of_the_session_is_an_alert_with_the_way_on(opened: Opened):
    opened.screen.allowed = ["401", "403"]
    opened.page.wait_for_load_state("networkidle")
    opened.screen.sign_out()
    answer_the_step(opened)
    opened.page.keyboard.press("Enter")
    wait_until(lambda: opened.heard().all("alert"), what="an alert")
    alert = opened.heard().one("alert")
    assert alert.words.startswith("Nothing is lost.")
    assert alert.one("link", "Sign in again")


def said(opened: Opened) -> list[str]:
    return [each.words for each in opened.heard().all("status")]


# --- what opens -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", ["desktop"])
@pytest.mark.parametrize("name", ["he-protocol-1.0"])
def test_what_a_key_opens_has_a_name_and_the_focus_and_gives_it_back(opened: Opened):
    for key, role, title in (("?", "dialog", "Keys"), ("f", "dialog", "What is wrong with this item?")):
        while not opened.heard().all(role, name=title):
            opened.page.keyboard.press(key)
        assert opened.look()
        opened.page.keyboard.press("Escape")
        expect(opened.page.locator("dialog[open]")).to_have_count(0)
        assert opened.look().role == "group"
    opened.page.keyboard.press("g")
    assert opened.look().role == "textbox"
    opened.page.keyboard.press("Escape")
    assert opened.look().role == "group"
