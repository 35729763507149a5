"""The printed report: its PDF, and the styles for the HTML file that opens without a server."""

from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from parley.pdf import PdfUnavailable, make_pdf

__all__ = ["PdfUnavailable", "as_pdf", "styles_of_file"]
STYLES = "print.css"


def as_pdf(html: str) -> bytes:
    """Return the HTML as PDF. Raises PdfUnavailable if the system lacks Pango."""
    return make_pdf(html, STYLES)


def styles_of_file() -> SafeString:
    """Return the styles for a <style> element in the file, to which our content security policy does not apply."""
    return mark_safe(Path(settings.BASE_DIR, "static", "css", STYLES).read_text(encoding="utf-8"))  # noqa: S308 - ours
