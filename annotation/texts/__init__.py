"""Show texts of dialogues and responses as typed or as Markdown, with the middle of very long ones folded."""

from annotation.texts.hints import looks_like_markdown
from annotation.texts.pieces import is_long
from annotation.texts.showing import MARKDOWN, PLAIN, show

__all__ = ["MARKDOWN", "PLAIN", "is_long", "looks_like_markdown", "show"]
