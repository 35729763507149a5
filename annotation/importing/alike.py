"""Show errors of a file that are alike as one: a thousand rows with the same fault have one remedy."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from annotation.importing.outcome import RECORDS, LineError, number_of_place

FIRST_LINES = 5


@dataclass(frozen=True, slots=True)
class AlikeErrors:
    """Errors of one kind. `reason` is that of the first; the others may name something else unless `are_equal`.

    `lines` are the first ones; there may be more. A line may have several: the answers of a row. `n_lines` are all of
    them, None if some errors are not listed.
    """

    lines: tuple[int, ...]
    n: int
    n_lines: int | None
    field: str
    reason: str
    are_equal: bool
    has_more: bool

    @property
    def are_records(self) -> bool:
        """Return whether `place` has numbers of records, which share a line."""
        return bool(self.lines) and self.lines[0] >= RECORDS

    @property
    def place(self) -> str:
        """Return the lines: "2" of one error, otherwise the first ones and how many rows and errors there are."""
        shown = ", ".join(str(number_of_place(line)) for line in self.lines)
        if self.n == 1:
            return shown
        shown += ", …" if self.has_more else ""
        said = {"lines": shown, "n": intcomma(self.n), "rows": intcomma(self.n_lines or 0)}
        if self.n_lines == self.n:
            if self.are_records and not self.has_more:
                return shown
            return (_("%(lines)s (%(n)s records)") if self.are_records else _("%(lines)s (%(n)s rows)")) % said
        if self.n_lines is None or len(self.lines) == 1:
            return _("%(lines)s (%(n)s errors)") % said
        text = (
            _("%(lines)s (%(rows)s records, %(n)s errors)")
            if self.are_records
            else _("%(lines)s (%(rows)s rows, %(n)s errors)")
        )
        return text % said

    @property
    def said(self) -> str:
        return self.reason if self.are_equal else _("for example, %(reason)s") % {"reason": self.reason}


def alike(errors: Iterable[LineError], n_errors: int) -> list[AlikeErrors]:
    """Return the errors by kind, in the order of their first lines.

    Errors that are not listed are counted where there is one kind: an :class:`ErrorLog` lists at least one of each.
    """
    kinds: dict[tuple[str, str, bool], list[LineError]] = {}
    for error in errors:
        kinds.setdefault((*error.kind, error.line == 0), []).append(error)
    return [_together(found, n_errors if len(kinds) == 1 else len(found)) for found in kinds.values()]


def _together(errors: list[LineError], n: int) -> AlikeErrors:
    first = errors[0]
    lines = tuple(dict.fromkeys(error.line for error in errors))
    n = max(n, len(errors))
    are_equal = len({each.reason for each in errors}) == 1
    has_more = len(lines) > FIRST_LINES or (n > len(errors) and len(lines) > 1)
    n_lines = len(lines) if n == len(errors) else n if len(lines) == len(errors) else None
    return AlikeErrors(lines[:FIRST_LINES], n, n_lines, first.field, first.reason, are_equal, has_more)
