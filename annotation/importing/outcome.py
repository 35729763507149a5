"""Report how an import went: errors by line, a summary, progress."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext as _

MOST_ERRORS = 200  # kept and shown; the rest is counted
NAMED_SOURCES = 10  # of the new ones, in a summary or a preview
FEW_ERRORS = 20  # kept of each check of the whole file, however many others have found

Progress = Callable[[int, int, str], None]
READING, STORING = "reading", "storing"


def no_progress(done: int, total: int, phase: str) -> None:
    """Ignore progress, for callers that do not show it."""


# What differs between errors of the same kind: names in quotes, and numbers.
OWN_PARTS = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


DOORS = ("page", "command", "api")
# Records of a list that share a line are numbered from here on, in place of their line: it would not tell them apart.
RECORDS = 10**12


def number_of_place(line: int) -> int:
    """Return the number of the line, or of the record where records share a line."""
    return line - RECORDS if line >= RECORDS else line


def named_place(line: int) -> str:
    text = _("record %(line)s") if line >= RECORDS else _("line %(line)s")
    return text % {"line": number_of_place(line)}


def at_place(line: int) -> str:
    text = _("in record %(line)s") if line >= RECORDS else _("on line %(line)s")
    return text % {"line": number_of_place(line)}


@dataclass(frozen=True, slots=True)
class Remedy:
    """Say what to do about an error in the words of the import page, of the command and of the API.

    `is_folded` says that its field is in a part of the page that may be folded.
    """

    page: str
    command: str
    api: str
    is_folded: bool = False

    @classmethod
    def everywhere(cls, text: str) -> "Remedy":
        return cls(text, text, text)

    @classmethod
    def saying(cls, text: str, **parts: "Remedy | str") -> "Remedy":
        """Return the text with the parts in their places, in the words of each door."""
        page, command, api = (text % {name: in_words(part, door) for name, part in parts.items()} for door in DOORS)
        is_folded = any(isinstance(part, Remedy) and part.is_folded for part in parts.values())
        return cls(page, command, api, is_folded)

    def then(self, other: "Remedy") -> "Remedy":
        """Return this remedy with the other one after it."""
        is_folded = self.is_folded or other.is_folded
        return Remedy(self.page + other.page, self.command + other.command, self.api + other.api, is_folded)


def in_words(said: "str | Remedy | Mapping[str, Any]", door: str) -> str:
    """Return what a door says. A job keeps the words of all doors: the page and the API show it."""
    if isinstance(said, str):
        return said
    return said[door] if isinstance(said, Mapping) else getattr(said, door)


@dataclass(frozen=True, slots=True)
class LineError:
    """An error in a file. `line` counts from 1; 0 means the file as a whole. See RECORDS for lists on one line."""

    line: int
    field: str
    reason: str
    remedy: Remedy | None = None

    @property
    def kind(self) -> tuple[str, str]:
        """Return what errors of many lines with the same fault have in common."""
        return self.field, OWN_PARTS.sub("", self.reason)

    def as_text(self, file_name: str) -> str:
        where = f"{file_name}:{self.line}" if self.line else file_name
        if self.line >= RECORDS:
            where = f"{file_name}: {named_place(self.line)}"
        return ": ".join(part for part in (where, self.field, self.reason) if part)

    def for_page(self) -> "LineError":
        return self._with(self.remedy.page if self.remedy else "")

    def for_command(self) -> "LineError":
        return self._with(self.remedy.command if self.remedy else "")

    def for_api(self) -> "LineError":
        return self._with(self.remedy.api if self.remedy else "")

    def stored(self) -> dict[str, Any]:
        """Return the error as a job keeps it: it is not known yet whether the page or the API will show it."""
        return asdict(self)

    @classmethod
    def from_stored(cls, kept: Mapping[str, Any]) -> "LineError":
        remedy = kept.get("remedy")
        return cls(kept["line"], kept["field"], kept["reason"], Remedy(**remedy) if remedy else None)

    def _with(self, remedy: str) -> "LineError":
        return LineError(self.line, self.field, ": ".join(part for part in (self.reason, remedy) if part))


class ImportRejected(Exception):
    """Raised when a file has errors and nothing was imported. `errors` are the first of `n_errors`.

    `beside` has the new sources and the warnings that are known nevertheless: a typo is corrected with the errors.
    """

    def __init__(
        self, errors: list[LineError], n_errors: int | None = None, beside: "ImportSummary | None" = None
    ) -> None:
        self.errors = errors
        self.beside = beside
        self.n_errors = len(errors) if n_errors is None else n_errors
        super().__init__(errors[0].as_text("file") if errors else _("The import was refused."))


class BadField(Exception):
    """Raised while a line is parsed, and turned into its LineError. `line` is another one that is at fault."""

    def __init__(self, field: str, reason: str, remedy: Remedy | None = None, line: int = 0) -> None:
        super().__init__(f"{field}: {reason}")
        self.line = line
        self.field = field
        self.reason = reason
        self.remedy = remedy

    def on_line(self, line: int) -> LineError:
        return LineError(self.line or line, self.field, self.reason, self.remedy)


@dataclass(slots=True)
class ErrorLog:
    """Keep the first errors, and a later one if it is the first of its kind.

    With `has_several_on_a_line`, a row has several answers, and what is wrong with the row counts once.
    """

    errors: list[LineError] = field(default_factory=list)
    n_errors: int = 0
    has_several_on_a_line: bool = False

    def add(self, line: int, field: str, reason: str, remedy: Remedy | None = None) -> None:
        self.n_errors += 1
        error = LineError(line, field, reason, remedy)
        n = len(self.errors)
        if n < MOST_ERRORS or (n < 2 * MOST_ERRORS and error.kind not in {each.kind for each in self.errors}):
            self.errors.append(error)

    def add_all(self, errors: Iterable[LineError], n_errors: int = 0) -> None:
        """Add what one check of the whole file has found. `n_errors` also counts those that are not listed."""
        found = list(errors)
        self.n_errors += max(n_errors, len(found))
        self.errors += found[: max(FEW_ERRORS, MOST_ERRORS - len(self.errors))]

    def forget_behind(self, line: int) -> None:
        kept = [error for error in self.errors if error.line <= line]
        self.n_errors -= len(self.errors) - len(kept)
        self.errors = kept

    @contextmanager
    def catching(self, line: int) -> Iterator[None]:
        """Add a BadField that the block raises as an error of this line."""
        try:
            yield
        except BadField as error:
            self.add(error.line or line, error.field, error.reason, error.remedy)

    def refuse_any(self, beside: "ImportSummary | None" = None) -> None:
        if self.n_errors:
            raise ImportRejected(sorted(self.errors, key=lambda error: error.line), self.n_errors, beside)


def rejected(reason: str, field: str = "", line: int = 0, remedy: Remedy | None = None) -> ImportRejected:
    """Return the error of a file that cannot be imported for one reason."""
    return ImportRejected([LineError(line, field, reason, remedy)])


def refuse(errors: Iterable[tuple[int, str, str] | tuple[int, str, str, Remedy | None]], n_errors: int = 0) -> None:
    """Raise ImportRejected if there is any (line, field, reason, remedy). `n_errors` also counts those not listed."""
    log = ErrorLog()
    log.add_all((LineError(*error) for error in errors), n_errors)
    log.refuse_any()


@dataclass(slots=True)
class ImportSummary:
    """Counts by name (`dialogues_new`, `ratings_unchanged`), and sentences about what is easily overlooked.

    `notes` say what the import did, and `warnings` what stands in the way of the next step. `sources` are the first of
    the new ones, so that a wrong name is noticed.
    """

    format: str
    is_dry_run: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str | Remedy] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def as_lines(self) -> list[str]:
        first = "Dry run: nothing was stored. It would be:" if self.is_dry_run else "Imported:"
        counts = [f"  {name.replace('_', ' ')}: {count:,}" for name, count in self.counts.items()]
        said = [
            *(f"  Warning: {in_words(each, 'command')}" for each in self.warnings),
            *(f"  Note: {note}" for note in self.notes),
        ]
        return [f"{first} ({self.format})", *counts, *said]
