"""The printed report: as PDF, and the styles of the file that is opened without a server."""

from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe

from parley.pdf import PdfUnavailable, make_pdf

__all__ = ["PdfUnavailable", "as_pdf", "styles_of_file"]
STYLES = "print.css"


def as_pdf(html: str) -> bytes:
    """Raises PdfUnavailable where the system lacks Pango."""
    return make_pdf(html, STYLES)


def styles_of_file() -> SafeString:
    """For a <style> within the file, which no policy of ours reaches."""
    return mark_safe(Path(settings.BASE_DIR, "static", "css", STYLES).read_text(encoding="utf-8"))  # noqa: S308 - ours
