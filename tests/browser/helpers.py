"""What browser tests say, in the words of somebody who sits in front of the screen."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

from tests.browser.windows import Windows

TIMEOUT = 10_000
# Each width and each scheme once: the width decides the layout, the scheme the colours, and neither the other's.
LOOKS = pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])


class Screen:
    """A browser of its own, signed in as one user. `problems` fail the test unless a part of them is in `allowed`."""

    has_pictures = False  # set by --pictures

    def __init__(
        self,
        windows: Windows,
        url: str,
        user: User | None,
        *,
        width: int = 1280,
        height: int = 800,
        color_scheme: str = "light",
        **options: object,
    ) -> None:
        self.url = url
        self._windows = windows
        self._listening: list[tuple[str, Callable[..., object]]] = []
        self._is_for_next = True
        # A page that is left drops what it asked for. htmx says so, and `afterRequest` with errors that have own names.
        self.allowed: list[str] = ["htmx:sendAbort", "htmx:afterRequest"]
        self._problems: list[str] = []
        self._under_way: set[Request] = set()
        own = {"base_url": url} | options
        self._window = windows.take(own, width=width, height=height, color_scheme=color_scheme)
        self.context, self.page, self.cdp = self._window.context, self._window.page, self._window.cdp
        self.context.set_default_timeout(TIMEOUT)
        if user:
            self.sign_in(user)
        for event, hear in self._watched(self.page):
            self.listen(event, hear)

    @property
    def problems(self) -> list[str]:
        return [problem for problem in self._problems if not any(part in problem for part in self.allowed)]

    def sign_in(self, user: User) -> None:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.url}])

    def sign_out(self) -> None:
        self.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    @property
    def clock(self) -> Any:
        """The page's own. It cannot be given back to the world, so the next test gets another window."""
        self._is_for_next = False
        return self.page.clock

    def listen(self, event: str, hear: Callable[..., object]) -> None:
        """To the page, until the end of the test."""
        self.page.on(event, hear)
        self._listening.append((event, hear))

    def new_tab(self) -> Page:
        page = self.context.new_page()
        for event, hear in self._watched(page):
            page.on(event, hear)
        return page

    def _watched(self, page: Page) -> list[tuple[str, Callable[..., object]]]:
        return [
            ("pageerror", lambda error: self._problems.append(f"error in {page.url}: {error}")),
            ("console", self._listen),
            ("request", self._began),
            ("requestfinished", self._ended),
            ("requestfailed", self._ended),
        ]

    def _began(self, request: Request) -> None:
        self._under_way.add(request)

    def _ended(self, request: Request) -> None:
        self._under_way.discard(request)

    def _listen(self, message: ConsoleMessage) -> None:
        """A breach of the content security policy is said here too, as an error."""
        if message.type == "error":
            self._problems.append(f"console: {message.text} ({message.location.get('url', '')})")

    def close(self, *, has_failed: bool = False) -> None:
        """Not before the server has answered: the next test would meet what is still being written."""
        deadline = time.monotonic() + 5
        while self._under_way and not self.page.is_closed() and time.monotonic() < deadline:
            self.page.wait_for_timeout(20)
        if has_failed or not self._is_for_next or self.page.is_closed():
            self.context.close()
            return
        for event, hear in self._listening:
            self.page.remove_listener(event, hear)
        self._windows.give_back(self._window)

    def go(self, path: str) -> Page:
        self.page.goto(path)
        return self.page

    def keep_picture(self, path: Path, part: Locator | None = None) -> None:
        """With --pictures only: a picture takes a second, and nobody looks at most of them."""
        if self.has_pictures:
            self.take_picture(path, part)

    def take_picture(self, path: Path, part: Locator | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.wait_for_load_state("networkidle")  # without it the capture itself failed in 4 of 10 runs
        if part is None:
            self.page.screenshot(path=path, full_page=True)
        else:
            part.screenshot(path=path)

    def barriers(self) -> str:
        """What axe finds on the page, once it is there as a whole; empty when it finds nothing."""
        self.page.wait_for_load_state()
        results = Axe().run(self.page)
        return results.generate_report() if results.violations_count else ""


def read_and_start(page: Page, key: str) -> None:
    """From My work to the first batch of somebody new: the guidelines come before it."""
    page.get_by_role("button", name="Read the guidelines and start").click()
    page.get_by_role("button", name=f"I have read them: start batch {key}").click()
    page.wait_for_url("**/work/*/*/*/")


def wait_for_step(page: Page) -> None:
    """Until keys are heard: the rating screen's scripts run, and the step on screen is the one to be answered."""
    page.wait_for_load_state()
    expect(page.locator("[data-stage]:not([aria-busy])")).to_have_count(1)


def answer(page: Page, key: str) -> None:
    """A digit and Enter on the rating screen."""
    wait_for_step(page)
    chosen = page.locator("section.step:visible input:checked")
    expect(chosen).to_have_count(0)
    page.keyboard.press(key)
    expect(chosen).to_have_count(1)
    page.keyboard.press("Enter")
