"""The printed report as PDF."""

from parley.pdf import PdfUnavailable, make_pdf

__all__ = ["PdfUnavailable", "as_pdf"]


def as_pdf(html: str) -> bytes:
    """Raises PdfUnavailable where the system lacks Pango."""
    return make_pdf(html, "print.css")
