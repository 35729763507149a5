import pytest
from django.utils.safestring import SafeString

from protocols.bundles import load_bundle
from protocols.rendering import render_markdown
from protocols.selectors import builtin_bundles

ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/a.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "![alt](https://x.example/track.png)",
    "![alt](data:image/svg+xml;base64,AAAA)",
    "<svg onload=alert(1)>",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](java\tscript:alert(1))",
    "[click](&#106;avascript:alert(1))",
    "<javascript:alert(1)>",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](vbscript:msgbox)",
    '[x](https://a.example "onmouseover=alert(1)")<a href="#" onclick="alert(1)">y</a>',
    "[r]\n\n[r]: javascript:alert(1)",
    '<p style="position:fixed" class="modal">x</p>',
    "<style>body{display:none}</style>",
    "<iframe src=https://x.example></iframe>",
    "<form action=https://x.example><input name=q><button>go</button></form>",
    "<base href=https://x.example/>",
    "<meta http-equiv=refresh content='0;url=https://x.example'>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "# x {: onclick=alert(1) class=y }",
    "<!-- <script>alert(1)</script> -->",
]
FORBIDDEN = ["<script", "<img", "<svg", "<style", "<iframe", "<form", "<input", "<button", "<base", "<meta", "<math"]

FORBIDDEN_IN_TAGS = ["javascript:", "vbscript:", "data:", " style=", " class="]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_runs_loads_or_restyles_survives(attack):
    html = render_markdown(f"Before\n\n{attack}\n\nAfter").lower()
    # Browsers drop tabs and line breaks from an address before they look for its scheme.
    tags = [part.partition(">")[0].translate(dict.fromkeys(b"\t\n\r")) for part in html.split("<")[1:]]
    assert not [word for word in FORBIDDEN if word in html]
    assert not [tag for tag in tags for word in FORBIDDEN_IN_TAGS if word in tag]
    assert not [tag for tag in tags if " on" in tag.replace('title="on', "")]
    assert "before" in html


def test_a_link_opens_without_handing_the_page_over():
    html = render_markdown("[paper](https://aclanthology.org/2022.gem-1.12)")
    assert html == '<p><a href="https://aclanthology.org/2022.gem-1.12" rel="noopener noreferrer">paper</a></p>'


def test_tables_lists_and_emphasis_are_rendered():
    html = render_markdown("| a | b |\n|---|--:|\n| 1 | 2 |\n\n1. *one*\n2. **two**\n\n> `three`")
    for part in ("<table>", "<th>a</th>", "<td>2</td>", "<ol>", "<em>one</em>", "<strong>two</strong>", "<code>"):
        assert part in html


def test_headings_can_be_linked_to_and_their_ids_are_not_those_of_the_page():
    html = render_markdown("[TOC]\n\n## Main part\n\n## Größe\n\n<h2 id='csrf'>x</h2>")
    assert '<h2 id="text-main-part">' in html
    assert 'href="#text-main-part"' in html
    assert '<h2 id="text-größe">' in html
    assert "csrf" not in html


def test_plain_characters_are_escaped_once():
    assert render_markdown("1 < 2 & 3") == "<p>1 &lt; 2 &amp; 3</p>"


def test_the_result_is_marked_safe_and_empty_text_is_empty():
    assert isinstance(render_markdown("x"), SafeString)
    assert render_markdown("") == ""


@pytest.mark.parametrize("depth", [10_000])
def test_deep_nesting_does_not_break_a_page(depth):
    assert "x" in render_markdown(">" * depth + " x")


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_guidelines_that_ship_lose_nothing_by_sanitising(path):
    doc = load_bundle(path)
    html = render_markdown(doc["guidelines"])
    assert html.count("<h2 id=") == doc["guidelines"].count("## ")
    assert "<ol>" in render_markdown(doc["guidelines_short"])
