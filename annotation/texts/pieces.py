"""Cut texts into pieces, and find where the middle of a long text folds. Pure functions."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from protocols.word_count import count_words

MOST_WORDS, MOST_LINES = 400, 40  # a longer text folds
HEAD = (150, 15)  # words and lines of the beginning that stays in view
TAIL = (60, 6)  # of the end
LEAST_HIDDEN = (40, 6)  # words and lines; hiding less is not worth a button
LINE = 120  # characters, about the width of a wide screen, so that a text without line ends counts as long too
CHUNK = 20  # words of a piece where a long line is cut
ENDS = 5_000  # characters at either end of a text that are cut into pieces: more than stays in view
WORD = re.compile(r"\S{1,40}\s{0,40}|\s{1,40}")  # bounded: otherwise many blanks would take quadratic time


@dataclass(frozen=True, slots=True)
class Piece:
    """HTML that is shown whole or not at all, and the typed text behind it.

    Pieces of one block have the same number. Adjacent ones share the opening and the closing of the first.
    """

    html: str
    source: str
    block: int
    opening: str = ""
    closing: str = ""

    @property
    def size(self) -> tuple[int, int]:
        return count_words(self.source), count_lines(self.source)


@dataclass(frozen=True, slots=True)
class Cut:
    """A fold. Pieces before `start` and from `end` on stay in view."""

    start: int
    end: int
    n_words: int
    n_lines: int


def count_lines(text: str) -> int:
    """Count lines as they appear: a line that is wider than a screen counts as several."""
    return sum(1 + max(len(line) - 1, 0) // LINE for line in text.removesuffix("\n").split("\n"))


def is_long(text: str) -> bool:
    if len(text) <= MOST_WORDS and text.count("\n") < MOST_LINES:
        return False  # too short to hold so many words, even of one character each
    return count_lines(text) > MOST_LINES or count_words(text) > MOST_WORDS


def cut(pieces: Sequence[Piece]) -> Cut | None:
    """Return where the middle folds, or None if too little would be hidden."""
    sizes = [piece.size for piece in pieces]
    start = _n_taken(sizes, HEAD)
    end = len(sizes) - _n_taken(sizes[::-1], TAIL)
    words, lines = (sum(size[at] for size in sizes[start:end]) for at in (0, 1))
    is_worth_it = start < end and (words >= LEAST_HIDDEN[0] or lines >= LEAST_HIDDEN[1])
    return Cut(start, end, words, lines) if is_worth_it else None


def _n_taken(sizes: Iterable[tuple[int, int]], wanted: tuple[int, int]) -> int:
    """Return how many pieces to take: at least one, then until there is enough, but none that exceeds it by half."""
    n = words = lines = 0
    for n, size in enumerate(sizes):
        is_enough = words >= wanted[0] or lines >= wanted[1]
        is_too_much = 2 * (words + size[0]) > 3 * wanted[0] or 2 * (lines + size[1]) > 3 * wanted[1]
        if n and (is_enough or is_too_much):
            return n
        words, lines = words + size[0], lines + size[1]
    return n + 1


def joined(pieces: Iterable[Piece]) -> str:
    found = []
    for _block, group in groupby(pieces, key=lambda piece: piece.block):
        parts = list(group)
        found.append(parts[0].opening + "".join(part.html for part in parts) + parts[0].closing)
    return "".join(found)


def chunks(text: str) -> Iterator[str]:
    """Cut a text at line ends, and long lines also between words. Joined again, the pieces are the text.

    The middle of a very long text is one piece, because it is folded in any case.
    """
    if len(text) <= 3 * ENDS:
        yield from _cut_lines(text)
        return
    start = list(_cut_lines(text[:ENDS]))[:-1]
    blank = re.search(r"\s", text[-ENDS:])
    end = len(text) - ENDS + (blank.end() if blank else 0)
    yield from start
    yield text[sum(map(len, start)) : end]
    yield from _cut_lines(text[end:])


def _cut_lines(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        if len(line) <= LINE:
            yield line
            continue
        taken, n = "", 0
        for match in WORD.finditer(line):
            # A cut must not split one visible character, such as an accented letter or an emoji.
            goes_on = unicodedata.category(match[0][0]).startswith("M") or "\u200d" in (taken[-1:], match[0][0])
            if (n >= CHUNK or len(taken) >= 4 * LINE) and not goes_on:
                yield taken
                taken, n = "", 0
            taken, n = taken + match[0], n + count_words(match[0])
        yield taken
