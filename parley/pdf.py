"""Turn a page into a PDF. WeasyPrint needs system libraries, so it is imported only when a PDF is made."""

import re
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

# WeasyPrint's search for line breaks is quadratic in the length of a word: 20,000 letters took 12 seconds.
ENDLESS_WORD = re.compile(r"[^\s<>&;]{200}(?=[^\s<>&;])")
BETWEEN_TAGS = re.compile(r">[^<]+")


class PdfUnavailable(RuntimeError):
    """The server lacks a library. The message says which one to install; pages work without it."""


def make_pdf(html: str, *styles: str) -> bytes:
    """Return the PDF of a page. `styles` are file names in static/css. Raises PdfUnavailable if Pango is missing."""
    try:
        from weasyprint import CSS, HTML
        from weasyprint.urls import URLFetcher
    except OSError as error:
        raise PdfUnavailable(
            _(
                "This server cannot create PDFs, because it lacks the Pango library (Debian: libpango-1.0-0 "
                "libpangoft2-1.0-0). Print the page from your browser instead."
            )
        ) from error
    room = Path(settings.BASE_DIR, "static", "css")
    sheets = [CSS(string=(room / name).read_text(encoding="utf-8")) for name in styles]
    text = BETWEEN_TAGS.sub(lambda found: ENDLESS_WORD.sub("\\g<0>\u200b", found[0]), html)
    # No address is ever fetched: the page is complete, and imported texts must not make the server call other hosts.
    # A fetcher that raises would end the whole PDF; without allowed schemes, resources are only left out.
    return HTML(string=text, url_fetcher=URLFetcher(allowed_protocols=())).write_pdf(stylesheets=sheets)
