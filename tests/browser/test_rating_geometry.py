"""Through every transition of the rating screen, on every protocol and width: what has to be seen is seen.

Boxes and elementFromPoint are looked at, not the state behind them.
"""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Candidate, Dialogue
from tests.browser.geometry import expect_seen, watch
from tests.browser.helpers import Screen
from tests.shipped import Work

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


MADE = {"ten questions": ten_questions, "twelve options": twelve_options}
SHIPPED = (
    "he-protocol-1.0",
    "persona-quality-1.0",
    "dialogue-hit-1.0",
    "diqad-1.0",
    "diqad-1.0-zh",
    "three-point-coherence-1.0",
)


def work_on(name: str) -> Work:
    is_whole = name.startswith("diqad")
    base = name if name in SHIPPED else "three-point-coherence-1.0"
    changes = MADE[name]() if name in MADE else {}
    work = Work(base, n_dialogues=2, n_sources=0 if is_whole else 1, **changes).has_read_all()
    is_long = name == "sixty turns"
    Dialogue.objects.update(turns=LONG_TURNS if is_long else TURNS)
    Candidate.objects.update(text=SENTENCE * 140 if is_long else SENTENCE)
    return work


def begin(open_screen: Open, work: Work, size: str) -> Page:
    screen = open_screen(work.participant.user, **SIZES[size])
    watch(screen.page)
    return screen.go(reverse("rate_start", args=[work.assignment.token]))


def answer_all(page: Page, size: str, pick: Callable[[Page, int], None]) -> int:
    """Answer whatever is active until the page that submits, looking after each answer. Returns how many looks."""
    expect_seen(page, "the first question")
    looks = 1
    while "/submit/" not in page.url:
        for at in range(12):
            before = active_name(page)
            pick(page, at)
            expect_seen(page, f"after an answer to {before}")
            looks += 1
            if page.evaluate("document.activeElement.matches('[data-save]')"):
                break
        url = page.url
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(url)
        if "/submit/" not in page.url:
            expect_seen(page, f"arrived at {page.url[-8:]}")
            looks += 1
    return looks


def active_name(page: Page) -> str:
    return page.locator("fieldset[data-active]").get_attribute("data-name") or ""


def by_key(page: Page, _at: int) -> None:
    """The last answer of the active question that asks for nothing more, by its key; several answers by Enter."""
    active = page.locator("fieldset[data-active]")
    is_several = active.get_attribute("data-kind") != "single"
    key = active.locator(".choice input").evaluate_all(
        "(all) => (all.filter((each) => !each.closest('.option')?.querySelector('.why')).at(-1) ?? all[0]).dataset.key"
    )
    page.keyboard.press(key)
    if is_several:
        page.keyboard.press("Enter")


def by_pointer(page: Page, _at: int) -> None:
    active = page.locator("fieldset[data-active]")
    inputs = active.locator(".choice:visible")
    at = active.locator(".choice input").evaluate_all(
        "(all) => Math.max(0, all.findLastIndex((each) => !each.closest('.option')?.querySelector('.why')))"
    )
    inputs.nth(at).click()
    if active.get_attribute("data-kind") != "single":
        page.keyboard.press("Enter")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*SHIPPED, *MADE, "sixty turns"])
def test_every_answer_and_every_item_is_met_with_its_question_in_view(open_screen: Open, name: str, size: str):
    work = work_on(name)
    page = begin(open_screen, work, size)
    pick = by_pointer if size in ("phone", "tablet") else by_key
    assert answer_all(page, size, pick) > 4
