"""Guess whether texts look like Markdown, as a hint for people who choose how texts are shown."""

import re

STRONG = re.compile(
    r"^ {0,3}#{1,6} \S|^ {0,3}(?:```|~~~)|\*\*[^\s*][^*\n]{0,200}\*\*|`[^`\n]{1,200}`"
    r"|\[[^][\n]{1,200}\]\([^\s()]{1,500}\)|^ {0,3}\|?[ :]*-{3,}[ :]*\|",
    re.MULTILINE,
)
LISTED = re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)]) +\S", re.MULTILINE)


def looks_like_markdown(text: str) -> bool:
    """Return whether there is a sure mark or two list items: in plain texts, a line often starts with a dash."""
    return bool(STRONG.search(text)) or len(LISTED.findall(text)) > 1
