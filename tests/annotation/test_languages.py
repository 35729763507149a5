"""The language of the pages: asked for by the browser, chosen by a person, and complete on every page."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.apps import apps
from django.db import models
from django.test import Client
from django.urls import URLPattern, reverse

from tests.annotation.doors import MAY, ROUTES
from tests.cast import Cast

pytestmark = pytest.mark.django_db
PAGES = [route for _, route in ROUTES if "GET" in MAY[route.name] and not route.name.startswith("api_")]
DOWNLOADS = {
    "healthz",
    "guidelines_pdf",
    "report_pdf",
    "report_json",
    "report_table",
    "report_html",
    "protocol_export",
    "return",
}
SHOWN_ATTRIBUTES = {"title", "aria-label", "aria-description", "placeholder", "alt"}
UNSHOWN_ELEMENTS = {"script", "style", "code", "kbd", "template", "time"}  # and dates are Django's
WORD = re.compile(r"[A-Za-z]{2,}")
# Names that are the same in every language.
NAMES = {
    "Parley", "English", "Italiano", "CSV", "JSON", "PDF", "HTML", "YAML", "XLSX", "Parquet", "Markdown", "SVG", "UTF",
    "GBP", "API", "SHA", "ISO", "Prolific", "Amazon", "Mechanical", "Turk", "HEDS", "Shimorina", "Belz", "https",
    "Thomson", "aclanthology", "org", "humeval", "gem", "Fleiss", "Cohen", "Krippendorff", "Gwet", "Landis", "Koch",
}  # fmt: skip


# --- which language ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("asked", "shown"),
    [("", "en"), ("it-IT,it;q=0.9,en;q=0.5", "it"), ("zh-CN,zh;q=0.9", "zh-hans"), ("fr", "en"), ("xx-\x7f", "en")],
)
def test_a_page_is_in_the_language_the_browser_asks_for(db, client: Client, asked: str, shown: str):
    page = client.get(reverse("account_login"), headers={"accept-language": asked} if asked else {})

    assert f'<html lang="{shown}" dir="ltr">' in page.content.decode()
    assert page["Content-Language"] == shown
    assert "Accept-Language" in page["Vary"]


def test_a_person_chooses_another_and_stays_on_the_page(kept_cast: Cast, client: Client):
    client.force_login(kept_cast.owner)
    here = reverse("studies")

    answer = client.post(reverse("set_language"), {"language": "it", "next": here})

    assert (answer.status_code, answer["Location"]) == (302, here)
    assert '<html lang="it"' in client.get(here, headers={"accept-language": "zh-CN"}).content.decode()
    assert client.cookies["django_language"]["samesite"] == "Lax"


def test_a_choice_leads_to_no_other_site(db, client: Client):
    answer = client.post(reverse("set_language"), {"language": "it", "next": "https://elsewhere.example/"})

    assert answer["Location"] == "/"


def test_every_page_offers_the_languages_by_their_own_names(db, client: Client):
    page = client.get(reverse("account_login")).content.decode()

    for code, name in (("en", "English"), ("it", "Italiano"), ("zh-hans", "简体中文")):
        assert re.search(f'value="{code}" lang="{code}"[^>]*>{name}</button>', page)


def test_a_language_written_from_right_to_left_turns_the_page_round(db, client: Client, right_to_left: str):
    page = client.get(reverse("account_login"), headers={"accept-language": right_to_left}).content.decode()

    assert f'<html lang="{right_to_left}" dir="rtl">' in page


def test_dates_are_written_as_the_language_writes_them(kept_cast: Cast, client: Client):
    client.force_login(kept_cast.owner)
    url = reverse("protocol_version", args=[kept_cast.version.protocol.slug, kept_cast.version.version])
    kept_cast.owner.is_staff = True
    kept_cast.owner.save()
    at = kept_cast.version.published_at

    for code, text in (("en", f"{at:%b}"), ("zh-hans", f"{at.year}年{at.month}月{at.day}日")):
        assert text in client.get(url, headers={"accept-language": code}).content.decode()


# --- every text ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.name)
def test_no_text_of_a_page_is_left_in_english(route: URLPattern, people, values, right_to_left: str):
    """In a language whose every text is in other letters, Latin ones are data, or a text nobody can translate."""
    if route.name in DOWNLOADS:
        return
    kwargs = {word: values[route.name][word] for word in route.pattern.converters}
    data = sorted(stored_texts(), key=len, reverse=True)
    left = set()
    for role in MAY[route.name]["GET"] & {"owner", "staff", "annotator", "anonymous"}:
        answer = people[role].get(reverse(route.name, kwargs=kwargs), headers={"accept-language": right_to_left})
        if "html" in answer.headers.get("Content-Type", "") and answer.status_code < 300:
            left |= set(latin_texts(answer.content.decode(), data))
    assert left == set()


def stored_texts() -> set[str]:
    """Every text of the database that people or their files have given."""
    kinds = (models.CharField, models.TextField, models.JSONField, models.SlugField)
    found: set[str] = set()
    for model in apps.get_models():
        fields = [each.name for each in model._meta.fields if isinstance(each, kinds) and not each.choices]
        for row in model.objects.values_list(*fields) if fields else ():
            for value in row:
                found |= set(texts_in(value))
    return {text.strip() for text in found if WORD.search(text)}


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield from re.split(r"\s*\n\s*", value)
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for each in pair for text in texts_in(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in texts_in(each))


def latin_texts(html: str, data: list[str]) -> Iterator[str]:
    reader = Shown()
    reader.feed(html)
    for text in reader.found:
        rest = " ".join(text.split())
        for known in data:
            rest = rest.replace(" ".join(known.split()), " ")
        if set(WORD.findall(rest)) - NAMES:
            yield " ".join(text.split())


class Shown(HTMLParser):
    """What a person reads or hears. Texts in `lang` of their own are content, and so are those of <code>."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[tuple[str, bool]] = []

    @property
    def is_hidden(self) -> bool:
        return any(hidden for _, hidden in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [value for name, value in attrs if name in SHOWN_ATTRIBUTES and value and not self.is_hidden]
        if tag not in {"meta", "link", "input", "br", "hr", "img", "col", "path", "circle", "line", "rect", "source"}:
            self.open.append((tag, tag in UNSHOWN_ELEMENTS or ("lang" in given and tag != "html")))

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self.open):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self.is_hidden and data.strip():
            self.found.append(data)


# --- the texts of the scripts --------------------------------------------------------------------------
def test_the_scripts_find_their_texts_in_the_page(db, client: Client):
    page = client.get(reverse("account_login"), headers={"accept-language": "it"}).content.decode()
    block = re.search(r'<script id="texts" type="application/json">(.*?)</script>', page, re.DOTALL)

    assert block is not None
    assert json.loads(block[1])["catalog"]["Saved"] == "Salvato"


def test_in_english_nothing_is_sent_for_them(db, client: Client):
    assert 'id="texts"' not in client.get(reverse("account_login")).content.decode()
