"""The live board in a browser: it changes by itself, keeps what its reader has chosen, and can be read by everybody."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from celery.contrib.testing.worker import start_worker
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import AgreementSnapshot, Assignment, Heartbeat
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from annotation.tasks import refresh_agreement
from parley.celery import app
from tests.browser.helpers import LOOKS, Screen
from tests.cast import Cast, make_cast
from tests.factories import HeartbeatFactory, MembershipFactory, make_annotator, make_batch
from tests.he_study import load_he_study
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
# The window remembers; a reload would forget.
MARK = "window.isSamePage = true"


@pytest.fixture
def cast() -> Cast:
    """Two annotators have answered everything, the second one differently; the third has a seat."""
    HeartbeatFactory()
    cast = make_cast()
    for n, option in enumerate((0, 1)):
        rate_everything(
            claim_seat(cast.annotators[n], cast.batch, now=timezone.now()), now=timezone.now(), option=option
        )
    claim_seat(cast.annotators[2], cast.batch, now=timezone.now())
    refresh_batch(cast.batch.pk, now=timezone.now())
    return cast


@pytest.fixture
def third(cast: Cast) -> Assignment:
    return Assignment.objects.get(participant=cast.annotators[2])


def open_board(open_screen: Callable[..., Screen], cast: Cast, query: str = "", **options: object) -> Screen:
    screen = open_screen(cast.lead, **options)
    screen.go(reverse("board", args=[cast.study.slug]) + query)
    screen.page.evaluate(MARK)
    return screen


def assert_same_page(page: Page) -> None:
    assert page.evaluate("window.isSamePage") is True


def wait_for_polls(page: Page, n: int = 2) -> list[int]:
    """Let the page ask `n` times. Returns the status codes of the answers."""
    codes = []
    for _ in range(n):
        with page.expect_response(lambda response: "/board/fragment/" in response.url) as found:
            pass
        codes.append(found.value.status)
    return codes


@pytest.mark.journey
def test_a_rating_appears_without_a_reload(open_screen: Callable[..., Screen], cast: Cast, third: Assignment):
    page = open_board(open_screen, cast).page
    expect(page.locator("#board-progress")).to_contain_text("48 of 72 answers")
    rate_everything(third, now=timezone.now(), n=3)
    refresh_agreement(cast.batch.pk)
    expect(page.locator("#board-progress")).to_contain_text("51 of 72 answers")
    expect(page.locator("#board-batches")).to_contain_text("51 of 72")
    assert_same_page(page)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A real worker on the real broker, in a thread of its own; its queue is no other test's."""
    queue = f"live-{uuid4()}"
    monkeypatch.setattr(app, "send_task", partial(app.send_task, queue=queue))
    with start_worker(app, pool="solo", perform_ping_check=False, queues=queue):
        yield


def test_a_rating_reaches_the_board_through_broker_and_worker(
    open_screen: Callable[..., Screen], cast: Cast, third: Assignment, worker: None
):
    page = open_board(open_screen, cast).page
    # Figures of this very second would wait for beat, which does not run here.
    AgreementSnapshot.objects.update(computed_at=timezone.now() - timedelta(minutes=1))
    rate_everything(third, now=timezone.now(), n=1)
    expect(page.locator("#board-progress")).to_contain_text("49 of 72 answers")
    assert_same_page(page)


def test_without_news_the_page_asks_and_nothing_in_it_moves(open_screen: Callable[..., Screen], cast: Cast):
    page = open_board(open_screen, cast).page
    page.evaluate(
        "window.changes = 0; new MutationObserver((found) => { window.changes += found.filter("
        "(each) => !each.target.matches('#board-poller')).length; })"
        ".observe(document.getElementById('board'), {subtree: true, childList: true, characterData: true});"
    )
    assert set(wait_for_polls(page, 3)) == {304}
    assert page.evaluate("window.changes") == 0


def test_what_was_chosen_survives_news_and_stands_in_the_address(
    open_screen: Callable[..., Screen], cast: Cast, third: Assignment
):
    page = open_board(open_screen, cast).page
    page.get_by_label("Statistic").select_option("percent")
    expect(page.locator("#board-definition")).to_contain_text("Per cent agreement.")
    page.get_by_label("Criterion", exact=True).select_option("listening")
    expect(page.locator("#board-agreement")).not_to_contain_text("Appropriateness")
    assert page.url.endswith("?batch=1&criterion=listening&statistic=percent")
    page.get_by_label("Statistic").evaluate("(select) => { select.isTheSame = true; }")
    rate_everything(third, now=timezone.now())
    refresh_batch(cast.batch.pk, now=timezone.now())
    expect(page.locator("#board-progress")).to_contain_text("72 of 72 answers")
    expect(page.get_by_label("Statistic")).to_have_value("percent")
    expect(page.get_by_label("Criterion", exact=True)).to_have_value("listening")
    expect(page.locator("#board-agreement .figure").first).to_have_text("33%")
    # News do not touch the form: a list that is open stays open.
    assert page.get_by_label("Statistic").evaluate("(select) => select.isTheSame")
    assert_same_page(page)
    page.reload()
    expect(page.get_by_label("Statistic")).to_have_value("percent")


def test_focus_scrolling_and_open_lists_survive_news(open_screen: Callable[..., Screen], cast: Cast, third: Assignment):
    for n in range(6):
        make_batch(cast.study, key=f"a longer name {n}", position=n + 1)
    page = open_board(open_screen, cast, width=375).page
    page.get_by_text("The pairs as a list").click()
    table = page.locator("#board-agreement")
    figure = table.locator("tbody tr").nth(3).locator(".figure").nth(2)
    figure.focus()
    name = figure.get_attribute("id")
    table.evaluate("(box) => { box.scrollLeft = 120; }")
    rate_everything(third, now=timezone.now())
    refresh_batch(cast.batch.pk, now=timezone.now())
    expect(page.locator("#board-progress")).to_contain_text("72 of")
    assert page.evaluate("document.activeElement.id") == name
    assert table.evaluate("(box) => box.scrollLeft") == 120
    expect(page.locator("#board-pair-list")).to_be_visible()


def test_arrow_keys_move_among_the_numbers_and_each_explains_itself(open_screen: Callable[..., Screen], cast: Cast):
    page = open_board(open_screen, cast).page
    figures = page.locator("#board-agreement .figure")
    assert figures.evaluate_all("(all) => all.filter((each) => each.tabIndex === 0).length") == 1
    figures.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    why = focused_why(page)
    expect(why).to_be_visible()
    expect(why).to_contain_text("Mean of the batches' kappas")
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()


def focused_why(page: Page) -> Locator:
    name = page.evaluate("document.activeElement.getAttribute('aria-describedby')")
    return page.locator(f"[id='{name}']")


def test_pointing_at_a_number_explains_it_even_without_javascript(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.lead, java_script_enabled=False).go(reverse("board", args=[cast.study.slug]))
    figure = page.locator("#board-agreement .figure").first
    figure.hover()
    expect(page.locator("#board-agreement .why").first).to_be_visible()
    expect(page.get_by_role("button", name="Show")).to_be_visible()


def test_a_lost_server_is_said_and_taken_back(open_screen: Callable[..., Screen], cast: Cast):
    screen = open_board(open_screen, cast)
    screen.allowed += ["Failed to load resource", "htmx:", "Response Status Error"]
    stale = screen.page.locator("#board-stale")
    expect(stale).to_be_hidden()
    screen.context.set_offline(True)
    expect(stale).to_be_visible()
    screen.context.set_offline(False)
    expect(stale).to_be_hidden()


def test_who_has_been_signed_out_sees_a_note_and_not_the_sign_in_page_in_the_board(
    open_screen: Callable[..., Screen], cast: Cast
):
    screen = open_board(open_screen, cast)
    screen.allowed += ["Failed to load resource", "htmx:", "Response Status Error"]
    screen.sign_out()
    expect(screen.page.locator("#board-stale")).to_be_visible()
    expect(screen.page.locator("#board-agreement table")).to_be_visible()


def test_a_silent_worker_is_said_while_the_board_is_open(open_screen: Callable[..., Screen], cast: Cast):
    page = open_board(open_screen, cast).page
    Heartbeat.objects.all().delete()
    expect(page.locator("#board-worker")).to_contain_text("No worker is running")


def test_a_board_opened_before_the_first_batch_fills_itself(open_screen: Callable[..., Screen]):
    HeartbeatFactory()
    study = MembershipFactory(role="lead").study
    page = open_screen(study.memberships.get().user).go(reverse("board", args=[study.slug]))
    expect(page.locator("#board")).to_contain_text("There are no batches yet")
    claim_seat(make_annotator(study, "first"), batch := make_batch(study), now=timezone.now())
    refresh_batch(batch.pk, now=timezone.now())
    expect(page.locator("#board-batches")).to_contain_text("0 of 72")


@LOOKS
def test_the_board_has_no_barriers_and_fits_the_window(open_screen: Callable[..., Screen], width: int, scheme: str):
    HeartbeatFactory()
    cast = make_cast()
    study = load_he_study(now=timezone.now(), slug="he")
    cast.study.memberships.filter(user=cast.lead).update(study=study)
    for batch in study.batches.all():
        refresh_batch(batch.pk, now=timezone.now())
    screen = open_screen(cast.lead, width=width, color_scheme=scheme)
    page = screen.go(reverse("board", args=["he"]))
    expect(page.locator("#board-pairs svg")).to_be_visible()
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#board-agreement .figure").nth(4).focus()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_empty_boards_have_no_barriers(open_screen: Callable[..., Screen], scheme: str):
    cast = make_cast()
    for query in ("", "?statistic=cohen"):
        screen = open_board(open_screen, cast, query, color_scheme=scheme)
        assert screen.barriers() == ""
    rate_everything(claim_seat(make_annotator(cast.study, "alone"), cast.batch, now=timezone.now()), now=timezone.now())
    refresh_batch(cast.batch.pk, now=timezone.now())
    expect(screen.page.locator("#board-agreement .figure").first).to_have_text("–")
    assert screen.barriers() == ""


# --- numbers that explain themselves (WCAG 1.4.13) -----------------------------------------------------------
def why_of(page: Page, figure: Locator) -> Locator:
    return page.locator(f"[id='{figure.get_attribute('aria-describedby')}']")


def test_the_pointer_may_move_onto_an_explanation_which_leaves_the_numbers_below_and_beside_free(
    open_screen: Callable[..., Screen], cast: Cast
):
    page = open_board(open_screen, cast).page
    figure = page.locator("#board-agreement tbody").nth(1).locator("tr").nth(1).locator(".figure").first
    figure.scroll_into_view_if_needed()
    figure.hover()
    why = why_of(page, figure)
    expect(why).to_be_visible()
    number, tip = figure.bounding_box(), why.bounding_box()
    overlap = min(number["x"] + number["width"], tip["x"] + tip["width"]) - max(number["x"], tip["x"])
    assert 0 < overlap < number["width"] / 3
    corner = (number["x"] + number["width"] - 4, number["y"] + number["height"] - 3)
    middle = (tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
    if tip["x"] < number["x"]:
        corner = (number["x"] + 4, corner[1])
    if tip["y"] < number["y"]:
        corner = (corner[0], number["y"] + 3)
    page.mouse.move(*corner)
    for step in range(1, 31):
        page.mouse.move(*(begun + (ended - begun) * step / 30 for begun, ended in zip(corner, middle, strict=True)))
        assert why.is_visible()
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()


@pytest.mark.parametrize("width", [1280, 375])
def test_explanations_stay_within_the_window_and_one_at_a_time_is_shown(
    open_screen: Callable[..., Screen], cast: Cast, width: int
):
    page = open_board(open_screen, cast, width=width).page
    page.locator("#board-progress .figure").first.focus()
    for place in ("#board-progress", "#board-agreement"):
        for figure in page.locator(f"{place} .figure").all()[::5]:
            figure.scroll_into_view_if_needed()
            figure.hover()
            why = why_of(page, figure)
            box = why.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert page.locator(".why:visible").count() == 1


def test_every_group_of_numbers_is_one_tab_stop_with_a_visible_focus(open_screen: Callable[..., Screen], cast: Cast):
    page = open_board(open_screen, cast).page
    page.get_by_text("The pairs as a list").click()
    page.mouse.move(0, 0)  # a number under the pointer is explained before the one in focus
    page.locator("#board-parts, .board-parts a").last.focus()
    seen: list[str] = []
    while len(seen) == len(set(seen)):  # until the window begins anew
        page.keyboard.press("Tab")
        found = page.evaluate(
            "() => { const at = document.activeElement; const place = at.closest('[data-figures]');"
            " return at.matches('.figure') && [place.id, getComputedStyle(at).outlineStyle]; }"
        )
        if found:
            assert found[1] == "solid"
            expect(focused_why(page)).to_be_visible()
            seen.append(found[0])
    assert seen[:-1] == ["board-progress", "board-agreement", "board-pair-list", "board-batches"]


def test_arrow_keys_move_through_progress_pairs_and_batches(open_screen: Callable[..., Screen], cast: Cast):
    page = open_board(open_screen, cast).page
    page.locator("#board-progress .figure").first.focus()
    page.keyboard.press("ArrowRight")
    expect(focused_why(page)).to_contain_text("Answers given, out of those needed.")
    page.keyboard.press("ArrowDown")
    expect(focused_why(page)).to_contain_text("Seats in use")
    page.keyboard.press("ArrowUp")
    expect(focused_why(page)).to_contain_text("Answers given, out of those needed.")
    page.locator("#board-batches .figure").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(focused_why(page)).to_contain_text("holds this seat until")


def test_the_end_of_a_seat_reads_as_on_the_annotator_s_own_page(open_screen: Callable[..., Screen], cast: Cast):
    board = open_board(open_screen, cast, timezone_id="Asia/Tokyo").page
    held = board.locator("#board-batches .seat.rating time").first
    own = open_screen(cast.annotators[2].user, timezone_id="Asia/Tokyo").go(reverse("work"))
    said = own.locator(".work-next time, time[data-local-time]").first.inner_text()
    expect(held).to_have_text(said)


def test_news_are_said_politely_and_steal_neither_focus_nor_explanation(
    open_screen: Callable[..., Screen], cast: Cast, third: Assignment
):
    page = open_board(open_screen, cast).page
    live = page.locator("#board-live")
    expect(live).to_have_role("status")  # politely, by what the role means
    figure = page.locator("#board-progress .figure").nth(1)
    figure.focus()
    name = figure.get_attribute("id")
    rate_everything(third, now=timezone.now(), n=3)
    refresh_batch(cast.batch.pk, now=timezone.now())
    expect(live).to_contain_text("70 per cent of the answers have been given.")
    assert page.evaluate("document.activeElement.id") == name
    expect(focused_why(page)).to_contain_text("51 answers count; 72 are needed.")
    expect(focused_why(page)).to_be_visible()
