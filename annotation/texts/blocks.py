"""Turn a Markdown tree into pieces of HTML: a fixed set of tags, all text escaped, no links or images loaded."""

import re
from collections.abc import Callable, Iterator
from html import escape, unescape

from django.utils.translation import gettext as _
from markdown_it.tree import SyntaxTreeNode as Node

from annotation.texts.pieces import HEAD, Piece, chunks
from protocols.word_count import count_words

MARKS = {"em": "em", "strong": "strong", "s": "s"}
ENDS = {"softbreak", "hardbreak"}
TYPED = ENDS | {"text", "formula"}
ALIGNED = re.compile(r"text-align:(left|center|right)")
NO_LETTERS = re.compile(r"[\W\d_]+")
TAG = re.compile(r"<[^>]*>")
PLAIN = '<div class="preserve" dir="auto">{}</div>'


def pieces_of(tree: Node, text: str) -> list[Piece]:
    """Return the pieces. A block that would lose letters, such as a table with too many cells, stays as typed."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[Piece] = []
    for number, node in enumerate(tree.children):
        source = _source(node, lines)
        pieces = list(_pieces(node, number, lines))
        visible = unescape(TAG.sub("", "".join(piece.opening + piece.html for piece in pieces)))
        is_whole = _n_letters(unescape(source)) <= _n_letters(visible)
        found += pieces if is_whole else [Piece(PLAIN.format(escape(source)), source, number)]
    return found


def is_unformatted(tree: Node, text: str) -> bool:
    """Return whether a text has no Markdown: it is then shown as typed and keeps its blank lines and indents."""
    said = [_typed(node) for node in tree.children]
    return None not in said and _bare("\n".join(filter(None, said))) == _bare(text)


def _typed(node: Node) -> str | None:
    """Return the text of a formula or of a paragraph without any mark; None for everything else."""
    if node.type == "displayed_formula":
        return node.content
    if node.type != "paragraph":
        return None
    children = node.children[0].children
    if any(child.type not in TYPED for child in children):
        return None
    return "".join("\n" if child.type in ENDS else child.content for child in children)


def _bare(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _source(node: Node, lines: list[str]) -> str:
    first, last = node.map or (0, 0)
    return "\n".join(lines[first:last])


def _n_letters(text: str) -> int:
    return len(NO_LETTERS.sub("", text))


# --- blocks --------------------------------------------------------------------------------------------
def _pieces(node: Node, number: int, lines: list[str]) -> Iterator[Piece]:
    """Yield one piece for most blocks, and several for long lists, code and paragraphs, so that they can be folded."""
    source = _source(node, lines)
    if node.type in ("bullet_list", "ordered_list"):
        for at, item in enumerate(node.children):
            html = f"<li>{_blocks(item, lines)}</li>"
            yield Piece(html, _source(item, lines), number, _list_opening(node, at), f"</{node.tag}>")
    elif node.type in ("fence", "code_block") and node.content.count("\n") > HEAD[1]:
        for at, line in enumerate(node.content.splitlines(keepends=True)):
            yield Piece(escape(line), line, number, _code_opening("" if at else node.info), "</code></pre>")
    elif node.type == "paragraph" and count_words(source) > HEAD[0]:
        for child in node.children[0].children:
            for part in chunks(child.content) if child.type == "text" else [""]:
                html = escape(part) if part else _inline(child)
                yield Piece(html, part or unescape(TAG.sub("", html)), number, '<p dir="auto">', "</p>")
    else:
        yield Piece(_block(node, lines), source, number)


def _blocks(node: Node, lines: list[str]) -> str:
    return "".join(_block(child, lines) for child in node.children)


def _block(node: Node, lines: list[str]) -> str:
    return BLOCKS.get(node.type, _as_typed)(node, lines)


def _as_typed(node: Node, lines: list[str]) -> str:
    """Return a formula, the definition of a link or any other block as it was typed."""
    return PLAIN.format(escape(node.content or _source(node, lines).strip()))


def _paragraph(node: Node, _lines: list[str]) -> str:
    """Return a paragraph. Within a list or quotation it sets no direction: the outer block finds it by its words."""
    words = _inlines(node.children[0])
    if node.hidden:
        return words
    is_within = node.parent is not None and not node.parent.is_root
    return f"<p>{words}</p>" if is_within else f'<p dir="auto">{words}</p>'


def _heading(node: Node, _lines: list[str]) -> str:
    """Return a bold paragraph: people who jump between headings of the page must not land in a text."""
    return f'<p class="text-heading" dir="auto"><strong>{_inlines(node.children[0])}</strong></p>'


def _list(node: Node, lines: list[str]) -> str:
    items = "".join(f"<li>{_blocks(item, lines)}</li>" for item in node.children)
    return f"{_list_opening(node)}{items}</{node.tag}>"


def _code(node: Node, _lines: list[str]) -> str:
    return f"{_code_opening(node.info)}{escape(node.content)}</code></pre>"


def _list_opening(node: Node, at: int = 0) -> str:
    first = int(node.attrs.get("start", 1)) + at
    return f'<ol dir="auto" start="{first}">' if node.tag == "ol" and first != 1 else f'<{node.tag} dir="auto">'


def _code_opening(info: str) -> str:
    name = f'<span class="text-code-name" dir="ltr">{escape(unescape(info.strip()))}</span>' if info.strip() else ""
    label = escape(_("Code"))
    return f'{name}<pre class="text-code" dir="ltr" tabindex="0" role="group" aria-label="{label}"><code>'


def _table(node: Node, _lines: list[str]) -> str:
    rows = ""
    for part in node.children:
        cells = "".join(f"<tr>{''.join(map(_cell, row.children))}</tr>" for row in part.children)
        rows += f"<{part.tag}>{cells}</{part.tag}>"
    label = escape(_("Table"))
    return f'<div class="text-table" tabindex="0" role="group" aria-label="{label}"><table>{rows}</table></div>'


def _cell(cell: Node) -> str:
    content = _inlines(cell.children[0]) if cell.children else ""
    # The empty corner of a table must not be a heading: it would be read out for every cell beside it.
    tag, scope = ("th", ' scope="col"') if cell.tag == "th" and content else ("td", "")
    found = ALIGNED.search(str(cell.attrs.get("style", "")))
    aligned = f' data-align="{found[1]}"' if found else ""
    return f'<{tag}{scope}{aligned} dir="auto">{content}</{tag}>'


BLOCKS: dict[str, Callable[[Node, list[str]], str]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": lambda node, lines: f'<blockquote dir="auto">{_blocks(node, lines)}</blockquote>',
    "fence": _code,
    "code_block": _code,
    "table": _table,
    "hr": lambda _node, _lines: "<hr>",
}


# --- within a line -------------------------------------------------------------------------------------
def _inlines(node: Node) -> str:
    return "".join(map(_inline, node.children))


def _inline(node: Node) -> str:
    match node.type:
        case "softbreak" | "hardbreak":
            return "<br>"
        case "code_inline":
            return f'<code dir="ltr">{escape(node.content)}</code>'
        case "em" | "strong" | "s":
            return f"<{MARKS[node.type]}>{_inlines(node)}</{MARKS[node.type]}>"
        case "link":
            return _link(node)
        case "image":
            name = escape(_("Image"))
            said = f"[{name}: {_inlines(node)}]" if node.children else f"[{name}]"
            return f'<span class="text-link">{said}</span> {_address(node, "src")}'
        case _:  # text or a formula
            return escape(node.content).replace("\n", "<br>")


def _link(node: Node) -> str:
    said = _inlines(node)
    if said == escape(str(node.attrs["href"]).removeprefix("mailto:")):
        return f'<bdi class="text-address" dir="ltr">{said}</bdi>'
    return f'<span class="text-link">{said}</span> {_address(node, "href")}'


def _address(node: Node, name: str) -> str:
    """Return the address as it was typed, with its title."""
    title = f' "{node.attrs["title"]}"' if node.attrs.get("title") else ""
    return f'<bdi class="text-address" dir="ltr">({escape(str(node.attrs[name]) + title)})</bdi>'
