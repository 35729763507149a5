"""Keys at random, with a seed: what was on screen at each key is what is stored in the end, and nothing else is.

Read off the screen: the text that is judged, the name in the frame, the label beside the key. Nothing else is known.
"""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Candidate, Dialogue, Rating
from protocols.specs import spec_of
from tests.browser.geometry import ask
from tests.browser.helpers import Screen
from tests.shipped import Work

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
Told = dict[tuple[str, str], str]  # the label of an answer by the text that was read and the question's name
STEPS = 200
PROTOCOLS = (
    "he-protocol-1.0", "persona-quality-1.0", "dialogue-hit-1.0", "diqad-1.0", "three-point-coherence-1.0",
    "acute-eval-1.0",
)  # fmt: skip
HEIGHTS = {1280: 800, 375: 740}
PLACES = tuple(product(PROTOCOLS, HEIGHTS))
KEYS = {"answer": 10, "Enter": 6, "Backspace": 1, "ArrowUp": 1, "ArrowDown": 1}
AND = " + "  # between the texts that are rated together
# Of answers that may be several, one is enough.
ON_SCREEN = """
(between) => {
  const seen = (element) => element && isWhole(element) === "";
  const isFramed = (each) => each.offsetHeight > 4 && getComputedStyle(each).boxShadow !== "none";
  const nameOf = (fieldset) => fieldset?.querySelector("legend strong");
  const textOf = (judged) => {
    const together = [...judged.querySelectorAll(".together > li")];
    const sides = [...judged.querySelectorAll(".compared-side")].map((each) => each.lastElementChild);
    const first = sides.length ? sides : [judged.querySelector("p")];
    const texts = together.length ? together.map((each) => each.querySelector("blockquote") ?? each) : first;
    return texts.map((each) => each.textContent.trim()).join(between);
  };
  const labelsOf = (question) => {
    const choices = [...(question?.querySelectorAll(".options .choice") ?? [])].filter(seen);
    if (choices.some((each) => each.querySelector("input[type=checkbox]:checked"))) return {};
    const heard = choices.filter((each) => !each.querySelector("input").disabled);
    const keyOf = (each) => each.querySelector("input").dataset.key;
    return Object.fromEntries(heard.map((each) => [keyOf(each), each.querySelector("strong").textContent]));
  };
  const look = () => {
    const asked = [...document.querySelectorAll("fieldset.asked")].filter((each) => each.offsetHeight);
    const question = asked.find(isFramed);
    const isJudging = document.querySelector("[data-judged]");
    const judged = document.querySelector(isJudging ? "[data-judged]:not([hidden])" : "[data-context] .turn");
    return {
      path: location.pathname,
      read: judged && !beginsInView(judged) ? textOf(judged) : "",
      question: seen(nameOf(question)) ? nameOf(question).textContent : "",
      asked: asked.map((each) => nameOf(each).textContent),
      optional: asked.filter((each) => each.querySelector("legend .quiet")).map((each) => nameOf(each).textContent),
      labels: labelsOf(question),
      isText: document.activeElement.matches("textarea"),
    };
  };
  return lookAtScreen(look, (found) => found.read && found.question);
}
"""


@dataclass
class Walk:
    """What was pressed and what was saved, by the address of the step it happened on."""

    page: Page
    chance: random.Random
    pressed: dict[str, Told] = field(default_factory=lambda: defaultdict(dict))
    saved: dict[str, Told] = field(default_factory=dict)
    entered: dict | None = None

    def go(self, steps: int) -> Told:
        self.first = self.page.url
        for _ in range(steps):
            self.step(self.look())
        self.look()
        return {pair: label for told in self.saved.values() for pair, label in told.items()}

    def look(self) -> dict | None:
        """Enter that led away from a step has saved what was pressed there, as far as it was still asked."""
        seen = ask(self.page, ON_SCREEN, AND)
        if self.entered and (not seen or seen["path"] != self.entered["path"]):
            path, asked = self.entered["path"], self.entered["asked"]
            left_empty = {(self.entered["read"], name): "" for name in self.entered["optional"]}
            said = left_empty | self.pressed[path]
            self.saved[path] = {pair: label for pair, label in said.items() if pair[1] in asked}
        self.entered = None
        return seen

    def step(self, seen: dict | None) -> None:
        if not seen:
            self.return_to_work()
        elif seen["isText"]:
            self.page.keyboard.insert_text("that is how it reads ")
            self.page.keyboard.press("Escape")
        else:
            self.press(seen)

    def press(self, seen: dict) -> None:
        [key] = self.chance.choices([*KEYS], KEYS.values())
        if key == "answer" and seen["labels"]:
            self.answer(seen)
            return
        if key in ("answer", "Enter"):
            self.entered = seen
        self.page.keyboard.press("Enter" if key == "answer" else key)

    def return_to_work(self) -> None:
        if self.chance.random() < 0.3:
            self.page.go_back()
        else:
            self.page.goto(self.first)

    def answer(self, seen: dict) -> None:
        key = self.chance.choice(sorted(seen["labels"]))
        assert seen["read"], f"{key} would answer a text that is not in view"
        assert seen["question"], f"{key} would answer a question that is not in view"
        self.pressed[seen["path"]][seen["read"], seen["question"]] = seen["labels"][key]
        self.page.keyboard.type(key)


@pytest.mark.parametrize(("seed", "protocol", "width"), [(at, *each) for at, each in enumerate(PLACES)])
def test_what_was_seen_at_each_key_is_what_is_stored(open_screen: Open, seed: int, protocol: str, width: int):
    work = work_on(protocol)
    screen = open_screen(work.participant.user, width=width, height=HEIGHTS[width])
    page = screen.go(reverse("rate_start", args=[work.assignment.token]))
    told = Walk(page, random.Random(seed)).go(STEPS)
    expect(page.locator("[data-save-state=sending]")).to_have_count(0)
    assert told == stored()
    assert len(told) > 2


def work_on(protocol: str) -> Work:
    """No two texts are alike."""
    is_whole = protocol.startswith("diqad")
    work = Work(protocol, n_dialogues=8 if is_whole else 3, n_sources=0 if is_whole else 2).has_read_all()
    for number, dialogue in enumerate(Dialogue.objects.order_by("pk")):
        first = {"speaker": "A", "text": f"This is dialogue number {number}."}
        Dialogue.objects.filter(pk=dialogue.pk).update(turns=[first, *dialogue.turns])
    for number, candidate in enumerate(Candidate.objects.order_by("pk")):
        Candidate.objects.filter(pk=candidate.pk).update(text=f"This is response number {number}.")
    return work


def stored() -> Told:
    """What people gave: a computed answer is nobody's."""
    ratings = Rating.objects.exclude(criterion__kind="computed").select_related(
        "criterion", "option", "item__candidate"
    )
    return {(text_of(each), each.criterion.name): label_of(each) for each in ratings if each.is_active}


def label_of(rating: Rating) -> str:
    """As it was chosen: the answer to a comparison is stored by candidate, and is read here by side."""
    labels = dict(rating.criterion.options.values_list("pk", "label"))
    if rating.is_swapped and rating.option:
        return spec_of(rating.criterion.version).by_id[rating.criterion_id].mirrors[rating.option_id].label
    return rating.option.label if rating.option else AND.join(labels[pk] for pk in rating.choices)


def text_of(rating: Rating) -> str:
    item = rating.item
    if item.candidate:
        return item.candidate.text
    texts = Candidate.objects.in_bulk(item.shown)
    shown = reversed(item.shown) if rating.is_swapped else item.shown
    return AND.join(texts[pk].text for pk in shown) or item.dialogue.turns[0]["text"]
