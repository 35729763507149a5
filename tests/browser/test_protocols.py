"""Every shipped protocol on the one screen, from the keyboard, with its proper scale behind it."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Rating
from annotation.services.agreement import refresh_batch
from measures.alpha import krippendorff_alpha
from measures.histograms import Histogram
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import Screen
from tests.shipped import PERSONA, Work

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
PHONE = {"width": 375, "height": 740}


def begin(open_screen: Open, work: Work, **options: object) -> Screen:
    screen = open_screen(work.participant.user, **options)
    screen.go(reverse("rate_start", args=[work.assignment.token]))
    return screen


def look(screen: Screen, name: str) -> None:
    """For people: what the page looked like in the last run."""
    screen.screenshot(SCREENSHOTS / "protocols" / f"{name}.png", full_page=True)


def step(page: Page):
    return page.locator(".step:visible")


def rate(page: Page, keys: Callable[[Page], str]) -> int:
    """Step after step until the page that submits. Returns how many steps there were."""
    n_steps = 0
    while "/submit/" not in page.url:
        before = page.url
        for key in keys(page):
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(before)
        n_steps += 1
    page.get_by_role("button", name=re.compile("Submit|Finish")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Thank")
    return n_steps


def alphas(work: Work) -> dict[str, float | None]:
    """As stored, of all sources together, and computed again from the stored votes at the declared level."""
    refresh_batch(work.batch.pk, now=timezone.now())
    found = {}
    for cell in work.batch.snapshot.cells.select_related("criterion"):
        criterion = work.spec.by_id[cell.criterion_id]
        votes = Histogram.from_json(cell.histogram, len(criterion.options))
        counted = [option.value for option in criterion.options if option.role not in ("unsure", "excluding")]
        for place, option in reversed(list(enumerate(criterion.options))):
            votes = votes.ignoring(place) if option.role in ("unsure", "excluding") else votes
        values = None if criterion.scale == "nominal" else counted
        assert cell.estimates["alpha"]["value"] == krippendorff_alpha(votes, criterion.scale, values).value
        found[criterion.key] = cell.estimates["alpha"]["value"]
    return found


def test_persona_quality_with_facts_sets_and_models(open_screen: Open):
    work = Work("persona-quality-1.0", n_dialogues=2, n_sources=2)
    screen = begin(open_screen, work)
    expect(screen.page.locator(".persona")).to_contain_text(PERSONA[0])
    assert step(screen.page).locator(".choice").count() == 15
    look(screen, "persona-response")

    def keys(page: Page) -> str:
        return {3: "345", 1: "1"}[step(page).locator("fieldset").count()]

    assert rate(screen.page, keys) == 8 + 4 + 2
    assert set(Rating.objects.filter(criterion__key="diversity").values_list("option__key", flat=True)) == {"5"}
    other = work.another("bea")
    for item in other.items("response"):
        for criterion, option in (("quality", "4"), ("persona_consistency", "4"), ("dialogue_coherence", "1")):
            other.answer(item, criterion, option)
    assert {"quality", "persona_consistency", "dialogue_coherence", "diversity"} <= set(alphas(work))


def test_a_set_and_a_model_show_their_texts_together(open_screen: Open):
    work = Work("persona-quality-1.0", n_dialogues=1, n_sources=1)
    for item in work.items("response"):
        for criterion in ("quality", "persona_consistency", "dialogue_coherence"):
            work.answer(item, criterion, "3")
    screen = begin(open_screen, work)
    assert step(screen.page).locator(".together li").count() == 2
    look(screen, "persona-set")
    screen.page.keyboard.press("1")
    screen.page.keyboard.press("Enter")
    expect(step(screen.page).locator("figcaption")).to_contain_text("different dialogues")
    assert step(screen.page).locator(".together li").count() == 2
    look(screen, "persona-model")


def test_dialogue_hit_asks_both_axes_on_one_page_from_five_down(open_screen: Open):
    work = Work("dialogue-hit-1.0", n_dialogues=2, n_sources=2)
    screen = begin(open_screen, work)
    keys = step(screen.page).locator("fieldset").first.locator("kbd").all_inner_texts()
    assert keys == ["5", "4", "3", "2", "1"]
    assert step(screen.page).locator("input:checked").count() == 0
    look(screen, "hit")
    assert rate(screen.page, lambda page: "42") == 8
    assert set(Rating.objects.values_list("criterion__key", "option__value")) == {
        (work.spec.criteria[0].key, 4.0),
        (work.spec.criteria[1].key, 2.0),
    }
    other = work.another("bea")
    for item in other.items("response"):
        for criterion in work.spec.criteria:
            other.answer(item, criterion.key, criterion.options[2].key)
    assert set(alphas(work)) == {each.key for each in work.spec.criteria}


@pytest.mark.parametrize("bundle", ["diqad-1.0", "diqad-1.0-zh"])
def test_diqad_asks_for_reasons_after_the_score_that_needs_them(open_screen: Open, bundle: str):
    work = Work(bundle, n_dialogues=3).has_read_all()
    screen = begin(open_screen, work)
    page = screen.page
    shown = step(page).locator("fieldset:visible")
    expect(shown).to_have_count(2)
    page.keyboard.press("0")
    page.keyboard.press("1")  # the digit one means, although the list begins with 2
    expect(shown).to_have_count(3)
    look(screen, bundle)
    page.keyboard.press("Enter")
    expect(step(page).locator("[data-error=options]:visible")).to_have_count(1)
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    page.keyboard.press("0")
    page.keyboard.press("2")
    expect(shown).to_have_count(3)
    step(page).locator(".mark-turns input").first.check()
    page.keyboard.press("Enter")
    rate(page, lambda page: "13")
    scores = Rating.objects.filter(criterion__key="score").order_by("pk").values_list("option__key", flat=True)
    assert list(scores) == ["1", "2", "private_responses"]
    assert len(Rating.objects.get(criterion__key="reasons_1").choices) == 2
    assert Rating.objects.get(criterion__key="support").turns == [1]
    other = work.another("bea").has_read_all()
    for item in other.items("dialogue"):
        other.answer(item, "knowledge", "no")
        other.answer(item, "score", "1")
    assert set(alphas(work)) == {"knowledge", "score"}


def test_a_dialogue_is_read_before_it_is_answered(open_screen: Open):
    work = Work("diqad-1.0", n_dialogues=2, reading_seconds=2)
    screen = begin(open_screen, work)
    page = screen.page
    for position in (1, 2):
        expect(page.locator("[data-reading]")).to_be_visible()
        page.keyboard.press("0")
        assert step(page).locator("input:checked").count() == 0
        expect(page.locator("[data-reading]")).to_be_hidden()
        page.keyboard.press("0")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(rf"/{position + 1}/1/$|/submit/$"))
    assert Rating.objects.count() == 4


@pytest.mark.parametrize(
    ("bundle", "n_sources"),
    [("persona-quality-1.0", 2), ("dialogue-hit-1.0", 2), ("diqad-1.0", 0), ("diqad-1.0-zh", 0)],
)
def test_every_protocol_is_usable_on_a_phone_and_by_everybody(open_screen: Open, bundle: str, n_sources: int):
    work = Work(bundle, n_sources=n_sources).has_read_all()
    screen = begin(open_screen, work, **PHONE)
    look(screen, f"{bundle}-375")
    assert screen.barriers() == ""
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= 375
