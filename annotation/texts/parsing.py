"""Parse untrusted Markdown into a tree in bounded time. Texts that could take too long are not parsed."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.tree import SyntaxTreeNode

# The time of the parser grows with the square of some marks. At these limits the worst text found takes 0.2 s.
LONGEST = 40_000
MOST_LINES = 1_000
MOST_BRACKETS = 1_000
MOST_MARKS = 3_000
DEEPEST = 20  # below that the parser leaves content out
# Formulas are not Markdown: their backslashes, stars and underscores stay, and so do unpaired delimiters.
FORMULA = re.compile(
    r"\\\((?:[^\\\n]|\\[^()\n])*\\\)|\\\[(?:[^\\]|\\[^\[\]])*\\\]|\\[()\[\]]"
    r"|\$\$[^$]+\$\$|\$[^\s$](?:[^$\n]*[^\s$\\])?\$(?!\d)"
)
DISPLAYED = {"\\[": "\\]", "$$": "$$"}  # a formula on lines of its own
LONGEST_FORMULA = 100  # lines


class Parser(MarkdownIt):
    """Keep addresses as they were typed, whatever they are: they are only shown and never become links."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


def _make_parser() -> Parser:
    """Return a parser that keeps HTML as text and leaves definitions of links visible."""
    options = {"html": False, "inline_definitions": True, "maxNesting": DEEPEST}
    parser = Parser("commonmark", options)
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "formula", _formula)
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", "displayed_formula", _displayed_formula, {"alt": interrupted})
    return parser


def _formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "\\$":
        return False
    found = FORMULA.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("formula", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _displayed_formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    opening = _line(state, start)[:2]
    if opening not in DISPLAYED:
        return False
    for last in range(start, min(end, start + LONGEST_FORMULA)):
        line = _line(state, last)[2:] if last == start else _line(state, last)
        if line.rstrip(" .,;").endswith(DISPLAYED[opening]):
            break
    else:
        return False
    if not silent:
        state.line = last + 1
        token = state.push("displayed_formula", "", 0)
        token.map, token.content = [start, last + 1], state.getLines(start, last + 1, state.blkIndent, False)
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


PARSER = _make_parser()


def parse(text: str) -> SyntaxTreeNode | None:
    """Return the tree, or None for a text that is too long, too full of marks or too deeply nested."""
    is_too_much = (
        len(text) > LONGEST
        or text.count("\n") > MOST_LINES
        or text.count("[") + text.count("]") > MOST_BRACKETS
        or sum(map(text.count, "*_~`|<&\\$")) > MOST_MARKS
    )
    if is_too_much:
        return None
    tokens = PARSER.parse(text)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return None
    return SyntaxTreeNode(tokens)
