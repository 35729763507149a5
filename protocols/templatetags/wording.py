"""A protocol's own texts on a page: escaped, with their language, and told apart where they are not translated."""

import re

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from protocols.rendering import rendered
from protocols.translating import Untranslated

register = template.Library()
TABLE = re.compile(r"^ {0,3}\|?[ :]*-{3,}[ :]*(?:\|[ :-]*)+$", re.MULTILINE)


@register.filter
def wording(text: str) -> SafeString:
    """A line: as it is, or marked as one in the main language."""
    return _marked(text, conditional_escape(text), "span")


@register.filter
def definition(text: str) -> SafeString:
    """A longer text, which may hold tables of Markdown; without one its lines are kept as they are."""
    if not TABLE.search(text):
        return wording(text)
    return _marked(text, format_html('<div class="markdown">{}</div>', rendered(text)), "div")


@register.filter
def wording_of(html: SafeString, text: str) -> SafeString:
    """HTML that was made of a text is marked as the text would be."""
    return _marked(text, html, "div")


@register.filter
def language_of(text: str) -> str:
    """Of a text that stands in the main language where another was asked for; empty for every other text."""
    return text.language if isinstance(text, Untranslated) else ""


def _marked(text: str, html: SafeString, tag: str) -> SafeString:
    if not isinstance(text, Untranslated):
        return html
    title = _("Not translated: this is the text in the protocol's main language.")
    return format_html(
        '<{0} class="untranslated" lang="{1}" title="{2}">{3}</{0}>', SafeString(tag), text.language, title, html
    )
