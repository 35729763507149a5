"""Turn one text into HTML for a page: escaped or formatted, and folded if it is long."""

import unicodedata
from functools import lru_cache
from html import escape

from django.utils.formats import number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotation.texts.blocks import is_unformatted, pieces_of
from annotation.texts.parsing import parse
from annotation.texts.pieces import Cut, Piece, chunks, cut, is_long, joined

PLAIN, MARKDOWN = "plain", "markdown"


def show(text: str, text_format: str, *, element: str = "p", speaker: str = "", lang: str = "") -> SafeString:
    """Return a block with the text in language `lang`, which begins with the speaker if one is named."""
    name = f"<b>{escape(speaker)}</b> " if speaker else ""
    more = f' lang="{escape(lang)}"' if lang else ""
    formatted = _formatted(text, get_language() or "") if text_format == MARKDOWN else None
    html = _typed(text, element, more, name) if formatted is None else _both(text, formatted, element, more, name)
    return mark_safe(html)  # noqa: S308 - escaped above and in the pieces


def _typed(text: str, element: str, more: str = "", name: str = "") -> str:
    body, tag = escape(text), element
    pieces = [Piece(escape(each), each, 0) for each in chunks(text)] if is_long(text) else []
    if found := cut(pieces):
        body = _folded(pieces, found)
        tag = "div" if element == "p" else element  # a paragraph cannot hold the button
    return f'<{tag} class="preserve" dir="auto"{more}>{name}{body}</{tag}>'


def _both(text: str, formatted: str, element: str, more: str, name: str) -> str:
    """Return the formatted and the typed text, so that a key can switch between them even while offline."""
    tag = "div" if element == "p" else element
    said = f'<div dir="auto">{name}</div>' if name else ""
    both = f'<div class="text-formatted">{formatted}</div><div class="text-raw" hidden>{_typed(text, "div")}</div>'
    # The first letter decides. dir="auto" would ignore parts with their own direction.
    ways = (unicodedata.bidirectional(character) for character in text)
    way = next((way for way in ways if way in ("L", "R", "AL")), "L")
    return f'<{tag} class="text" dir="{"ltr" if way == "L" else "rtl"}"{more}>{said}{both}</{tag}>'


# Formatting takes milliseconds, and the same text is shown to every annotator at every step.
@lru_cache(maxsize=512)
def _formatted(text: str, _language: str) -> str | None:
    """Return the formatted text, or None if there is nothing to format."""
    tree = parse(text)
    if tree is None:
        said = escape(_("Shown as typed: this text is too long or too complex to format."))
        return f'<p class="small quiet">{said}</p>{_typed(text, "div")}'
    if is_unformatted(tree, text):
        return None
    pieces = pieces_of(tree, text)
    found = cut(pieces) if is_long(text) else None
    return _folded(pieces, found) if found else joined(pieces)


def _folded(pieces: list[Piece], found: Cut) -> str:
    start, middle, end = pieces[: found.start], pieces[found.start : found.end], pieces[found.end :]
    # The labels count words, or lines if there are fewer words than lines, as in one endless word.
    if found.n_words >= found.n_lines:
        n = found.n_words
        show = ngettext("Show %(n)s more word", "Show %(n)s more words", n)
        hide = ngettext("Hide %(n)s word", "Hide %(n)s words", n)
    else:
        n = found.n_lines
        show = ngettext("Show %(n)s more line", "Show %(n)s more lines", n)
        hide = ngettext("Hide %(n)s line", "Hide %(n)s lines", n)
    known = {"n": number_format(n, force_grouping=True)}
    return (
        f'{joined(start)}<details class="text-more"><summary dir="auto" lang="{get_language()}">'
        f'<span class="when-closed">{escape(show % known)}</span>'
        f'<span class="when-open">{escape(hide % known)}</span></summary>'
        f"{joined(middle)}</details>{joined(end)}"
    )
