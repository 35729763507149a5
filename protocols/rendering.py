"""Render the Markdown of researchers as HTML that is safe in the browsers of annotators."""

from functools import lru_cache

import markdown
import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown.extensions.toc import slugify_unicode

# An id in the text must not equal one of the page's: scripts and labels would find the text instead.
ID_PREFIX = "text-"
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
BLOCKS = {"p", "br", "hr", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd"}
WORDS = {"a", "code", "em", "strong", "del", "sub", "sup"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, **{heading: {"id"} for heading in HEADINGS}}


def render_markdown(text: str) -> SafeString:
    """Return HTML of a strict allow-list: no images, scripts, styles or classes; headings have ids to link to."""
    toc = {"slugify": lambda heading, separator: ID_PREFIX + slugify_unicode(heading, separator)}
    html = markdown.markdown(text, extensions=["tables", "toc", "sane_lists"], extension_configs={"toc": toc})
    clean = nh3.clean(
        html,
        tags=HEADINGS | BLOCKS | WORDS | TABLES,
        attributes=ATTRIBUTES,
        attribute_filter=_own_ids_only,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    # The empty corner of a table is not a heading: a screen reader would read it out for every cell beside it.
    return mark_safe(clean.replace("<th></th>", "<td></td>"))  # noqa: S308 - this is the sanitiser


@lru_cache(maxsize=256)
def rendered(text: str) -> SafeString:
    """Return render_markdown(text) from a cache: it takes milliseconds, and all annotators see the same texts."""
    return render_markdown(text)


def _own_ids_only(_tag: str, attribute: str, value: str) -> str | None:
    return None if attribute == "id" and not value.startswith(ID_PREFIX) else value
