"""The rating screen in Chromium: weight, requests and time of the first page, and from Enter to the next item."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.rows import Goal, Row, percentile
from bench.servers import serving
from bench.studies import Annotator, Shape, make_study, seat_annotators

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--no-sandbox",  # root in a container has no other choice, and the pages are our own
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
)
# When the largest text stood on the screen, counted from the click.
VISIBLE = """() => new Promise(done => new PerformanceObserver(list => done(list.getEntries().at(-1).startTime))
    .observe({type: "largest-contentful-paint", buffered: true}))"""
# From Enter until the frame that shows another step.
WATCH = """() => {
    window.moves = [];
    const shown = () => document.querySelector(".step:not([hidden])")?.id;
    addEventListener("keydown", event => {
        if (event.key !== "Enter") return;
        const before = shown();
        const look = () => {
            if (shown() === before) requestAnimationFrame(look);
            else requestAnimationFrame(now => window.moves.push(performance.now() - event.timeStamp));
        };
        requestAnimationFrame(look);
    }, {capture: true});
}"""


@dataclass(frozen=True, slots=True)
class FirstPage:
    kilobytes: float
    n_requests: int
    seconds: float


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    annotator = seat_annotators(make_study("pages", Shape(20, 10, n_responses=5)), 1)[0]
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread
    with serving(place) as port, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=SWITCHES)
        url = f"http://127.0.0.1:{port}"
        pages = [_first_page(browser, url, annotator) for _ in range(4 if is_quick else 8)][1:]
        moves = _moves(browser, url, annotator, 25 if is_quick else 45)
        browser.close()
    yield Row("first rating page: weight", max(page.kilobytes for page in pages), "kB", goal=Goal(100))
    yield Row("first rating page: requests", max(page.n_requests for page in pages), "", goal=Goal(10))
    yield Row("first rating page: visible", statistics.median(page.seconds for page in pages), "s", goal=Goal(0.3))
    yield Row("Enter to the next item p50", statistics.median(moves), "s", goal=Goal(0.05))
    yield Row("Enter to the next item p95", percentile(moves, 0.95), "s")


def find_browser() -> str:
    found = os.environ.get("PARLEY_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise RuntimeError("No browser: install chromium-headless-shell or chromium, or name one in PARLEY_BROWSER.")
    return found


def _context(browser: Browser, url: str, annotator: Annotator) -> BrowserContext:
    """An empty cache, signed in."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
    cookies = dict(part.split("=", 1) for part in annotator.headers["Cookie"].split("; "))
    context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookies.items()])
    return context


def _first_page(browser: Browser, url: str, annotator: Annotator) -> FirstPage:
    """What is fetched until the page is complete; the next dialogues, fetched ahead when it is idle, are not of it."""
    context = _context(browser, url, annotator)
    page = context.new_page()
    sizes: list[float] = []
    requests: list[str] = []  # schemes
    network = context.new_cdp_session(page)
    network.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"].partition(":")[0]))
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    network.send("Network.enable")
    page.goto(f"/work/{annotator.assignment.token}/", wait_until="load")
    found = FirstPage(sum(sizes) / 1000, sum(scheme != "data" for scheme in requests), page.evaluate(VISIBLE) / 1000)
    context.close()
    return found


def _moves(browser: Browser, url: str, annotator: Annotator, n: int) -> list[float]:
    context = _context(browser, url, annotator)
    page = context.new_page()
    page.goto(f"/work/{annotator.assignment.token}/")
    page.wait_for_load_state("networkidle")
    page.evaluate(WATCH)
    for at in range(n):
        _answer(page, at + 1)
    moves = page.evaluate("window.moves")
    context.close()
    return [milliseconds / 1000 for milliseconds in moves]


def _answer(page: Page, at: int) -> None:
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_function("n => window.moves.length >= n", arg=at)
    page.wait_for_timeout(50)  # nobody is faster; the answer goes out meanwhile
