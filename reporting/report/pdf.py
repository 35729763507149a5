"""The printed report as PDF. WeasyPrint needs system libraries, so it is loaded only when somebody asks."""

from pathlib import Path

from django.conf import settings


class PdfUnavailable(RuntimeError):
    """The sentence says what to install; the page and the other downloads work without."""


def as_pdf(html: str) -> bytes:
    """Raises PdfUnavailable where the system lacks Pango."""
    try:
        from weasyprint import CSS, HTML
    except OSError as error:
        raise PdfUnavailable(
            "This server cannot make PDFs: it lacks the Pango library (Debian: libpango-1.0-0 libpangoft2-1.0-0). "
            "Print the page from your browser instead."
        ) from error
    style = Path(settings.BASE_DIR, "static", "css", "print.css").read_text(encoding="utf-8")
    # No address is ever fetched: the page is whole, and what was imported must not make the server call anybody.
    return HTML(string=html, url_fetcher=_refuse).write_pdf(stylesheets=[CSS(string=style)])


def _refuse(url: str) -> dict:
    raise ValueError(f"the report fetches nothing, not even {url[:80]}")
