"""Whether texts look like Markdown: a hint for whoever chooses how they are shown."""

import re

STRONG = re.compile(
    r"^ {0,3}#{1,6} \S|^ {0,3}(?:```|~~~)|\*\*[^\s*][^*\n]{0,200}\*\*|`[^`\n]{1,200}`"
    r"|\[[^][\n]{1,200}\]\([^\s()]{1,500}\)|^ {0,3}\|?[ :]*-{3,}[ :]*\|",
    re.MULTILINE,
)
LISTED = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)]) +\S", re.MULTILINE)


def looks_like_markdown(text: str) -> bool:
    """One sure mark, or two lines of a list: a dash at the start of a line is common in plain texts."""
    return bool(STRONG.search(text)) or len(LISTED.findall(text)) > 1
