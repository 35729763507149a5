"""Where the middle of a long text folds, and that nothing but the middle is out of sight."""

import re
from html import unescape

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from annotation.texts import MARKDOWN, PLAIN, is_long, show
from annotation.texts.pieces import chunks
from protocols.word_count import count_words

FOLD = re.compile(r"<details class=\"text-more\"><summary[^>]*>.*?</summary>(.*?)</details>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
TALE = "\n".join(f"Line {n} of a long tale, told slowly, with a moral." for n in range(300))
PARAGRAPH = " ".join(f"word{n}" for n in range(3_000))


def parts(html: str) -> tuple[str, str, str]:
    """What is in view before the fold, what is folded, and what is in view after it."""
    before, middle, after = FOLD.split(html, maxsplit=1)
    return tuple(unescape(TAG.sub("", each)) for each in (before, middle, after))


def label(html: str) -> str:
    return re.search(r'<span class="when-closed">(.*?)</span>', html)[1]


def formatted(text: str) -> str:
    return show(text, MARKDOWN).partition('<div class="text-raw" hidden>')[0]


@pytest.mark.parametrize("text", ["word " * 400, "line\n" * 40, "短" * 400, "x" * 4_800, ""])
def test_a_text_within_the_limits_is_shown_whole(text: str):
    assert not is_long(text)
    assert "<details" not in show(text, PLAIN)


@pytest.mark.parametrize("text", ["word " * 401, "line\n" * 41, "短" * 401, "x" * 4_921])
def test_a_longer_text_folds(text: str):
    assert is_long(text)
    assert "<details" in show(text, PLAIN)


@pytest.mark.parametrize("text", [TALE, PARAGRAPH, "短" * 3_000, "x" * 50_000, "a\u0301" * 9_000, " \n" * 9_000 + "x"])
def test_folded_and_shown_parts_are_the_text_character_by_character(text: str):
    assert "".join(parts(show(text, PLAIN))) == text


@pytest.mark.parametrize("text", [TALE, PARAGRAPH, "短" * 3_000])
def test_about_150_words_of_the_beginning_and_60_of_the_end_stay(text: str):
    before, middle, after = parts(show(text, PLAIN))
    assert 140 <= count_words(before) <= 225
    assert 50 <= count_words(after) <= 90
    assert label(show(text, PLAIN)) == f"Show {count_words(middle):,} more words"


def test_the_number_of_words_is_written_as_the_language_of_the_page_writes_it():
    with override("it"):
        assert "2\u202f785" in label(show(PARAGRAPH, PLAIN))


def test_where_lines_hold_few_words_lines_are_counted():
    assert label(show("\n" * 100 + "x", PLAIN)) == "Show 80 more lines"


def test_a_text_in_markdown_folds_between_its_blocks():
    blocks = [f"**Point {n}** and what there is to say about it in some ten words or so." for n in range(100)]
    html = formatted("\n\n".join(blocks))
    before, middle, after = FOLD.split(html, maxsplit=1)
    for part in (before, middle, after):
        assert part.count("<p ") == part.count("</p>") > 3
    assert words_of(html) == words_of("\n".join(blocks).replace("**", ""))


def words_of(html: str) -> list[str]:
    return unescape(TAG.sub(" ", re.sub(r"<summary.*?</summary>", "", html))).split()


def test_a_long_list_folds_between_its_points_and_goes_on_counting():
    html = formatted("\n".join(f"{n}. point *number* {n}" for n in range(1, 101)))
    before, middle, after = FOLD.split(html, maxsplit=1)
    n_before, n_middle = before.count("<li>"), middle.count("<li>")
    assert (middle.startswith(f'<ol dir="auto" start="{n_before + 1}">'), after.count("<li>")) == (
        True, 100 - n_before - n_middle,
    )  # fmt: skip
    assert f'<ol dir="auto" start="{n_before + n_middle + 1}">' in after


def test_long_code_folds_between_its_lines():
    html = formatted("```py\n" + "".join(f"    line_{n} = {n}\n" for n in range(100)) + "```")
    pieces = FOLD.split(html, maxsplit=1)
    assert [piece.count("<pre ") for piece in pieces] == [1, 1, 1]
    assert "".join(re.findall(r"<code>(.*?)</code>", html, re.DOTALL)).splitlines() == [
        f"    line_{n} = {n}" for n in range(100)
    ]


def test_a_long_paragraph_in_markdown_folds_within():
    before, middle, after = parts(formatted(f"**So** {PARAGRAPH}"))
    assert before.startswith("So word0 word1")
    assert after.endswith("word2999")
    assert count_words(middle) > 2_700


@given(st.text(alphabet=st.sampled_from("ab 短\n\u0301\u200d👩\u3000\r\x85"), max_size=3_000))
def test_chunks_are_the_text(text: str):
    assert "".join(chunks(text)) == text
