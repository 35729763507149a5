"""Report how an import went: errors by line, a summary, progress."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

MOST_ERRORS = 200  # kept and shown; the rest is counted

Progress = Callable[[int, int, str], None]
READING, STORING = "reading", "storing"


def no_progress(done: int, total: int, phase: str) -> None:
    """Ignore progress, for callers that do not show it."""


@dataclass(frozen=True, slots=True)
class LineError:
    """An error in a file. `line` counts from 1; 0 means the file as a whole."""

    line: int
    field: str
    reason: str

    def as_text(self, file_name: str) -> str:
        where = f"{file_name}:{self.line}" if self.line else file_name
        return ": ".join(part for part in (where, self.field, self.reason) if part)


class ImportRejected(Exception):
    """Raised when a file has errors and nothing was imported. `errors` are the first of `n_errors`."""

    def __init__(self, errors: list[LineError], n_errors: int | None = None) -> None:
        self.errors = errors
        self.n_errors = len(errors) if n_errors is None else n_errors
        super().__init__(errors[0].as_text("file") if errors else _("The import was refused."))


class BadField(Exception):
    """Raised while a line is parsed, and turned into its LineError."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(slots=True)
class ErrorLog:
    errors: list[LineError] = field(default_factory=list)
    n_errors: int = 0

    def add(self, line: int, field: str, reason: str) -> None:
        self.n_errors += 1
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(LineError(line, field, reason))

    @contextmanager
    def catching(self, line: int) -> Iterator[None]:
        """Add a BadField that the block raises as an error of this line."""
        try:
            yield
        except BadField as error:
            self.add(line, error.field, error.reason)

    def refuse_any(self) -> None:
        if self.n_errors:
            raise ImportRejected(sorted(self.errors, key=lambda error: error.line), self.n_errors)


def rejected(reason: str, field: str = "", line: int = 0) -> ImportRejected:
    """Return the error of a file that cannot be imported for one reason."""
    return ImportRejected([LineError(line, field, reason)])


def refuse(errors: Iterable[tuple[int, str, str]], n_errors: int = 0) -> None:
    """Raise ImportRejected if there is any (line, field, reason). `n_errors` also counts those that are not listed."""
    log = ErrorLog()
    for error in errors:
        log.add(*error)
    log.n_errors = max(log.n_errors, n_errors)
    log.refuse_any()


@dataclass(slots=True)
class ImportSummary:
    """Counts by name (`dialogues_new`, `ratings_unchanged`) and sentences about what is easily overlooked."""

    format: str
    is_dry_run: bool
    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def as_lines(self) -> list[str]:
        first = "Dry run: nothing was stored. It would be:" if self.is_dry_run else "Imported:"
        counts = [f"  {name.replace('_', ' ')}: {count:,}" for name, count in self.counts.items()]
        return [f"{first} ({self.format})", *counts, *(f"  Note: {note}" for note in self.notes)]
