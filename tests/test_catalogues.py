"""The catalogues of translations: complete, in step with their compiled files, with the same placeholders."""

import gettext
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.utils.formats import get_format
from django.utils.translation import get_language_info, override

ROOT = Path(settings.BASE_DIR)
ROOM = Path(settings.LOCALE_PATHS[0])
LANGUAGES = {"it": "it", "zh-hans": "zh_Hans"}
DOMAINS = ("django", "djangojs")
PLACEHOLDER = re.compile(r"%\([a-zA-Z_0-9]+\)[sd]|%[sd]")
TAG = re.compile(r"</?[a-z][^>]*>")
CHINESE = re.compile(r"[\u3001\u4e00-\u9fff]")  # with its comma of lists
NAMES = re.compile(r"(Fleiss|Cohen|Krippendorff|Gwet|Landis|Koch)('s?)?|kappa|alpha|AC[12]|Parley")

every_catalogue = pytest.mark.parametrize("domain", DOMAINS)
every_language = pytest.mark.parametrize("folder", LANGUAGES.values(), ids=LANGUAGES)


def catalogue(folder: str, domain: str) -> polib.POFile:
    return polib.pofile(str(ROOM / folder / "LC_MESSAGES" / f"{domain}.po"))


def texts_of(entry: polib.POEntry) -> list[tuple[str, str]]:
    """Pairs of a message and its translation; the plural's is compared with every form."""
    if not entry.msgid_plural:
        return [(entry.msgid, entry.msgstr)]
    return [(entry.msgid_plural, each) for each in entry.msgstr_plural.values()]


def test_every_language_that_is_offered_has_catalogues():
    assert {code for code, _ in settings.LANGUAGES} - {"en"} == LANGUAGES.keys()


@pytest.mark.parametrize("code", [code for code, _ in settings.LANGUAGES])
def test_a_language_is_known_to_django_and_writes_numbers_with_a_point(code: str):
    assert get_language_info(code)["code"] == code
    assert "parley.formats" in settings.FORMAT_MODULE_PATH
    with override(code):
        assert get_format("DECIMAL_SEPARATOR") == "."


@every_language
@every_catalogue
def test_every_message_is_translated(folder: str, domain: str):
    missing = [each.msgid for each in catalogue(folder, domain) if not each.obsolete and not each.translated()]
    assert missing == []


@every_language
@every_catalogue
def test_a_translation_keeps_the_placeholders_and_tags(folder: str, domain: str):
    wrong = []
    for entry in catalogue(folder, domain):
        for original, text in texts_of(entry):
            is_one = bool(entry.msgid_plural) and len(entry.msgstr_plural) > 1  # "one hour" may leave out its number
            lost = set(PLACEHOLDER.findall(original)) ^ set(PLACEHOLDER.findall(text))
            tags = sorted(TAG.findall(original)) != sorted(TAG.findall(text))
            if (lost and not (is_one and lost < set(PLACEHOLDER.findall(original)))) or tags:
                wrong.append((entry.msgid, text))
    assert wrong == []


@every_catalogue
def test_chinese_is_chinese(domain: str):
    """A text left in English by mistake would count as translated."""
    entries = catalogue("zh_Hans", domain)
    kept = [each.msgid for each in entries if not any(CHINESE.search(text) for _, text in texts_of(each))]
    assert [text for text in kept if re.search(r"[a-z]{3}.* .*[a-z]{3}", bare(text))] == []


def bare(text: str) -> str:
    for left_out in (TAG, PLACEHOLDER, NAMES):
        text = left_out.sub("", text)
    return text


@every_language
@every_catalogue
def test_the_compiled_file_is_in_step(folder: str, domain: str):
    place = ROOM / folder / "LC_MESSAGES"
    with (place / f"{domain}.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for entry in catalogue(folder, domain):
        if entry.msgid_plural and entry.msgctxt:
            found = compiled.npgettext(entry.msgctxt, entry.msgid, entry.msgid_plural, 1)
            assert found == entry.msgstr_plural[0]
        elif entry.msgid_plural:
            assert compiled.ngettext(entry.msgid, entry.msgid_plural, 1) == entry.msgstr_plural[0]
        elif entry.msgctxt:
            assert compiled.pgettext(entry.msgctxt, entry.msgid) == entry.msgstr
        else:
            assert compiled.gettext(entry.msgid) == entry.msgstr


@every_catalogue
def test_every_text_that_is_marked_is_in_the_catalogues(domain: str, tmp_path: Path):
    """Django's own command finds them, in a copy of the tree."""
    apps = ("annotation", "archive", "parley", "protocols", "qualification", "reporting", "measures")
    parts = (*apps, "templates", "static/js", "manage.py")
    for part in parts:
        source, target = ROOT / part, tmp_path / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    before = {(each.msgctxt, each.msgid) for each in catalogue("it", domain) if not each.obsolete}
    command = [sys.executable, "manage.py", "makemessages", "-l", "it", "-d", domain, "--no-obsolete", "-v", "0"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    found = polib.pofile(str(tmp_path / "parley" / "locale" / "it" / "LC_MESSAGES" / f"{domain}.po"))
    assert {(each.msgctxt, each.msgid) for each in found} == before
