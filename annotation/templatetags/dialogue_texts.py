"""Texts of dialogues and responses on a page, as the page's study shows them."""

from typing import Any

from django import template
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.texts import PLAIN, show

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


@register.simple_tag
def text_files() -> SafeString:
    """Style and script of formatted and folded texts; the rating screen has both in its own files."""
    line = '<link rel="stylesheet" href="{}"><script src="{}" defer></script>'
    return format_html(line, static("css/texts.css"), static("js/texts.js"))


def format_of(context: Context) -> str:
    """That of the page's study. The preview of a protocol has none, and its made-up dialogue is plain."""
    return getattr(context.get("study"), "text_format", PLAIN)
