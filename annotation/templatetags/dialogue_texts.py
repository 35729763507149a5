"""Texts of dialogues and responses on a page, as the page's study shows them."""

from collections.abc import Iterator
from typing import Any

from django import template
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.texts import MARKDOWN, PLAIN, is_long, show

register = template.Library()


@register.simple_tag(takes_context=True)
def shown_text(context: Context, text: str, element: str = "p", *, speaker: str = "", lang: str = "") -> SafeString:
    """A block of its own. `speaker` is said before it; `lang` where the page around it is in another language."""
    return show(text, format_of(context), element=element, speaker=speaker, lang=lang)


@register.simple_tag
def text_shown_as(text: str, text_format: str, speaker: str = "") -> SafeString:
    """Whatever the study shows: for whoever chooses between the formats."""
    return show(text, text_format, speaker=speaker)


@register.inclusion_tag("annotation/_text_switch.html")
def text_switch() -> dict[str, Any]:
    """The buttons for all texts of the page; js/texts.js shows those that there is something for."""
    return {}


@register.simple_tag(takes_context=True)
def text_files(context: Context, *, always: bool = False) -> SafeString:
    """Style and script of formatted and folded texts. A screen of plain and short ones asks for nothing more."""
    is_wanted = always or format_of(context) == MARKDOWN or any(map(is_long, _texts_of(context.get("page"))))
    if not is_wanted:
        return SafeString("")
    line = '<link rel="stylesheet" href="{}"><script src="{}" defer></script>'
    return format_html(line, static("css/texts.css"), static("js/texts.js"))


def format_of(context: Context) -> str:
    """That of the page's study. The preview of a protocol has none, and its made-up dialogue is plain."""
    return getattr(context.get("study"), "text_format", PLAIN)


def _texts_of(page: Any) -> Iterator[str]:
    """Of a dialogue as annotators see it; pages of the team have several, and pages of lists are none."""
    for turn in getattr(page, "turns", ()):
        yield turn["text"]
    for item in getattr(page, "items", ()):
        yield from item.texts
