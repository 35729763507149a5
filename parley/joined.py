"""Join files that a page needs together: small files are easy to change, and few requests suit a slow connection.

The joined files carry no comments and no indentation: a reader finds them in the parts, which are served as well.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

_SCREEN = (
    "js/question.js",
    "js/rate-question.js",
    "js/rate-steps.js",
    "js/rate-view.js",
    "js/rate-active.js",
    "js/rate-onward.js",
    "js/rate-help.js",
    "js/texts.js",
)
_WORK = (
    "js/rate-bar.js",
    "js/rate-drafts.js",
    "js/offline-links.js",
    "js/break-hint.js",
    "js/rate-dialogues.js",
    "js/rate.js",
)
_COMMENT = re.compile(r"^\s*/\*(?:(?!\*/).)*\*/\s*$", re.DOTALL | re.MULTILINE)
_QUESTIONS = ("css/question.css", "css/question-parts.css")
JOINED = {
    "js/rating.js": (
        *_SCREEN,
        "js/rate-outbox.js",
        "js/rate-tabs.js",
        "js/rate-marks.js",
        "js/rate-strip-words.js",
        "js/rate-strip.js",
        *_WORK,
    ),
    "js/rating-preview.js": (*_SCREEN, "js/preview.js", *_WORK),
    "js/rating-training.js": (*_SCREEN, "js/rate-bar.js", "js/training.js"),
    "css/site.css": ("css/base.css", "css/parts.css", "css/languages.css"),
    "css/questions.css": _QUESTIONS,
    "css/rating.css": (
        *_QUESTIONS,
        *(
            f"css/rate{part}.css"
            for part in ("", "-dialogue", "-dock", "-medium", "-narrow", "-sheet", "-strip", "-low")
        ),
        "css/texts.css",
    ),
}


def joined(name: str) -> str:
    """Return the text of a joined file."""
    source = Path(settings.STATICFILES_DIRS[0])
    return "\n".join(shortened((source / part).read_text(encoding="utf-8")) for part in JOINED[name])


def shortened(text: str) -> str:
    """Return a style sheet or script without the lines that are only a comment and without indentation.

    A text over several lines would change with them: the tests allow none in the parts.
    """
    lines = (line.strip() for line in _COMMENT.sub("", text).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


class JoinedFinder(BaseFinder):
    """Find the joined files when static files are collected or served. They are written when the process starts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.folder = TemporaryDirectory(prefix="parley-joined-")  # removed with the process
        self.storage = FileSystemStorage(location=self.folder.name)
        for name in JOINED:
            target = Path(self.folder.name) / name
            target.parent.mkdir(exist_ok=True)
            target.write_text(joined(name), encoding="utf-8")

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False) -> Any:
        found = str(Path(self.folder.name) / path) if path in JOINED else None
        return ([found] if found else []) if find_all else (found or [])

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        return ((name, self.storage) for name in JOINED)
