"""A chart as a separate file: an SVG that needs no style sheet, and a PNG made from that SVG."""

import math
import threading
from io import BytesIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from parley.pdf import make_pdf

NAMESPACE = "http://www.w3.org/2000/svg"
PAPER = "#ffffff"
MARGIN = 12  # charts have none, because a page adds its own
STYLES = ".fig-number{font-variant-numeric:tabular-nums}"  # colours are attributes that suit white paper
DPI = 300
MOST_PIXELS = 30_000_000  # 120 MB in memory: a larger chart gets fewer dots per inch
PAGE = (
    "<!doctype html><style>@page{{size:{width}px {height}px;margin:0}}body{{margin:0}}svg{{display:block}}</style>{svg}"
)

# PDFium is not thread-safe: two threads in it at once crash the whole process.
PDFIUM = threading.Lock()


def as_svg(picture: str) -> str:
    """Return a page's chart as an SVG file with its own size, white background and styles."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(_alone(picture), "unicode") + "\n"


def as_pdf(picture: str) -> bytes:
    """Return the chart as a PDF of its own size. Raises PdfUnavailable if the system lacks Pango."""
    return _printed(_alone(picture))


def _printed(root: Element) -> bytes:
    svg = ElementTree.tostring(root, "unicode")
    return make_pdf(PAGE.format(width=root.attrib["width"], height=root.attrib["height"], svg=svg))


def as_png(picture: str) -> bytes:
    """Return the chart as PNG, at 300 dots per inch at most. Raises PdfUnavailable if the system lacks Pango."""
    root = _alone(picture)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    pdf = _printed(root)
    import pypdfium2  # here, because the 7 MB library is needed for PNG only

    dpi = min(DPI, 96 * math.sqrt(MOST_PIXELS / (width * height)))
    with PDFIUM:
        document = pypdfium2.PdfDocument(pdf)
        try:
            image = document[0].render(scale=dpi / 72, fill_color=(255, 255, 255, 255)).to_pil()
        finally:
            document.close()
    out = BytesIO()
    image.save(out, "PNG", dpi=(dpi, dpi), optimize=True)
    return out.getvalue()


def _alone(picture: str) -> Element:
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.fromstring(picture)  # noqa: S314 - our own template has just made it
    _left, _top, width, height = map(float, root.attrib["viewBox"].split())
    place = {"x": str(-MARGIN), "y": str(-MARGIN)}
    size = {"width": f"{width + 2 * MARGIN:g}", "height": f"{height + 2 * MARGIN:g}"}
    root.attrib |= {"viewBox": " ".join((place | size).values()), **size}
    for each in root.iter():  # removes the template's blank lines
        each.text, each.tail = (part if part is None or part.strip() else "\n" for part in (each.text, each.tail))
    style = Element(f"{{{NAMESPACE}}}style")
    style.text, style.tail = STYLES, "\n"
    paper = Element(f"{{{NAMESPACE}}}rect", place | size, fill=PAPER)
    paper.tail = "\n"
    names = len(root.findall(f"{{{NAMESPACE}}}title")) + len(root.findall(f"{{{NAMESPACE}}}desc"))
    root[names:names] = [style, paper]
    return root
