"""Texts of anybody as HTML: what Markdown becomes, that nothing is lost by it, and that nothing in it can act."""

import re
from html import unescape

import nh3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.texts import MARKDOWN, PLAIN, show
from annotation.texts.parsing import LONGEST, MOST_BRACKETS, MOST_MARKS

FORMATTED = re.compile(r'<div class="text-formatted">(.*)</div><div class="text-raw" hidden>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")
TAGS = {
    "p", "div", "span", "bdi", "br", "hr", "strong", "em", "s", "code", "pre", "ul", "ol", "li", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "b",
}  # fmt: skip
ATTRIBUTES = {"class", "dir", "lang", "hidden", "tabindex", "role", "aria-label", "scope", "data-align", "start"}


def formatted(text: str) -> str:
    found = FORMATTED.search(show(text, MARKDOWN))
    assert found, "the text is shown as typed"
    return found[1]


def words(html: str) -> str:
    return unescape(TAG.sub("", html))


# --- what Markdown becomes -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("# A *big* title", '<p class="text-heading" dir="auto"><strong>A <em>big</em> title</strong></p>'),
        ("Title\n=====", '<p class="text-heading" dir="auto"><strong>Title</strong></p>'),
        ("**one**\ntwo", '<p dir="auto"><strong>one</strong><br>two</p>'),
        ("~~no~~", '<p dir="auto"><s>no</s></p>'),
        ("So:\n- one\n- two", '<p dir="auto">So:</p><ul dir="auto"><li>one</li><li>two</li></ul>'),
        ("- one\n  - two", '<ul dir="auto"><li>one<ul dir="auto"><li>two</li></ul></li></ul>'),
        ("3. three\n4. four", '<ol dir="auto" start="3"><li>three</li><li>four</li></ol>'),
        ("> said", '<blockquote dir="auto"><p>said</p></blockquote>'),
        ("`a  <b>`", '<p dir="auto"><code dir="ltr">a  &lt;b&gt;</code></p>'),
        ("*a*\n\n---", '<p dir="auto"><em>a</em></p><hr>'),
    ],
)
def test_what_markdown_becomes(typed: str, becomes: str):
    assert formatted(typed) == becomes


def test_code_keeps_its_lines_its_indents_and_the_name_of_its_language():
    html = formatted("```python\nif a:\n\n    b\t=  1\n```")
    assert html == (
        '<span class="text-code-name" dir="ltr">python</span>'
        '<pre class="text-code" dir="ltr" tabindex="0" role="group" aria-label="Code">'
        "<code>if a:\n\n    b\t=  1\n</code></pre>"
    )


def test_a_fence_that_is_never_closed_ends_with_the_text():
    assert "<code>a\n**b**</code>" in formatted("```\na\n**b**").replace("\n</code>", "</code>")


def test_a_table_scrolls_by_itself_and_its_columns_keep_their_side():
    html = formatted("| | n |\n|---|--:|\n| a | 1 |")
    assert html.startswith('<div class="text-table" tabindex="0" role="group" aria-label="Table"><table>')
    assert '<td dir="auto"></td><th scope="col" data-align="right" dir="auto">n</th>' in html
    assert '<td data-align="right" dir="auto">1</td>' in html


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ('[here](https://a.b/ü "T")', 'here (https://a.b/ü "T")'),
        ("<https://a.b>", "https://a.b"),
        ("[here](javascript:alert(1))", "here (javascript:alert(1))"),
        ("![a *cat*](https://a.b/c.png)", "[Image: a cat] (https://a.b/c.png)"),
        ("![x](data:image/png;base64,AAAA)", "[Image: x] (data:image/png;base64,AAAA)"),
        ("[that][1]\n\n[1]: https://a.b", "that (https://a.b)[1]: https://a.b"),
    ],
)
def test_links_and_images_are_words_with_their_address(typed: str, said: str):
    html = formatted(typed)
    assert words(html) == said
    assert not re.search(r"<(a|img)\b|href|src=", html)


def test_html_is_text():
    assert words(formatted("**x** <b onclick='y'>z</b> <!-- q -->")) == "x <b onclick='y'>z</b> <!-- q -->"


@pytest.mark.parametrize(
    "formula",
    [r"\(a_1 * b_2 * c\)", r"$x_1^*y_2^*$", "$$a\n_b_$$", "\\[\n- a \\\\\n+ *b*\n\\]", r"\( alone \[", "$5 and $10"],
)
def test_formulas_keep_their_delimiters_and_marks(formula: str):
    html = formatted(f"**so**\n\n{formula}")
    assert words(html.replace("<br>", "\n")).removeprefix("so") == formula


def test_blocks_have_the_direction_of_their_words_and_the_whole_that_of_its_first():
    html = show("**أفهم** ذلك\n\nand *so*", MARKDOWN, element="blockquote", lang="ar")
    assert html.startswith('<blockquote class="text" dir="rtl" lang="ar">')
    assert html.count('<p dir="auto">') == 2


# --- nothing is lost -----------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["Hi\nthere", "a  b\n\n\n  c", "5 * 3 * 2", "snake_case_name", "- not a list?no", ""])
def test_a_text_without_markdown_is_the_same_in_both_formats(text: str):
    if text.startswith("- "):
        text = text[1:]
    assert show(text, MARKDOWN) == show(text, PLAIN)


def test_the_typed_text_is_behind_the_formatted_one():
    text = "# A\n\n* <b>\n"
    assert '<div class="text-raw" hidden><div class="preserve" dir="auto"># A\n\n* &lt;b&gt;\n</div></div>' in show(
        text, MARKDOWN
    )


def test_a_block_that_would_lose_words_stays_as_typed():
    html = formatted("*ok*\n\n| a | b |\n|---|---|\n| 1 | 2 | lost |")
    assert '<em>ok</em></p><div class="preserve" dir="auto">| a | b |\n|---|---|\n| 1 | 2 | lost |</div>' in html


@pytest.mark.parametrize(
    "text",
    [
        ">" * 5_000 + " deep",
        "- " * 500 + "deep",
        "[" * (MOST_BRACKETS + 1),
        "![" * 20_000,
        "*a " * (MOST_MARKS + 1),
        "`" * 39_000,
        "**bold** " * (LONGEST // 9 + 1),
        "# a\n" * 5_000,
    ],
)
def test_what_cannot_be_formatted_in_bounded_work_is_shown_as_typed_and_says_so(text: str):
    html = show(text, MARKDOWN)
    assert "Shown as typed: this text is too long or too complex to format." in html
    assert "".join(words(html.replace("</summary>", "</summary>\0")).split()).count("deep") == 2 * text.count("deep")


MARKS = st.sampled_from(
    ["*", "**", "_", "`", "```\n", "~~", "[", "](", ")", "![", "<", ">", "> ", "- ", "1. ", "#", "|", "|-|-|\n", "\n",
     "\n\n", "    ", "\\", "$", "$$", "\\(", "\\[", "&amp;", "<b>", "<script>", "javascript:", "[a]: x\n", "word", "ä",
     "שלום", "中", "\u202e", "\x00", "\t", "\r\n", '"', "'", "===\n"]
)  # fmt: skip


@given(st.lists(MARKS, max_size=40).map("".join))
def test_whatever_is_typed_every_letter_is_shown_and_no_tag_but_ours(text: str):
    html = show(text, MARKDOWN)
    body = FORMATTED.search(html)
    shown = words(body[1] if body else html)
    letters = re.compile(r"[\W\d_]+")
    assert len(letters.sub("", unescape(text))) <= len(letters.sub("", shown))
    attributes = dict.fromkeys(TAGS, ATTRIBUTES)
    cleaned = nh3.clean(html, tags=TAGS, attributes=attributes, strip_comments=False)
    assert sorted(TAG.findall(cleaned)) == sorted(TAG.findall(html.replace(" hidden>", ' hidden="">')))


# --- speakers ------------------------------------------------------------------------------------------
def test_a_speaker_stands_before_the_words():
    assert show("Hi", PLAIN, speaker="<A>") == '<p class="preserve" dir="auto"><b>&lt;A&gt;</b> Hi</p>'
    assert '<div dir="auto"><b>A</b> </div><div class="text-formatted">' in show("*Hi*", MARKDOWN, speaker="A")
