"""Texts of scripts: said in the person's language where the page brings them, and none of them past the translators."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import Screen

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPTS = Path(__file__).parents[2] / "static" / "js"
PUT = """([lang, catalog]) => {
  document.documentElement.lang = lang;
  document.getElementById("texts")?.remove();
  const block = Object.assign(document.createElement("script"), { type: "application/json", id: "texts" });
  block.textContent = JSON.stringify({ catalog });
  document.body.append(block);
}"""
ITALIAN = {
    "Saved": "Salvato",
    "%(n)s day": ["%(n)s giorno", "%(n)s giorni"],
    "answer\u0004Good": "Buono",
    "Moved: now %(title)s.": "Spostato: ora è %(title)s.",
}
CHINESE = {"Saved": "已保存", "%(n)s day": ["%(n)s 天"]}


@pytest.fixture
def page(open_screen: Callable[..., Screen]) -> Page:
    page = open_screen().go("/")
    page.evaluate("document.getElementById('texts')?.remove()")
    return page


def days(page: Page, n: int) -> str:
    return page.evaluate('n => interpolate(ngettext("%(n)s day", "%(n)s days", n), { n }, true)', n)


def test_without_a_block_the_texts_are_those_of_the_script(page: Page):
    assert page.evaluate('gettext("Saved")') == "Saved"
    assert page.evaluate('pgettext("answer", "Good")') == "Good"
    assert [days(page, n) for n in (0, 1, 2)] == ["0 days", "1 day", "2 days"]


def test_a_block_that_comes_after_the_script_is_used(page: Page):
    assert page.evaluate('gettext("Saved")') == "Saved"
    page.evaluate(PUT, ["it", ITALIAN])
    assert page.evaluate('gettext("Saved")') == "Salvato"
    page.evaluate(PUT, ["zh-hans", CHINESE])
    assert page.evaluate('gettext("Saved")') == "已保存"


def test_one_and_many_in_italian(page: Page):
    page.evaluate(PUT, ["it", ITALIAN])
    assert [days(page, n) for n in (0, 1, 2, 1_000_000)] == ["0 giorni", "1 giorno", "2 giorni", "1000000 giorni"]


def test_the_only_form_of_chinese_is_that_of_one_as_well(page: Page):
    page.evaluate(PUT, ["zh-hans", CHINESE])
    assert [days(page, n) for n in (0, 1, 2)] == ["0 天", "1 天", "2 天"]


def test_a_number_read_from_an_attribute_counts_as_a_number(page: Page):
    assert page.evaluate('ngettext("one", "many", "1")') == "one"
    page.evaluate(PUT, ["it", {"one": ["uno", "molti"]}])
    assert page.evaluate('ngettext("one", "many", "1")') == "uno"


def test_a_context_has_a_text_of_its_own(page: Page):
    page.evaluate(PUT, ["it", ITALIAN])
    assert page.evaluate('pgettext("answer", "Good")') == "Buono"
    assert page.evaluate('gettext("Good")') == "Good"
    assert page.evaluate('pgettext("weather", "Good")') == "Good"


def test_what_the_block_has_not_is_english(page: Page):
    page.evaluate(PUT, ["it", ITALIAN])
    assert page.evaluate('gettext("Unheard of")') == "Unheard of"
    assert page.evaluate('gettext("constructor")') == "constructor"
    assert page.evaluate('ngettext("%(n)s hour", "%(n)s hours", 1)') == "%(n)s hour"


def test_values_are_put_in_as_they_are(page: Page):
    page.evaluate(PUT, ["it", ITALIAN])
    say = 'title => interpolate(gettext("Moved: now %(title)s."), { title }, true)'
    assert page.evaluate(say, "“$& <b>%(title)s</b> 5 %”") == "Spostato: ora è “$& <b>%(title)s</b> 5 %”."
    assert page.evaluate('interpolate("%(a)s, %(b)s and %(a)s: 100 %, 100%%", { a: 1, b: 0 }, true)') == (
        "1, 0 and 1: 100 %, 100%%"
    )
    assert page.evaluate('interpolate("%s of %s", [3, 5])') == "3 of 5"


def test_the_block_is_data_for_the_policy(page: Page):
    page.evaluate(PUT, ["it", {"Saved": "</script><script>window.wasRun = true</script>"}])
    assert page.evaluate('gettext("Saved")').startswith("</script>")
    assert page.evaluate("window.wasRun") is None


# --- nothing past the translators ------------------------------------------------------------------------

PIECE = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
      | (?P<pattern>(?<=[(,=:\[!&|?])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
      | (?P<call>[\w.$]*\s*\()
      | (?P<close>\))
      | (?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
TRANSLATED = {"gettext", "ngettext", "pgettext"}
NOT_SHOWN = {"Error"}
SENTENCE = re.compile(r"(?:^|>)\s*[“(]?[A-Z].*\s", re.DOTALL)  # alone, or inside of an element
PLAIN = re.compile(r"""["'][^`]*["']""")


def literals(script: str) -> Iterator[tuple[str, str]]:
    """Each literal with the name of the function it is handed to."""
    calls = [""]
    for found in PIECE.finditer(script):
        if found["call"]:
            calls.append(found["call"].rstrip("( \n").split(".")[-1])
        elif found["close"]:
            calls.pop()
        elif found["literal"]:
            yield calls[-1], found["literal"]


def untranslated(script: str) -> list[str]:
    allowed = TRANSLATED | NOT_SHOWN
    return [text for call, text in literals(script) if call not in allowed and SENTENCE.search(text[1:-1])]


def not_plain(script: str) -> list[str]:
    """What the extraction would not see: a text that is put together, or not written where it is asked for."""
    calls = re.findall(r"\b(?:[np]?gettext)\(\s*([^\s(),]+[^,)]*)", script)
    return [first for first in calls if not re.match(r"""["']""", first)] + [
        text for call, text in literals(script) if call in TRANSLATED and not PLAIN.fullmatch(text)
    ]


def script_files() -> list[Path]:
    return sorted(SCRIPTS.glob("*.js"))


@pytest.mark.parametrize("path", script_files(), ids=lambda path: path.name)
def test_no_sentence_of_a_script_is_past_the_translators(path: Path):
    assert untranslated(path.read_text()) == []


@pytest.mark.parametrize(
    "path", [path for path in script_files() if path.name != "base.js"], ids=lambda path: path.name
)
def test_every_text_can_be_extracted(path: Path):
    assert not_plain(path.read_text()) == []


def test_the_scan_reads_to_the_end_of_every_script():
    """A quote taken for a beginning would hide everything after it: the last literals are those before the end."""
    for path in script_files():
        script = path.read_text()
        found = [text for _, text in literals(script)]
        assert found, path.name
        last = max(script.rfind(quote) for quote in "\"'`")
        assert script.rfind(found[-1]) + len(found[-1]) - 1 == last or "//" in script[:last].splitlines()[-1], path.name


@pytest.mark.parametrize(
    "script",
    [
        'say("No errors found.");',
        "say('No errors found.');",
        "say(`Removed ${title}.`);",
        'say("Try again", gettext("Try again"));',
        'const SAID = { busy: ["The server is busy."] };',
        """place.innerHTML = '<p class="note">The server cannot be reached.</p>';""",
        'gettext(pick("Two words"));',
        'x.replace(/"/g, ""); say("It is said.");',
    ],
)
def test_a_sentence_past_the_translators_is_found(script: str):
    assert untranslated(script)


@pytest.mark.parametrize(
    "script",
    [
        'say(gettext("No errors found."));',
        'say(interpolate(ngettext("One is wrong.", "Many are wrong.", n), { n }, true));',
        'say(pgettext("a scale", "Very poor"));',
        '// The server says "Not now".\n/* Or "Not here". */',
        'throw new Error("Signed out meanwhile");',
        'root.querySelector("input, Select");',
        'const KEYS = ["ArrowUp", "Enter"];',
        'text.match(/"It is/); go("on");',
    ],
)
def test_what_nobody_sees_is_let_be(script: str):
    assert untranslated(script) == []


@pytest.mark.parametrize(
    "script", ["gettext(`Saved`)", "gettext(text)", 'ngettext(`${n} day`, "days", n)', 'pgettext("a", `Good ${b}`)']
)
def test_a_text_that_cannot_be_extracted_is_found(script: str):
    assert not_plain(script)


def test_a_plain_text_can_be_extracted():
    assert not_plain('gettext("A, b (c)."); ngettext(\n  "one",\n  "many",\n  n); pgettext("x", "y")') == []
