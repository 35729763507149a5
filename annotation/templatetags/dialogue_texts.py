"""Show texts of dialogues and responses in the format of the page's study."""

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
    """Return the text as a block, preceded by `speaker`. Give `lang` if the page is in another language."""
    text_format = getattr(context.get("study"), "text_format", PLAIN)  # the preview of a protocol has no study
    return show(text, text_format, element=element, speaker=speaker, lang=lang)


@register.simple_tag
def text_shown_as(text: str, text_format: str, speaker: str = "") -> SafeString:
    """Return the text in a given format, whatever the study's: people compare the formats."""
    return show(text, text_format, speaker=speaker)


@register.inclusion_tag("annotation/_text_switch.html")
def text_switch() -> dict[str, Any]:
    """Show the buttons for all texts of the page; js/texts.js shows only those that apply."""
    return {}


@register.simple_tag
def text_files() -> SafeString:
    """Include style and script for formatted and folded texts; the rating screen has both in its own files."""
    line = '<link rel="stylesheet" href="{}"><script src="{}" defer></script>'
    return format_html(line, static("css/texts.css"), static("js/texts.js"))
