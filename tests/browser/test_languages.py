"""Pages in every language, in a browser: nothing overflows, nothing is in the way of anybody, work is done in it."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Rating
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from annotation.services.studies import update_study
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import Screen
from tests.cast import make_cast
from tests.pseudo import LANGUAGE
from tests.shipped import Work
from tests.wait import wait_until
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
NOW = timezone.now()
LANGUAGES = ("it", "zh-CN", LANGUAGE)


def look(screen: Screen, name: str, language: str) -> None:
    """At the width of a desk and of a phone: texts grow in a language, and the page with them."""
    page = screen.page
    expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == LANGUAGE else "ltr")
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        screen.keep_picture(SCREENSHOTS / "languages" / f"{name}-{language}-{width}.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than {width}"
        assert screen.barriers() == "", (name, width)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_of_a_study_fit_and_have_no_barriers(open_screen: Open, right_to_left: str, language: str):
    cast = make_cast()
    for number, annotator in enumerate(cast.annotators[:2]):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    sweep(now=NOW)
    cast.owner.is_staff = True
    cast.owner.save()
    screen = open_screen(cast.owner, locale=language)
    slug, protocol = cast.study.slug, [cast.version.protocol.slug, cast.version.version]
    pages = {
        "study": reverse("study", args=[slug]),
        "settings": reverse("study_settings", args=[slug]),
        "batches": reverse("study_batches", args=[slug]),
        "people": reverse("study_people", args=[slug]),
        "board": reverse("board", args=[slug]),
        "report": reverse("report", args=[slug]),
        "protocols": reverse("protocols"),
        "version": reverse("protocol_version", args=protocol),
    }
    for name, path in pages.items():
        screen.go(path)
        look(screen, name, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_annotator_rates_in_the_language(open_screen: Open, right_to_left: str, language: str):
    work = Work("dialogue-hit-1.0", n_sources=1)
    screen = open_screen(work.participant.user, locale=language)
    screen.go(reverse("work"))
    look(screen, "work", language)
    page = screen.go(reverse("rate_start", args=[work.assignment.token]))
    look(screen, "rate", language)
    first = page.url
    for key in ("4", "2", "Enter"):
        page.keyboard.press(key)
    expect(page).not_to_have_url(first)
    wait_until(lambda: (page.wait_for_timeout(20), Rating.objects.count() == 2)[1], what="both answers")
    screen.go(reverse("guidelines", args=[work.study.slug]))
    look(screen, "guidelines", language)


def test_a_chinese_protocol_is_rated_on_an_italian_page(open_screen: Open):
    """The language of the texts does not depend on that of the page."""
    work = Work("diqad-1.0-zh", n_dialogues=1, reading_seconds=0)
    page = open_screen(work.participant.user, locale="it").go(reverse("rate_start", args=[work.assignment.token]))

    expect(page.locator("html")).to_have_attribute("lang", "it")
    expect(page.get_by_role("button", name="Rivedi e consegna").first).to_be_visible()
    question = page.locator(".step:visible legend").first
    assert question.evaluate("each => getComputedStyle(each).fontFamily").count("Noto Sans CJK SC")
    assert page.locator(".step:visible [lang]").first.get_attribute("lang") == "zh-Hans"


def test_what_is_not_translated_is_marked_on_the_screen(open_screen: Open):
    work = Work("dialogue-hit-1.0", n_sources=1, translations={"it": {"guidelines_short": "Leggi tutto."}})
    update_study(work.study, content_language="it", now=NOW)
    screen = open_screen(work.participant.user, locale="it")
    page = screen.go(reverse("rate_start", args=[work.assignment.token]))

    mark = page.locator(".step:visible .untranslated").first
    expect(mark).to_be_visible()
    assert mark.evaluate("each => getComputedStyle(each, '::after').content") != "none"
    assert page.locator(".rate-guide .prose .untranslated").count() == 0
    look(screen, "untranslated", "it")


@pytest.mark.journey
def test_a_person_changes_the_language_where_they_are(open_screen: Open):
    screen = open_screen(make_cast().owner)
    page = screen.go(reverse("studies"))
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page).to_have_url(screen.url + reverse("studies"))
    expect(page.get_by_role("button", name="简体中文")).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
