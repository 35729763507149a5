"""Keys at random, with a seed: what was on screen at each key is what is stored in the end.

Read off the screen: the text that is judged, the name in the frame, the label beside the key. Nothing else is known.
"""

import random
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Candidate, Dialogue, Rating
from tests.browser.geometry import watch
from tests.browser.helpers import Screen
from tests.shipped import Work
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
STEPS = 200
PROTOCOLS = ("he-protocol-1.0", "persona-quality-1.0", "dialogue-hit-1.0", "diqad-1.0", "three-point-coherence-1.0")
WIDTHS = ({"width": 1280, "height": 800}, {"width": 375, "height": 740})
ON_SCREEN = """
() => {
  const seen = (element) => element && isWhole(element) === "";
  const question = [...document.querySelectorAll("fieldset.asked")].find(
    (each) => each.offsetHeight > 4 && getComputedStyle(each).boxShadow !== "none");
  const name = question?.querySelector("legend strong");
  const shown = (selector) => document.querySelector(selector);
  const judged = shown("[data-judged]:not([hidden])") ?? shown("[data-context] .turn");
  const labels = {};
  question?.querySelectorAll(".options .choice").forEach((each) => {
    const input = each.querySelector("input");
    if (seen(each) && !input.disabled) labels[input.dataset.key] = each.querySelector("strong").textContent;
  });
  return {
    read: judged && !beginsInView(judged) ? judged.querySelector("p, li").textContent.trim() : "",
    question: seen(name) ? name.textContent : "",
    kind: question?.dataset.kind,
    labels,
  };
}
"""


def walk(page: Page, seed: int) -> dict[tuple[str, str], str]:
    """The last label seen under a pressed key, by text and question, of every answer that Enter has saved."""
    chance, pressed, saved = random.Random(seed), {}, {}
    for _ in range(STEPS):
        if "/submit/" in page.url:
            page.go_back()
        expect(page.locator("#rate[data-ready] [data-stage]:not([aria-busy])")).to_have_count(1)
        seen = page.evaluate(ON_SCREEN)
        key = chance.choices(["answer", "Enter", "Backspace", "ArrowUp", "ArrowDown"], [10, 6, 1, 1, 1])[0]
        if key == "answer":
            _press(page, chance, seen, pressed)
            continue
        before = page.url
        page.keyboard.press(key)
        if key == "Enter" and page.url != before:
            saved |= {pair: label for pair, label in pressed.items() if pair[0] == seen["read"]}
    return saved


def _press(page: Page, chance: random.Random, seen: dict, pressed: dict[tuple[str, str], str]) -> None:
    if seen["kind"] != "single" or not seen["labels"]:
        return
    key = chance.choice(sorted(seen["labels"]))
    assert seen["read"], f"{key} would answer a text that is not in view"
    assert seen["question"], f"{key} would answer a question that is not in view"
    pressed[seen["read"], seen["question"]] = seen["labels"][key]
    page.keyboard.press(key)


@pytest.mark.parametrize("seed", range(20))
def test_what_was_seen_at_each_key_is_what_is_stored(open_screen: Open, seed: int):
    protocol = PROTOCOLS[seed % len(PROTOCOLS)]
    is_whole = protocol.startswith("diqad")
    work = Work(protocol, n_dialogues=3, n_sources=0 if is_whole else 2).has_read_all()
    for number, dialogue in enumerate(Dialogue.objects.order_by("pk")):
        first = {"speaker": "A", "text": f"This is dialogue number {number}."}
        Dialogue.objects.filter(pk=dialogue.pk).update(turns=[first, *dialogue.turns])
    for number, candidate in enumerate(Candidate.objects.order_by("pk")):
        Candidate.objects.filter(pk=candidate.pk).update(text=f"This is response number {number}.")
    screen = open_screen(work.participant.user, **WIDTHS[seed % 2])
    watch(screen.page)
    page = screen.go(reverse("rate_start", args=[work.assignment.token]))
    saved = walk(page, seed)
    wait_until(
        lambda: (page.wait_for_timeout(20), "Saved" in (page.locator("[data-save-state]").text_content() or "Saved"))[
            1
        ],
        what="saving",
    )
    stored = {
        (_text(rating), rating.criterion.name): rating.option.label
        for rating in Rating.objects.exclude(option=None)
        if rating.is_active
    }
    told = {
        pair: label for pair, label in saved.items() if pair[0].startswith("This is")
    }  # sets have no text of their own
    differing = {pair: (label, stored.get(pair)) for pair, label in told.items() if stored.get(pair) != label}
    assert differing == {}
    assert len(told) > 2


def _text(rating: Rating) -> str:
    item = rating.item
    if item.candidate:
        return item.candidate.text
    if item.shown:
        return ""
    return item.dialogue.turns[0]["text"]
