"""Every shipped protocol on the one screen, from the keyboard, with its proper scale behind it."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Dialogue, Rating
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from measures.alpha import krippendorff_alpha
from measures.histograms import Histogram
from qualification.qualifying.services.training import make_training
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import Screen, wait_for_step
from tests.factories import UserFactory, make_annotator
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
    screen.keep_picture(SCREENSHOTS / "protocols" / f"{name}.png")


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
    expect(screen.page.locator(".context-panels")).to_contain_text(PERSONA[0])
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
    assert screen.page.locator(".judged:visible .together li").count() == 2
    look(screen, "persona-set")
    screen.page.keyboard.press("1")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator(".judged:visible figcaption")).to_contain_text("different dialogues")
    shown = screen.page.locator(".judged:visible .dialogues > li")
    assert shown.count() == 1  # of its one dialogue, one response of two
    history = work.study.dialogues.get().turns
    assert shown.locator("p").all_inner_texts() == [f"{turn['speaker']} {turn['text']}" for turn in history]


def test_a_model_shows_short_dialogues_in_numbers(open_screen: Open):
    work = Work("persona-quality-1.0", n_dialogues=4, n_sources=1)
    for item in work.items("response"):
        for criterion in ("quality", "persona_consistency", "dialogue_coherence"):
            work.answer(item, criterion, "3")
    for item in work.items("candidate_set"):
        work.answer(item, "set_diverse", "yes")
    screen = begin(open_screen, work)
    shown = screen.page.locator(".judged:visible .dialogues > li")
    expect(shown).to_have_count(4)
    assert not [source.key for source in work.study.sources.all() if source.key in screen.page.content()]
    look(screen, "persona-model")


def test_training_on_consistency_shows_the_facts_before_and_after_the_answer(open_screen: Open):
    work = Work("persona-quality-1.0", n_dialogues=1, n_sources=1)
    (batch,) = make_training(work.study, by=UserFactory(), now=timezone.now())
    learner = make_annotator(work.study, "bea", status="qualifying")
    assignment = claim_seat(learner, batch, now=timezone.now())
    screen = open_screen(learner.user)
    position = batch.items.filter(dialogue__metadata__persona__contains="I keep bees.").first().position
    screen.go(reverse("rate", args=[assignment.token, position, 1]))
    expect(screen.page.locator(".context-panels")).to_contain_text("I keep bees.")
    look(screen, "persona-training")
    for question in step(screen.page).locator("fieldset").all():
        question.locator(".choice").nth(2).click()
    screen.page.get_by_role("button", name="Save and continue").click()
    expect(screen.page.get_by_role("heading", level=2).first).to_contain_text("Persona consistency")
    expect(screen.page.locator(".context-panels")).to_contain_text("I keep bees.")
    look(screen, "persona-training-answer")


def test_the_crowd_task_welcomes_heads_its_parts_and_keeps_the_scale_above(open_screen: Open):
    work = Work("dialogue-hit-1.0", n_dialogues=1, n_sources=1)
    Dialogue.objects.update(
        turns=[{"speaker": "", "text": "A: Have you seen my keys?\nB: No. Did you look in your coat?"}]
    )
    screen = open_screen(work.participant.user)
    screen.go(reverse("welcome", args=[work.study.slug]))
    expect(screen.page.locator(".prose p").first).to_contain_text("Welcome, and thank you")
    look(screen, "hit-welcome")
    screen.go(reverse("rate_start", args=[work.assignment.token]))
    page = screen.page
    expect(page.locator(".context-head h2")).to_contain_text("Context: read this first")
    expect(page.locator(".turns .turn").first.locator(".speaker")).to_have_count(0)
    expect(page.locator(".judged:visible .badge")).to_have_text("Generation: rate this")
    expect(page.locator(".scale:visible dt")).to_have_count(10)
    scale, generation = (page.locator(each).first.bounding_box() for each in (".scale:visible", ".judged:visible"))
    assert scale["y"] + scale["height"] <= generation["y"]
    look(screen, "hit-scale")


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
    expect(page).to_have_url(re.compile(r"/2/1/$"))
    wait_for_step(page)
    page.keyboard.press("0")
    page.keyboard.press("2")
    expect(shown).to_have_count(3)
    step(page).locator(".mark-turns input").first.check()
    page.keyboard.press("Enter")
    rate(page, lambda page: "1-1")
    scores = Rating.objects.filter(criterion__key="score").order_by("pk").values_list("option__key", flat=True)
    assert list(scores) == ["1", "2", "private_responses"]
    assert len(Rating.objects.get(criterion__key="reasons_1").choices) == 2
    assert Rating.objects.get(criterion__key="support").turns == [1]
    other = work.another("bea").has_read_all()
    for item in other.items("dialogue"):
        other.answer(item, "knowledge", "no")
        other.answer(item, "score", "1")
    assert set(alphas(work)) == {"knowledge", "score"}


def test_a_minus_and_a_digit_are_never_the_digit(open_screen: Open):
    work = Work("diqad-1.0", n_dialogues=1).has_read_all()
    page = begin(open_screen, work).page
    chosen = step(page).locator("fieldset[data-active] input:checked")
    page.keyboard.press("1")
    score = step(page).locator("fieldset[data-criterion=score]")
    expect(score).to_have_attribute("data-active", "")
    page.keyboard.type("-3")
    expect(chosen).to_have_count(0)
    page.keyboard.press("-")
    step(page).locator("fieldset").first.focus()
    score.focus()
    page.keyboard.press("2")
    expect(score.locator("label:has(:checked) strong")).to_have_text(re.compile("^[-−]2"))


@pytest.mark.parametrize("bundle", ["diqad-1.0", "diqad-1.0-zh"])
@pytest.mark.parametrize("width", [1280, 375])
def test_none_stands_alone(open_screen: Open, bundle: str, width: int):
    work = Work(bundle, n_dialogues=1).has_read_all()
    screen = begin(open_screen, work, width=width, height=900)
    page = screen.page
    look(screen, f"{bundle}-knowledge-{width}")
    page.keyboard.press("0")
    for score, reason in (("2", "support"), ("1", "reasons_1"), ("0", "reasons_0")):
        if width == 375:  # one question at a time, the others behind their numbers
            page.locator("[data-question-strip] button").nth(1).click()
        step(page).locator("[data-criterion=score] label", has_text=re.compile(rf"^\s*{score}\b")).click()
        expect(step(page).locator(f"[data-criterion={reason}]")).to_be_visible()
        look(screen, f"{bundle}-{reason}-{width}")
    boxes = step(page).locator("[data-criterion=reasons_0] input")
    boxes.nth(0).check()
    boxes.nth(1).check()
    boxes.last.check()
    expect(step(page).locator("[data-criterion=reasons_0] input:checked")).to_have_count(1)
    boxes.nth(1).check()
    expect(boxes.last).not_to_be_checked()
    expect(boxes.nth(1)).to_be_checked()
    boxes.last.check()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/submit/$"))
    none = work.spec.by_key["reasons_0"].option_named("none")
    assert Rating.objects.get(criterion__key="reasons_0").choices == [none.id]


def test_a_dialogue_opened_too_early_is_read_after_the_one_before(open_screen: Open):
    work = Work("diqad-1.0", n_dialogues=2, reading_seconds=300)
    screen = begin(open_screen, work)
    page = screen.page
    expect(page.locator("[data-reading]")).to_contain_text(re.compile("(29.|300) s"))
    screen.go(reverse("rate", args=[work.assignment.token, 2, 1]))
    expect(page.locator("[data-reading]")).to_contain_text(re.compile("(59.|600) s"))
    look(screen, "diqad-reading")


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
    assert Rating.objects.count() == 6, "both answers, and no turn that supports them"


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
