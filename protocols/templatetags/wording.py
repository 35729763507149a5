"""Template filters for a protocol's own texts: they escape a text, and mark it if it is not translated."""

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
    """Return a line of text, escaped, and marked if it is not translated."""
    return _marked(text, conditional_escape(text), "span")


@register.filter
def wording_keyed(text: str, key: str) -> SafeString:
    """Return a label that begins with the key to press for it, which looks like the keys beside other labels."""
    label = format_html('<kbd class="in-label">{}</kbd>{}', key, text.removeprefix(key))
    return _marked(text, label, "span")


@register.filter
def definition(text: str) -> SafeString:
    """Return a longer text: as Markdown if it contains a table, otherwise with its lines as they are."""
    if not TABLE.search(text):
        return wording(text)
    return _marked(text, format_html('<div class="markdown">{}</div>', rendered(text)), "div")


@register.filter
def wording_of(html: SafeString, text: str) -> SafeString:
    """Return HTML that was made from a text, marked as the text would be."""
    return _marked(text, html, "div")


@register.filter
def language_of(text: str) -> str:
    """Return the language of a text that is not translated, or an empty string for any other text."""
    return text.language if isinstance(text, Untranslated) else ""


def _marked(text: str, html: SafeString, tag: str) -> SafeString:
    if not isinstance(text, Untranslated):
        return html
    title = _("Not translated: this is the text in the protocol's main language.")
    return format_html(
        '<{0} class="untranslated" lang="{1}" title="{2}">{3}</{0}>', SafeString(tag), text.language, title, html
    )
