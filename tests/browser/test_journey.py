"""The whole path in Chromium, on the real web server, worker and beat: from an empty database to a downloaded report."""

import json
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect

from annotation.models import Assignment, Rating
from tests.browser.helpers import Screen
from tests.faults.processes import Process, free_port, killed_at_the_end, start_web, start_worker
from tests.wait import wait_until

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
def open_at(browser: Browser, site: str) -> Iterator:
    screens: list[Screen] = []

    def open_one(**options: object) -> Screen:
        screens.append(Screen(browser, site, None, **options))
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


def set_up(page: Page, file: Path) -> str:
    """A study with one batch of two seats, open for everybody with the link, which is returned."""
    page.goto("/studies/new/")
    page.get_by_label("Name", exact=True).fill("Plans")
    page.get_by_label("Protocol").select_option(label="HE protocol, version 1.0")
    page.get_by_label("Annotators per batch").fill("2")
    page.get_by_role("button", name="Create the study").click()
    page.goto("/studies/plans/import/")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("5 dialogues").first).to_be_visible(timeout=20_000)
    page.goto("/studies/plans/batches/")
    page.locator("input[name=by][value=size]").check()
    page.locator("input[name=size]").fill("5")
    page.get_by_role("button", name="Make batches").click()
    page.get_by_role("button", name="Open all").click()
    page.get_by_role("button", name="Open the study").click()
    page.goto("/studies/plans/people/")
    page.get_by_label("Anybody with the link may join").check()
    page.get_by_label("Who joins may rate at once").check()
    page.get_by_role("button", name="Save").first.click()
    return page.locator("input[readonly]").first.input_value()


def join(screen: Screen, link: str) -> None:
    """To the first question, by the keyboard alone."""
    screen.go(link)
    press_on(screen.page, "Join")
    press_on(screen.page, "Start")
    screen.page.wait_for_url("**/work/*/*/*/")


def press_on(page: Page, name: str) -> None:
    """Tab to the button whose name begins like this, and press it."""
    page.wait_for_load_state("networkidle")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText || ''").startswith(name):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no {name!r} within 40 tabs")


def rate_all(screen: Screen, choose) -> None:
    """Digit and Enter, sixty times; the last Enter of all hands the batch in."""
    page = screen.page
    for number in range(N_ANSWERS):
        expect(page.locator(".progress-text, [data-progress]").first).to_contain_text(f"{number} of {N_ANSWERS}")
        criterion = page.locator("section:visible form [name=criterion], form:visible [name=criterion]").first.input_value()
        text = page.locator("[data-response]:visible").last.inner_text()
        page.keyboard.press(str(choose(criterion, text)))
        page.keyboard.press("Enter")
