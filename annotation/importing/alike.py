"""Show errors of a file that are alike as one: a thousand rows with the same fault have one remedy."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from annotation.importing.outcome import LineError

FIRST_LINES = 5


@dataclass(frozen=True, slots=True)
class AlikeErrors:
    """Errors of one kind. `reason` is that of the first; the others may name something else unless `are_equal`.

    `lines` are the first ones; there may be more. Records of a JSON array may share a line.
    """

    lines: tuple[int, ...]
    n: int
    field: str
    reason: str
    are_equal: bool
    has_more: bool

    @property
    def place(self) -> str:
        """Return the lines: "2" of one error, otherwise the first ones and how many rows or records there are."""
        shown = ", ".join(str(line) for line in self.lines)
        if self.n == 1:
            return shown
        shown += ", …" if self.has_more else ""
        if len(self.lines) == 1:
            return _("%(line)s (%(n)s records)") % {"line": shown, "n": intcomma(self.n)}
        return _("%(lines)s (%(n)s rows)") % {"lines": shown, "n": intcomma(self.n)}

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
    return AlikeErrors(lines[:FIRST_LINES], n, first.field, first.reason, are_equal, has_more)
