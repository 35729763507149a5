"""A real browser on the live server. An error in the page, its console or its policy fails the test."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, sync_playwright
from pytest_django.live_server_helper import LiveServer

from annotation.models import Assignment
from tests.browser.helpers import Screen
from tests.browser.rating import begin
from tests.browser.windows import Windows
from tests.cast import Cast
from tests.factories import take_seat

# Playwright's loop runs in the test's thread; Django would take the test itself for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--no-sandbox",  # root in a container has no other choice, and the pages are our own
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
)
SCREENSHOTS = Path(__file__).parents[2] / "var" / "screenshots"


def find_browser() -> str:
    found = os.environ.get("PARLEY_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.fail("No browser: install chromium-headless-shell or chromium, or name one in PARLEY_BROWSER.")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def windows(browser: Browser) -> Windows:
    return Windows(browser)


def pytest_configure(config: pytest.Config) -> None:
    Screen.has_pictures = config.getoption("pictures")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call":
        item.has_failed = report.failed
    return report


@pytest.fixture
def open_screen(
    windows: Windows, live_server: LiveServer, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Screen]]:
    """`open_screen(user, width=375, ...)`: a browser of its own, signed in. Several are several devices."""
    screens: list[Screen] = []

    def open_one(user: User | None = None, **options: object) -> Screen:
        screens.append(Screen(windows, live_server.url, user, **options))
        return screens[-1]

    yield open_one
    has_failed = getattr(request.node, "has_failed", True)
    for number, screen in enumerate(screens, start=1):
        if has_failed:
            screen.take_picture(SCREENSHOTS / f"{request.node.name}-{number}.png")
        screen.close(has_failed=has_failed)
    problems = [problem for screen in screens for problem in screen.problems]
    if problems and not has_failed:
        pytest.fail("The page reported:\n" + "\n".join(problems))


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return take_seat(cast.annotator, cast.batch)


@pytest.fixture
def screen(open_screen, cast: Cast, assignment: Assignment) -> Screen:
    screen = open_screen(cast.annotator.user)
    begin(screen, assignment)
    return screen
