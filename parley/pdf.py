"""A whole page as PDF. WeasyPrint needs system libraries, so it is loaded only when somebody asks."""

from pathlib import Path

from django.conf import settings


class PdfUnavailable(RuntimeError):
    """The sentence says what to install; the page itself works without."""


def make_pdf(html: str, *styles: str) -> bytes:
    """`styles` are names of files in static/css. Raises PdfUnavailable where the system lacks Pango."""
    try:
        from weasyprint import CSS, HTML
    except OSError as error:
        raise PdfUnavailable(
            "This server cannot make PDFs: it lacks the Pango library (Debian: libpango-1.0-0 libpangoft2-1.0-0). "
            "Print the page from your browser instead."
        ) from error
    room = Path(settings.BASE_DIR, "static", "css")
    sheets = [CSS(string=(room / name).read_text(encoding="utf-8")) for name in styles]
    # No address is ever fetched: the page is whole, and what was imported must not make the server call anybody.
    return HTML(string=html, url_fetcher=_refuse).write_pdf(stylesheets=sheets)


def _refuse(url: str) -> dict:
    raise ValueError(f"a PDF fetches nothing, not even {url[:80]}")
