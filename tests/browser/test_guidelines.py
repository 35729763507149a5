"""The full guidelines on screens of two widths and in both colour schemes."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS, Screen
from tests.shipped import Work

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
SHIPPED = [
    ("he-protocol-1.0", 1),
    ("he-protocol-1.0-three-criteria", 1),
    ("persona-quality-1.0", 1),
    ("dialogue-hit-1.0", 1),
    ("diqad-1.0", 0),
    ("diqad-1.0-zh", 0),
]
WIDTHS = {1280: 900, 375: 740}
IS_WIDER = "document.documentElement.scrollWidth > innerWidth"
# What sticks out to the side of the page, though the page itself may hide it.
STICKING_OUT = """() => [...document.querySelectorAll('.guidelines *')].filter(each => {
  const box = each.getBoundingClientRect();
  return box.width && getComputedStyle(each).clipPath === 'none' && !each.closest('.visually-hidden, thead')
    && (box.right > innerWidth + 1 || box.left < -1);
}).map(each => each.outerHTML.slice(0, 80))"""


def read(open_screen: Open, protocol: str, n_sources: int, **options: object) -> Screen:
    work = Work(protocol, n_dialogues=1, n_sources=n_sources)
    screen = open_screen(work.participant.user, **options)
    screen.go(reverse("guidelines", args=[work.study.slug]))
    return screen


@pytest.mark.parametrize(("protocol", "n_sources"), SHIPPED)
@LOOKS
def test_every_protocol_can_be_read_by_everybody_at_any_width(
    open_screen: Open, protocol: str, n_sources: int, width: int, scheme: str
):
    screen = read(open_screen, protocol, n_sources, color_scheme=scheme, width=width, height=WIDTHS[width])
    screen.keep_picture(SCREENSHOTS / "guidelines" / f"{protocol}-{width}-{scheme}.png")
    assert screen.barriers() == ""
    assert not screen.page.evaluate(IS_WIDER)
    assert screen.page.evaluate(STICKING_OUT) == []


@pytest.mark.journey
def test_the_contents_stay_beside_the_text_and_lead_to_a_criterion(open_screen: Open):
    page = read(open_screen, "diqad-1.0", 0).page
    contents = page.locator(".toc-side")
    contents.locator("a[href='#criterion-reasons_0']").click()
    expect(page.locator("#criterion-reasons_0")).to_be_in_viewport()
    expect(contents).to_be_in_viewport()
    assert page.url.endswith("#criterion-reasons_0")


def test_the_contents_unfold_on_a_phone(open_screen: Open):
    page = read(open_screen, "diqad-1.0", 0, width=375).page
    contents = page.locator(".toc-fold")
    expect(page.locator(".toc-side")).to_be_hidden()
    expect(contents.get_by_role("link", name="Score", exact=True)).to_be_hidden()
    contents.locator("summary").click()
    contents.get_by_role("link", name="Score", exact=True).click()
    expect(page.locator("#criterion-score")).to_be_in_viewport()


def test_printing_leaves_the_navigation_out_and_is_dark_on_light(open_screen: Open):
    screen = read(open_screen, "dialogue-hit-1.0", 1, color_scheme="dark")
    page = screen.page
    page.emulate_media(media="print")
    for gone in (".site-header", ".site-footer", ".toc-side", ".toc-fold", ".crumbs"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    assert page.locator("body").evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".question").first.evaluate("each => getComputedStyle(each).color") == "rgb(17, 17, 17)"
    assert page.locator(".examples tr").last.evaluate("each => getComputedStyle(each).breakInside") == "avoid"
    screen.keep_picture(SCREENSHOTS / "guidelines" / "printed.png")


def test_the_labels_of_rows_stay_whole_on_a_phone(open_screen: Open):
    page = read(open_screen, "persona-quality-1.0", 1, width=375).page
    lines = """cell => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
    }"""
    for label, most in (("1 (poor)", 1), ("3 (fair)", 1), ("5 (perfect)", 2)):
        cells = page.locator(".prose table td:first-child", has_text=label).all()
        assert cells
        assert max(cell.evaluate(lines) for cell in cells) <= most
