"""The whole path in Chromium, on the real web server, worker and beat: from an empty database to a report."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Rating
from protocols.selectors import find_version
from tests.browser.conftest import SCREENSHOTS
from tests.browser.editor import Hand, field, fill_first_criterion, node, note, state
from tests.browser.helpers import Screen, answer, wait_for_step
from tests.browser.windows import Windows
from tests.faults.processes import Process, free_port, killed_at_the_end, start_web, start_worker

pytestmark = pytest.mark.django_db(transaction=True)

SOURCES = ("ground_truth", "model_a", "model_b")
CRITERIA = ("appropriateness", "contextualization", "listening", "correctness")
PASSWORD = "a long enough pass phrase"
N_ANSWERS = 5 * 3 * 4


def dialogues() -> str:
    lines = (
        {
            "dialogue_id": f"d{number}",
            "history": [
                {"speaker": "A", "text": f"Last week you told me about plan number {number}. How did it go?"},
                {"speaker": "B", "text": "Better than I feared, to be honest."},
            ],
            "candidates": [{"source": source, "text": f"Reply {number} of {source[-1]}."} for source in SOURCES],
        }
        for number in range(1, 6)
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Everything that `up` runs, on the database of this test."""
    call_command("load_protocols")
    port = free_port()
    beat = [sys.executable, "-m", "celery", "-A", "parley", "beat", "-s", str(tmp_path / "beat")]
    with (
        killed_at_the_end(start_web(port)),
        killed_at_the_end(start_worker("live,long")),
        killed_at_the_end(Process(beat, port)),
    ):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def open_at(windows: Windows, site: str) -> Iterator:
    screens: list[Screen] = []

    def open_one(**options: object) -> Screen:
        screens.append(Screen(windows, site, None, **options))
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.close()
    assert [problem for screen in screens for problem in screen.problems] == []


def sign_in(page: Page, name: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/studies/")


def set_up(page: Page, file: Path, protocol: str = "he-protocol") -> str:
    """A study with one batch of two seats, open for everybody with the link, which is returned."""
    page.goto("/studies/new/")
    page.get_by_label("Name", exact=True).fill("Plans")
    page.get_by_label("Protocol").select_option(value=str(find_version(protocol).pk))
    page.get_by_label("Annotators per batch").fill("2")
    page.get_by_role("button", name="Create the study").click()
    page.goto("/studies/plans/import/")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("Imported.")).to_be_visible(timeout=20_000)
    page.goto("/studies/plans/batches/")
    page.locator("input[name=by][value=size]").check()
    page.locator("input[name=size]").fill("5")
    page.get_by_role("button", name="Make batches").click()
    page.get_by_role("button", name=re.compile("^Open (all|the draft)")).click()
    page.get_by_role("button", name="Open the study").click()
    page.goto("/studies/plans/people/")
    page.get_by_label("Anyone with the link may join").check()
    page.get_by_label("People who join may rate at once").check()
    page.get_by_role("button", name="Save").first.click()
    return page.locator("input[readonly]").first.input_value()


def join(screen: Screen, link: str) -> None:
    """To the first question, by the keyboard alone."""
    screen.go(link)
    press_on(screen.page, "Take part")
    screen.page.wait_for_url(re.compile(r"/work/(welcome/.+/)?$"))
    has_welcome = "/welcome/" in screen.page.url
    press_on(screen.page, "Continue to the guidelines" if has_welcome else "Read the guidelines and start")
    press_on(screen.page, "I have read them: start")
    screen.page.wait_for_url("**/work/*/*/*/")


def press_on(page: Page, name: str) -> None:
    """Tab to the button whose name begins like this, and press it."""
    page.wait_for_load_state("networkidle")
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText || ''").startswith(name):
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"no {name!r} within 80 tabs")


def rate_all(page: Page, choose: Callable[[str, str], int]) -> None:
    """A digit and Enter, sixty times. The page is read, and touched by the keyboard alone."""
    for number in range(N_ANSWERS):
        expect(page.locator("[data-progress-text]")).to_have_text(f"{number} of {N_ANSWERS} steps")
        wait_for_step(page)
        step = page.locator("section.step:visible")
        criterion = step.locator("fieldset[data-criterion]").get_attribute("data-criterion")
        answer(page, str(choose(str(criterion), page.locator(".judged:visible p").inner_text())))
    page.wait_for_url("**/submit/")


def first(criterion: str, text: str) -> int:
    """Positive for the ground truth and model a, negative for model b."""
    return 2 if text.endswith("b.") else 1


def second(criterion: str, text: str) -> int:
    """As the first annotator, except that the second and fourth reply of model a are not listening."""
    is_other = criterion == "listening" and text.endswith("a.") and text.split()[1] in ("2", "4")
    return 2 if is_other else first(criterion, text)


@pytest.mark.journey
def test_from_an_empty_database_to_a_downloaded_report(open_at, tmp_path: Path):
    User.objects.create_user("researcher", password=PASSWORD, is_staff=True)
    file = tmp_path / "dialogues.jsonl"
    file.write_text(dialogues())
    desk = open_at()
    sign_in(desk.page, "researcher")
    link = set_up(desk.page, file)

    board = open_at()
    sign_in(board.page, "researcher")
    board.go("/studies/plans/board/")
    annotators = [open_at(), open_at()]
    for screen, choose in zip(annotators, (first, second), strict=True):
        join(screen, link)
        rate_all(screen.page, choose)
        press_on(screen.page, "Submit the batch")
        screen.page.wait_for_url("**/thanks/")

    assert Rating.objects.count() == 2 * N_ANSWERS
    assert Assignment.objects.filter(status="submitted").count() == 2
    expect(board.page.locator("#board-progress")).to_contain_text("120 of 120")
    shown = table_of(board.page)
    # Listening: of 15 items, the two answers differ on 2; positive answers are 10 + 8 of 30.
    assert shown["Listening"]["model_a"] == "−0.25"
    assert shown["Listening"]["ground_truth"] == shown["Listening"]["model_b"] == "–"
    assert shown["Together"]["All criteria and sources"] == f"{pooled_kappa():.2f}"

    with desk.page.expect_download() as download:
        desk.go("/studies/plans/report/").get_by_role("link", name="JSON").click()
    report = json.loads(Path(download.value.path()).read_text())
    majority = {(row["source"], row["criterion"]): row["percent"] for row in report["majority"]}
    assert report["n_ratings"] == 120
    assert majority["ground_truth", "listening"] == 100
    assert majority["model_a", "listening"] == 60
    assert majority["model_b", "correctness"] == 0


def test_a_rubric_made_in_the_browser_becomes_an_open_study(open_at, tmp_path: Path):
    """By somebody who has never seen Parley: from 'New from scratch' to the first answer."""
    User.objects.create_user("mara", password=PASSWORD, is_staff=True)
    file = tmp_path / "dialogues.jsonl"
    file.write_text(dialogues())
    desk = open_at()
    page, hand = desk.page, Hand(desk.page)
    sign_in(page, "mara")
    hand.click(page.get_by_role("link", name="Protocols"))
    hand.click(page.get_by_text("New from scratch"))
    hand.enter(page.get_by_label("Name"), "Manners")
    hand.enter(page.get_by_label("Key"), "manners")
    hand.click(page.get_by_role("button", name="Create the draft"))
    make_rubric(page, hand)
    hand.click(page.get_by_role("link", name="View the version"))
    hand.click(page.get_by_label("I have read it"))
    hand.click(page.get_by_role("button", name="Publish 0.1"))
    expect(page.get_by_text("published").first).to_be_visible()
    note(
        "whole-journey", f"{hand.n_steps} steps, {hand.n_keys} keystrokes from the first link to the published protocol"
    )

    link = set_up(page, file, "manners")
    annotator = open_at()
    join(annotator, link)
    annotator.page.keyboard.press("1")
    annotator.page.keyboard.press("a")
    expect(annotator.page.locator(".reason input:checked:visible")).to_have_count(1)
    annotator.keep_picture(SCREENSHOTS / "editor" / "rated.png")


def make_rubric(page: Page, hand: Hand) -> None:
    """Five points, two criteria, a reason on each of the two low scores, an example; saved."""
    first = fill_first_criterion(page, hand)
    hand.click(first.get_by_role("button", name=re.compile("^Duplicate criterion 1")))
    hand.write("Warmth")
    hand.enter(field(node(page, "criterion", 1), "question"), "How friendly is it?")
    hand.press("Control+s")
    expect(state(page)).to_have_text("Saved")


def pooled_kappa() -> float:
    """Fleiss' kappa of the 60 judgements by its formula: they differ on 2, and 40 + 38 of 120 votes are positive."""
    agreement = 58 / 60
    positive = 78 / 120
    chance = positive**2 + (1 - positive) ** 2
    return (agreement - chance) / (1 - chance)


def table_of(page: Page) -> dict[str, dict[str, str]]:
    """{group: {row: the study's value}} as it stands on the board."""
    table: dict[str, dict[str, str]] = {}
    for group in page.locator("#board-agreement tbody").all():
        name = group.locator(".board-group").inner_text()
        rows = group.locator("tr:not(.board-group)").all()
        table[name] = {row.locator("th").inner_text(): row.locator("td.pooled button").inner_text() for row in rows}
    return table
