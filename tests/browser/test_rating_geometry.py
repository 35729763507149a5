"""Through every transition of the rating screen, on every protocol and width: what has to be seen is seen.

Boxes and elementFromPoint are looked at, not the state behind them.
"""

from collections.abc import Callable
from itertools import cycle

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import Candidate, Dialogue
from tests.browser.geometry import expect_seen
from tests.browser.hands import Keys, Pointer
from tests.browser.helpers import Screen
from tests.shipped import Work
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
SIZES = {
    "desktop": {"width": 1280, "height": 800},
    "tablet": {"width": 1024, "height": 768},
    "phone": {"width": 375, "height": 740, "has_touch": True, "is_mobile": True},
    "zoomed": {"width": 320, "height": 256},
}
SENTENCE = (
    "Well, I usually take the dogs out along the river in the morning, before it gets too hot, and then we talk. "
)
TURNS = [{"speaker": "AB"[at % 2], "text": (SENTENCE * 2)[: 60 + 50 * (at % 4)]} for at in range(9)]
LONG_TURNS = [{"speaker": "AB"[at % 2], "text": SENTENCE} for at in range(60)]


def ten_questions() -> dict[str, object]:
    return {
        "criteria": [_scale(f"q{at}", 5) for at in range(10)],
        "order": "item_first",
        "unit": "response",
        "translations": {},
    }


def twelve_options() -> dict[str, object]:
    return {
        "criteria": [_scale("many", 12), _scale("few", 3)],
        "order": "item_first",
        "unit": "response",
        "translations": {},
    }


def _scale(key: str, n: int) -> dict[str, object]:
    options = [{"key": f"o{at}", "label": f"Answer {at}", "definition": f"What answer {at} means."} for at in range(n)]
    return {
        "key": key,
        "name": f"Question {key}",
        "question": f"What do you say about {key}?",
        "scale": "nominal",
        "options": options,
    }


MOST_ANSWERS = 12  # of one step
MADE = {"ten questions": ten_questions, "twelve options": twelve_options}
SHIPPED = (
    "he-protocol-1.0",
    "persona-quality-1.0",
    "dialogue-hit-1.0",
    "diqad-1.0",
    "diqad-1.0-zh",
    "three-point-coherence-1.0",
    "acute-eval-1.0",
)


def work_on(name: str) -> Work:
    is_whole = name.startswith("diqad")
    base = name if name in SHIPPED else "three-point-coherence-1.0"
    changes = MADE[name]() if name in MADE else {}
    n_sources = 0 if is_whole else 2 if base == "acute-eval-1.0" else 1
    work = Work(base, n_dialogues=4 if is_whole else 2, n_sources=n_sources, **changes).has_read_all()
    is_long = name == "sixty turns"
    Dialogue.objects.update(turns=LONG_TURNS if is_long else TURNS)
    Candidate.objects.update(text=SENTENCE * 140 if is_long else SENTENCE)
    return work


def begin(open_screen: Open, work: Work, size: str) -> Page:
    screen = open_screen(work.participant.user, **SIZES[size])
    return screen.go(reverse("rate_start", args=[work.assignment.token]))


class Tour:
    """One annotator on the screen, looking after every transition."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.looks = 0
        self.hand: Keys | Pointer = Keys(page)
        self.seen = self.look("the screen opens")

    def look(self, what: str) -> dict:
        self.looks += 1
        self.seen = expect_seen(self.page, f"{what}, by {type(self.hand).__name__}")
        return self.seen

    def by(self, hand: type[Keys] | type[Pointer]) -> "Tour":
        self.hand = hand(self.page)
        return self

    # --- within a step -------------------------------------------------------------------------------
    def pass_the_questions(self) -> None:
        """Down to the button that saves and up again, without an answer."""
        for _ in range(self.seen["n"]):
            self.page.keyboard.press("ArrowDown")
            self.look("the next question")
        self.page.keyboard.press("ArrowUp")
        self.look("up from the button")

    def draw_the_sheet(self) -> None:
        for what in ("up", "down") if self.seen["isNarrow"] else ():
            self.page.locator("[data-draw]").click()
            self.look(f"the sheet is drawn {what}")

    def be_refused(self) -> None:
        """What is missing is asked for, once the press was no echo of the one before."""
        wait_until(self.is_refused, what="a refusal")

    def is_refused(self) -> bool:
        self.hand.save()
        return self.look("saved with nothing given")["isRefused"]

    def ask_for_reasons(self) -> None:
        """Every answer that asks why: what it opens, and that it is refused without the words it needs."""
        for at, choice in enumerate(self.seen["choices"]):
            if choice["isPlain"]:
                continue
            self.hand.choose(self.seen, at)
            if self.look(f"reasons of answer {at}")["isText"]:
                self.page.keyboard.press("Control+Enter")
                assert self.look("words are missing")["isRefused"]

    def open_what_depends(self) -> None:
        """Each answer that opens a question, and then one that closes it again."""
        opening = [each.split(":") for each in self.seen["depending"]]
        for criterion, codes in opening:
            self.answer_until(criterion)
            for code in codes.split(","):
                self.hand.choose(self.seen, self.place_of(code))
                opened = self.look(f"{criterion} is answered with {code}")
                assert opened["criterion"] != criterion
                self.hand.ask(opened, self.asked_by[criterion])
                self.look(f"back to {criterion}")
        if opening:
            self.answer("what depends is closed again")

    def answer_until(self, criterion: str) -> None:
        for _ in range(MOST_ANSWERS):
            if self.seen["criterion"] != criterion:
                self.answer("on to what others depend on")
        self.asked_by = {criterion: self.seen["name"]}

    def place_of(self, code: str) -> int:
        return next(at for at, each in enumerate(self.seen["choices"]) if each["value"] == code)

    def answer(self, what: str = "an answer") -> None:
        """The last one that asks for nothing more; where several may be given, Enter goes on."""
        seen = self.seen
        plain = [at for at, each in enumerate(seen["choices"]) if each["isPlain"]]
        self.hand.choose(seen, plain[-1] if plain else 0)
        if seen["kind"] != "single" or not plain:
            self.page.keyboard.press("Enter")
        self.look(f"{what} to {seen['name']}")

    def complete(self) -> None:
        """The step on screen, and to the one after it."""
        path = self.seen["path"]
        for _ in range(MOST_ANSWERS):
            if self.seen["isAtSave"]:
                break
            self.answer()
            if not self.seen or self.seen["path"] != path:
                return
        self.hand.save()
        self.look("the next step")
        assert not self.seen or self.seen["path"] != path

    # --- from step to step -----------------------------------------------------------------------------
    def go_back_and_forth(self) -> None:
        path = self.seen["path"]
        self.hand.back()
        assert self.look("back")["path"] != path
        self.page.go_back()
        assert self.look("back in the browser")["path"] == path
        self.page.reload()
        assert self.look("loaded again")["path"] == path

    def jump(self) -> None:
        paths = set()
        for place in (2, 1):
            self.hand.jump(place)
            paths.add(self.look(f"a jump to dialogue {place}")["path"])
        assert len(paths) == 2

    def finish(self) -> None:
        hands = cycle((Keys, Pointer))
        while self.seen:
            self.by(next(hands)).complete()
        self.page.go_back()
        assert self.look("back from the page that submits")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*SHIPPED, *MADE, "sixty turns"])
def test_after_every_transition_the_question_and_what_is_read_are_in_view(open_screen: Open, name: str, size: str):
    tour = Tour(begin(open_screen, work_on(name), size))
    for hand in (Keys, Pointer):
        tour.by(hand).pass_the_questions()
        tour.draw_the_sheet()
        tour.be_refused()
        tour.ask_for_reasons()
        tour.open_what_depends()
        tour.complete()
        tour.go_back_and_forth()
    tour.jump()
    tour.by(Keys).jump()
    tour.finish()
    assert tour.looks > 25
