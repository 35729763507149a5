"""Show errors of a file that are alike as one: a thousand rows with the same fault have one remedy."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from annotation.importing.outcome import LineError

FIRST_LINES = 5


@dataclass(frozen=True, slots=True)
class AlikeErrors:
    """Errors of one kind. `reason` is that of the first; the others may name something else unless `are_equal`."""

    lines: tuple[int, ...]
    n: int
    field: str
    reason: str
    are_equal: bool

    @property
    def place(self) -> str:
        """Return the lines: "2" of one error, otherwise the first ones and how many rows there are."""
        shown = ", ".join(str(line) for line in self.lines)
        if self.n == 1:
            return shown
        shown += ", …" if self.n > len(self.lines) else ""
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
    lines = tuple(error.line for error in errors[:FIRST_LINES])
    return AlikeErrors(
        lines, max(n, len(errors)), first.field, first.reason, len({each.reason for each in errors}) == 1
    )
