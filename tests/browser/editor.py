"""What tests of the protocol editor do with it: its parts by name, and a person's hand that counts."""

from collections.abc import Callable

from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page

from protocols.editing import editable
from protocols.models import ProtocolVersion
from protocols.services import store_bundle
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import Screen
from tests.factories import UserFactory

Open = Callable[..., Screen]
TINY = {
    "bundle": 1,
    "protocol": "manners",
    "name": "Manners",
    "version": "0.1",
    "criteria": [
        {
            "key": "first",
            "name": "First",
            "question": "Is it good?",
            "options": [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}],
        }
    ],
}
UNPROCESSABLE, CONFLICT = "status of 422", "status of 409"


class Hand:
    """Does what a person does, and counts it: each click, choice and entry is a step, each key a keystroke."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n_steps = self.n_keys = 0

    def click(self, target: Locator) -> None:
        self.n_steps += 1
        target.click()

    def enter(self, target: Locator, text: str) -> None:
        self.n_steps += 1
        self.n_keys += len(text)
        target.fill(text)

    def write(self, text: str) -> None:
        """Where the focus is already."""
        self.n_keys += len(text)
        self.page.keyboard.insert_text(text)

    def press(self, key: str) -> None:
        self.n_keys += 1
        self.page.keyboard.press(key)

    def choose(self, target: Locator, label: str) -> None:
        self.n_steps += 1
        target.select_option(label=label)


def draft_of(doc: dict) -> ProtocolVersion:
    return store_bundle(doc, publish=False, now=timezone.now())[0]


def begin(open_screen: Open, version: ProtocolVersion, **options: object) -> Screen:
    screen = open_screen(UserFactory(is_staff=True), **options)
    screen.allowed += [UNPROCESSABLE, CONFLICT]
    screen.go(reverse("protocol_edit", args=[version.protocol.slug, version.version]))
    return screen


def node(within: Page | Locator, kind: str, at: int = 0) -> Locator:
    return within.locator(f'[data-node="{kind}"]').nth(at)


def field(within: Page | Locator, name: str) -> Locator:
    return within.locator(f'[data-field="{name}"]').first


def state(page: Page) -> Locator:
    return page.locator(".save-state")


def preview(page: Page):
    return page.frame_locator(".edit-frame iframe.shown")


def stored(version: ProtocolVersion) -> dict:
    return editable(ProtocolVersion.objects.get(pk=version.pk))


def names(page: Page) -> list[str]:
    return page.eval_on_selector_all(
        '#editor [data-node="criterion"] [data-field="name"]', "all => all.map(each => each.value)"
    )


def note(name: str, text: str) -> None:
    """For people: what was measured in the last run."""
    (SCREENSHOTS / "editor").mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / "editor" / f"{name}.txt").write_text(text + "\n")


def rubric(n: int) -> dict:
    criteria = [TINY["criteria"][0] | {"key": f"c{at}", "name": f"Criterion {at}"} for at in range(1, n + 1)]
    return TINY | {"name": f"Rubric of {n}", "protocol": f"rubric-{n}", "criteria": criteria}


def fill_first_criterion(page: Page, hand: Hand) -> Locator:
    """Fluency on five points, a reason on each of the two lowest, and an example."""
    fluency = node(page, "criterion")
    hand.enter(field(fluency, "name"), "Fluency")
    hand.enter(field(fluency, "question"), "How well does it read?")
    hand.click(fluency.get_by_role("button", name="Make a 5-point scale"))
    for at, reason in ((0, "It has mistakes."), (1, "It sounds strange.")):
        low = node(fluency, "option", at)
        hand.choose(field(low, "asks"), "Reasons, optional")
        hand.click(low.get_by_role("button", name="Add a reason"))
        hand.write(reason)
    hand.click(fluency.get_by_role("button", name="Add an example"))
    hand.write("A greeting")
    example = node(fluency, "example")
    hand.enter(field(node(example, "turn"), "text"), "Good morning!")
    hand.enter(field(node(example, "candidate"), "text"), "Morning to good you.")
    hand.choose(field(node(example, "candidate"), "option"), "Very poor")
    return fluency


def go_on(page: Page) -> None:
    step = page.locator("[data-step]:visible").get_attribute("id")
    page.keyboard.press("Enter")
    page.wait_for_function("step => document.getElementById(step).hidden || location.hash", arg=step)
