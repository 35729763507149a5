"""The two ways to work on the rating screen: by keys, and by pointer."""

from playwright.sync_api import Page, expect

# The place of a question, counted from 0, among those of the step on screen.
PLACE = """
(name) => [...document.querySelectorAll(".step:not([hidden]) fieldset.asked:not([hidden])")]
  .findIndex((each) => each.dataset.name === name)
"""


class Keys:
    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def choose(self, seen: dict, at: int) -> None:
        if seen["isText"]:
            self.press("Escape")
        self.page.keyboard.type(seen["choices"][at]["key"])

    def save(self) -> None:
        self.press("Enter")

    def back(self) -> None:
        self.press("Backspace")

    def ask(self, seen: dict, name: str) -> None:
        here, there = (self.page.evaluate(PLACE, each) for each in (seen["name"], name))
        if seen["isText"]:
            self.press("Escape")
        if seen["isAtSave"]:
            self.press("ArrowUp")
        for _ in range(abs(there - here)):
            self.press("ArrowDown" if there > here else "ArrowUp")

    def jump(self, place: int) -> None:
        expect(self.page.locator("[data-strip]")).to_be_visible()
        self.press("g")
        self.page.keyboard.type(f"{place}.1")
        self.press("Enter")


class Pointer:
    def __init__(self, page: Page) -> None:
        self.page = page

    def click(self, selector: str) -> None:
        self.page.locator(selector).click()

    def choose(self, seen: dict, at: int) -> None:
        self.page.locator("fieldset[data-active] .choice").nth(at).click()

    def save(self) -> None:
        self.click("[data-save]")

    def back(self) -> None:
        self.click("[data-back]")

    def ask(self, seen: dict, name: str) -> None:
        """On a narrow screen each question is a number; on a wide one its first answer is led to, and Tab does that."""
        at = self.page.evaluate(PLACE, name)
        if seen["isNarrow"]:
            self.page.locator("[data-question-strip] button").nth(at).click()
        else:
            self.page.locator(f'.step:not([hidden]) fieldset[data-name="{name}"] .choice input').first.focus()

    def jump(self, place: int) -> None:
        expect(self.page.locator("[data-strip]")).to_be_visible()
        is_list = self.page.locator("[data-strip-open]").is_visible()
        if is_list:
            self.click("[data-strip-open]")
        self.click(f'.strip-item[data-at="{place - 1}.0"]')
