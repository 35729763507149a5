"""Every text of a template can be translated: nothing is left in it once all marks are taken out."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.template.base import Lexer, Token, TokenType

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
NAMES = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html"))
# Names, which are the same in every language.
ALLOWED = {
    "Parley",
    "CSV",
    "JSON",
    "JSONL",
    "PDF",
    "LaTeX",
    "XLSX",
    "SVG",
    "PNG",
    "YAML",
    "HTML",
    "Markdown",
    "API",
    "SHA",
}
UNTRANSLATED_TAGS = {"code", "kbd", "script", "style"}
SHOWN_ATTRIBUTES = {"title", "aria-label", "aria-description", "placeholder", "alt"}
BLOCKS = {"blocktranslate": "endblocktranslate", "blocktrans": "endblocktrans", "comment": "endcomment"}
WORD = re.compile(r"[^\W\d_]{2,}")
ENTITY = re.compile(r"&#?\w+;")
# What a variable adds to the page, unless it stands in _(). A plural of the English kind is one.
ADDED = re.compile(r"""\|(?:default|default_if_none|yesno):"([^"]*)"|\|(pluralize)""")
CLASSES = re.compile(r"\w+_class")  # blocks that hold no text


def unmarked_texts(source: str) -> list[tuple[int, str]]:
    """(line, text) of what is shown and cannot be translated."""
    finder = _Finder()
    finder.feed("".join(_left_of(Lexer(source).tokenize())))
    finder.close()
    return finder.found


def _left_of(tokens: list[Token]) -> Iterator[str]:
    """The HTML without tags, variables, comments and marked texts. Line breaks are kept: they tell the line."""
    end = ""
    for token in tokens:
        name, *rest = token.contents.split() if token.token_type == TokenType.BLOCK else [""]
        if end:
            end = "" if name == end else end
        elif name in BLOCKS:
            end = BLOCKS[name]
        elif name == "block" and CLASSES.fullmatch(rest[0]):
            end = "endblock"
        elif token.token_type == TokenType.TEXT:
            yield token.contents
            continue
        elif token.token_type == TokenType.VAR:
            yield " ".join("".join(found) for found in ADDED.findall(token.contents))
        yield "\n" * token.contents.count("\n")


class _Finder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[tuple[int, str]] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNTRANSLATED_TAGS:
            self._silent.append(tag)
        values = dict(attrs)
        shown = SHOWN_ATTRIBUTES | (
            {"value"} if tag == "input" and values.get("type") in {"submit", "button"} else set()
        )
        for name, value in attrs:
            if name in shown:
                self._look_at(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._look_at(data)

    def _look_at(self, text: str) -> None:
        place = self.getpos()[0]
        for at, line in enumerate(text.split("\n")):
            if set(WORD.findall(ENTITY.sub(" ", line))) - ALLOWED:
                self.found.append((place + at, line.strip()))


@pytest.mark.parametrize("name", NAMES)
def test_every_text_of_a_template_can_be_translated(name: str) -> None:
    found = unmarked_texts((TEMPLATES / name).read_text(encoding="utf-8"))
    assert not found, "\n".join(f"templates/{name}:{line}: {text!r} is not marked" for line, text in found)


UNMARKED = {
    "text": ("<p>Hello you</p>", "Hello you"),
    "text beside a variable": ("<p>{{ n }} batches</p>", "batches"),
    "text in a tag of the template": ("{% if x %}Hello{% endif %}", "Hello"),
    "text after a marked one": ('{% translate "One" %} two', "two"),
    "title": ("{% block title %}Home – Parley{% endblock %}", "Home – Parley"),
    "title of an element": ('<abbr title="Krippendorff">α</abbr>', "Krippendorff"),
    "label for screen readers": ('<nav aria-label="Main"></nav>', "Main"),
    "part of a label": ('<a aria-label="Report of {{ name }}" href="#">x</a>', "Report of"),
    "placeholder": ('<input placeholder="Your name">', "Your name"),
    "button": ('<input type="submit" value="Save">', "Save"),
    "default": ('{{ x|default:"none given" }}', "none given"),
    "plural": ("{{ n }}{{ n|pluralize }}", "pluralize"),
}
MARKED = {
    "translate": '<p>{% translate "Hello you" %}</p>',
    "blocktranslate": "<p>{% blocktranslate with n=x %}{{ n }} <b>batches</b>{% endblocktranslate %}</p>",
    "plural": "{% blocktranslate count n=x %}{{ n }} batch{% plural %}{{ n }} batches{% endblocktranslate %}",
    "attribute": '<nav aria-label="{% translate "Main" %}"></nav>',
    "sentence in an attribute": '<a aria-label="{% blocktranslate %}Report of {{ name }}{% endblocktranslate %}">x</a>',
    "default": '{{ x|default:_("none given") }}',
    "class": '{% block body_class %}wide{% endblock %}<i class="{{ x|default:"none" }}" lang="{{ x }}"></i>',
    "machine-readable": '<form method="post" class="wide card" id="main"><input type="hidden" name="by" value="size">',
    "comments": "{# not shown #}{% comment %}nor this{% endcomment %}<!-- nor that -->",
    "code": "<pre><code>python manage.py</code></pre><kbd>Enter</kbd><script>let it = 1</script>",
    "names": "<b>Parley</b> PDF, {{ x }} &nbsp;·&nbsp; 12 % a",
}


@pytest.mark.parametrize("name", UNMARKED)
def test_an_unmarked_text_is_found(name: str) -> None:
    source, text = UNMARKED[name]
    assert unmarked_texts("<div>\n" + source) == [(2, text)]


@pytest.mark.parametrize("name", MARKED)
def test_a_marked_text_is_not_found(name: str) -> None:
    assert unmarked_texts(MARKED[name]) == []
