"""A batch of each shipped protocol is rated by keyboard in Firefox and in WebKit, as in Chromium.

After every key the geometry is looked at, and in the end what is stored is what was read beside the keys.
"""

import json
from collections.abc import Iterator

import pytest
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from annotation.models import Candidate, Dialogue, Rating
from annotation.numbering import numbered_turns
from protocols.models import Explanation, Option
from tests.browser.conftest import SCREENSHOTS
from tests.browser.other_browsers import STARTING, OtherScreen, start
from tests.browser.test_rating_geometry import SENTENCE, TURNS
from tests.browser.test_rating_walk import PROTOCOLS, label_of, text_of
from tests.shipped import Work

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning"),  # selenium warns of itself
]
WORDS = "It could be both."
Answers = dict[tuple[str, str], list[str]]  # all that was chosen or typed, by the text that was read and the question
PLACE = "[location.pathname, document.querySelector('fieldset[data-active]')?.dataset.name].join(' ')"
REASON = """
[...document.querySelectorAll("fieldset[data-active] .why .reason")].filter((each) => each.offsetHeight).map((each) =>
  ({ key: each.querySelector("input").dataset.key, text: each.querySelector("span").textContent }))[0]
"""


@pytest.fixture(scope="module", params=STARTING)
def driver(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    with start(request.param) as driver:
        yield driver


@pytest.fixture
def screen(driver: WebDriver, live_server: LiveServer, request: pytest.FixtureRequest) -> Iterator[OtherScreen]:
    screen = OtherScreen(driver, live_server.url)
    yield screen
    if getattr(request.node, "has_failed", True):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        driver.save_screenshot(SCREENSHOTS / f"{request.node.name}.png")
    screen.leave()


class Annotator:
    """Chooses the first answer of the first question, the second of the second and so on, and notes what it said."""

    def __init__(self, screen: OtherScreen) -> None:
        self.screen = screen
        self.noted: Answers = {}
        self.seen = screen.look("the first question")

    def rate_all(self) -> None:
        while "/submit/" not in self.screen.address:
            if self.seen["isAtSave"]:
                self.go_on("saved")
            else:
                self.answer()

    def answer(self) -> None:
        seen = self.seen
        assert seen["read"], "a key would answer a text that is not in view"
        assert seen["question"], "a key would answer a question that is not in view"
        key = sorted(seen["labels"])[len(self.noted) % len(seen["labels"])]
        self.press(key)
        why = self.say_why()
        self.noted[seen["read"], seen["question"]] = [seen["labels"][key], *why]
        if why or seen["kind"] != "single":
            self.go_on("an answer of several parts")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.screen.press(key)
            self.seen = self.screen.look(f"after {key}")

    def say_why(self) -> list[str]:
        """Where the answer asks for it: own words where the focus is in their field, or the first reason."""
        if self.seen["isText"]:
            self.press(WORDS, Keys.ESCAPE)
            return [WORDS]
        reason = self.screen.ask(REASON)
        if not reason:
            return []
        self.press(reason["key"])
        return [reason["text"]]

    def go_on(self, why: str) -> None:
        """Enter leads to the next question, to the next item, or to the page that submits."""
        before = self.screen.ask(PLACE)
        self.screen.press(Keys.ENTER)
        self.screen.wait_for(f"{PLACE} !== {json.dumps(before)}", f"what comes after {before}: {why}")
        if "/submit/" not in self.screen.address:
            self.seen = self.screen.look(f"arrived from {before}")

    def submit(self) -> None:
        button = "document.querySelector('[data-submit-form] button')"
        self.screen.wait_for(button, "the page that submits")
        self.screen.ask(f"{button}.focus()")
        self.screen.press(Keys.ENTER)
        self.screen.wait_for("document.querySelector('h1')?.textContent === 'Thank you'", "the thanks")


def stored_answers() -> Answers:
    """What people gave: a computed answer is nobody's."""
    rows = Rating.objects.filter(is_active=True).exclude(criterion__kind="computed")
    return {(text_of(row), row.criterion.name): parts_of(row) for row in rows}


def parts_of(row: Rating) -> list[str]:
    choices = Option.objects.filter(pk__in=row.choices).values_list("label", flat=True)
    options = [label_of(row)] if row.option_id else choices
    reasons = Explanation.objects.filter(pk__in=row.explanations).values_list("text", flat=True)
    turns = [turn["label"] for turn in numbered_turns(row.item.dialogue.turns)] if row.turns else []
    return [*options, *(turns[number - 1] for number in row.turns), *reasons, *filter(None, [row.free_text])]


def make_work(protocol: str) -> Work:
    """Texts as long as people talk, no two of them alike."""
    is_whole = protocol.startswith("diqad")
    work = Work(protocol, n_dialogues=2, n_sources=0 if is_whole else 2).has_read_all()
    for number, dialogue in enumerate(Dialogue.objects.all()):
        first = {"speaker": "A", "text": f"This is dialogue number {number}."}
        Dialogue.objects.filter(pk=dialogue.pk).update(turns=[first, *TURNS])
    for number, candidate in enumerate(Candidate.objects.all()):
        Candidate.objects.filter(pk=candidate.pk).update(text=f"This is number {number}. {SENTENCE}".strip())
    return work


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_seen_at_each_key_is_what_is_stored(screen: OtherScreen, protocol: str):
    work = make_work(protocol)
    screen.sign_in(work.participant.user)
    screen.go(reverse("rate_start", args=[work.assignment.token]))
    annotator = Annotator(screen)
    annotator.rate_all()
    annotator.submit()
    work.assignment.refresh_from_db()
    assert work.assignment.status == "submitted"
    assert annotator.noted == stored_answers()
