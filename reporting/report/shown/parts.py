"""The parts of cells: intervals with what a reader must know of them, and numbers that may be undefined."""

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from parley.numbers import number, ratio, sided
from parley.templatetags.numbers import share
from reporting.labels import reason_in_report
from reporting.report.comparisons import LEVEL
from reporting.report.interval_words import counted_note, counted_short
from reporting.report.model_words import mark_of, withheld, withheld_short
from reporting.report.shown.frames import Frames, Row
from reporting.tables.cells import DASH, Cell, Line, everywhere, written
from reporting.tables.columns import OF_NAME, Format
from reporting.tags import least_word, word

Draw = Callable[[Row, Frames], Cell]
FEW_DATA = "†"  # on paper
NBSP = "\u00a0"


def to(low: str, high: str) -> str:
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def interval(low: str, high: str, *, few: str = "", mark: str = "", least: str | None = None) -> Line:
    """Return the line of an interval. `few` is the note why it is marked and `mark` says that in a word or two.

    `least` is the word for its lower end.
    """
    parts = [to(low, high)]
    if least_word(least):
        parts.append((_("at least %(word)s") % {"word": least_word(least)}).replace(" ", NBSP))
    if few:
        parts.append(mark or pgettext("an interval", "few data"))
    return Line("; ".join(parts), few, f"[{low}, {high}]{FEW_DATA if few else ''}")


def model_interval(row: Row, frames: Frames, write: Callable[[float | None], str] = number) -> Line:
    """Return the interval of a mean or difference by the model, or why there is none."""
    note = withheld(row.interval_note, frames.of_dialogues)
    if row.low is not None:
        return interval(write(row.low), write(row.high), few=note, mark=mark_of(row.interval_note))
    why = withheld_short(row.interval_note, frames.of_dialogues)
    return Line(_("no interval: %(why)s") % {"why": why}, note)


def counted_interval(row: Row, name: str, note: str = "interval_note", *, is_counted: bool = True) -> list[Line]:
    """Return the interval of a coefficient with the word for its lower end, or why there is none.

    `is_counted`: the row says how many units of which kind the interval rests on.
    """
    low, high, code = (getattr(row, f"{name}{each}") for each in ("low", "high", note))
    of = row if is_counted else None
    if low is not None:
        return [
            interval(number(low), number(high), few=counted_note(code, of), least=getattr(row, f"{name}low_word", ""))
        ]
    if not code:
        return []
    why = counted_short(code, of)
    return [Line(_("no interval: %(why)s") % {"why": why} if why else _("no interval"), counted_note(code, of))]


# How the ends of an interval are written: those of a difference show on which side of 0 they lie.
ENDS: dict[Format, Callable[[float | None], str]] = {Format.SIGNED: sided, Format.SHARE: share, Format.RATIO: ratio}


def value(name: str, reason: str | None = None, form: Format | None = None) -> Draw:
    """Return what draws a number with its interval, if there is any; without the number, `reason` names the why."""
    return lambda row, _frames: number_of(row, name, getattr(row, reason) if reason else None, form)


def number_of(row: Row, name: str, reason: str | None, form: Format | None = None) -> Cell:
    form = form or OF_NAME.get(name, Format.FIGURE)
    found, low, high = (getattr(row, f"{name}{each}", None) for each in ("", "_low", "_high"))
    write = ENDS.get(form, number)
    lines = [] if low is None else [interval(write(low), write(high))]
    return Cell(written(found, form), lines, reason_in_report(reason) if reason and found is None else "")


def coefficient(
    name: str, prefix: str, reason: str | None = None, *, more: Callable[..., list[Line]] | None = None
) -> Draw:
    """Return what draws a coefficient of agreement: its word, its interval, and the lines that `more` adds."""

    def draw(row: Row, _frames: Frames) -> Cell:
        found = getattr(row, name)
        said = getattr(row, f"{prefix}_word")
        lines = [Line(word(said))] if said and found is not None else []
        lines += counted_interval(row, f"{prefix}_") + (more(row) if more else [])
        title = reason_in_report(getattr(row, reason)) if reason and found is None else ""
        return Cell(number(found), lines, title)

    return draw


def mean(row: Row, frames: Frames) -> Cell:
    """Return a mean by the model with its letters, its interval and the number of answers."""
    title = withheld(row.interval_note, frames.of_dialogues) if row.mean is None else ""
    n = everywhere(_("n %(n)s") % {"n": written(row.n_ratings, Format.COUNT)})
    return Cell(number(row.mean), [model_interval(row, frames), n], title, row.letters or "")


def difference(row: Row, frames: Frames) -> Cell:
    return Cell(written(row.difference, Format.SIGNED), [model_interval(row, frames, sided)])


def difference_ends(row: Row, frames: Frames) -> Cell:
    """Return the interval alone: below the differences, it would make the table of a paper twice as long."""
    return Cell(model_interval(row, frames, sided).printed or DASH)


def mean_ends(row: Row, frames: Frames) -> Cell:
    return Cell(model_interval(row, frames).printed or DASH)


def holm(name: str = "p_holm", said: str = "") -> Draw:
    """Return what draws a corrected p value, in bold where it is significant, and then with `said` below it."""

    def draw(row: Row, _frames: Frames) -> Cell:
        p = getattr(row, name)
        is_strong = p is not None and p <= LEVEL
        return Cell(
            written(p, Format.P_VALUE), [everywhere(str(said))] if said and is_strong else [], is_strong=is_strong
        )

    return draw


def minus(row: Row, frames: Frames) -> Cell:
    names = frames.names["sources"]
    return Cell(_("%(first)s minus %(second)s") % {"first": names[row.source_a], "second": names[row.source_b]})


def less(row: Row, frames: Frames) -> Cell:
    """Return the same with a dash: two long names and a word are too wide for a paper."""
    return Cell(f" {DASH} ".join(frames.names["sources"][key] for key in (row.source_a, row.source_b)))


def over(row: Row, frames: Frames) -> Cell:
    names = frames.names["sources"]
    return Cell(_("%(first)s over %(second)s") % {"first": names[row.source_a], "second": names[row.source_b]})


def criterion(row: Row, frames: Frames) -> Cell:
    return Cell(frames.names["criteria"].get(row.criterion, row.criterion))


def source(row: Row, frames: Frames) -> Cell:
    """Return the source of a row; answers about dialogues and pairs have none."""
    if row.source is None and row.criterion in frames.compared:
        return Cell(_("All pairs"))
    return Cell(frames.names["sources"].get(row.source, str(row.source)))


def counted(name: str, others: str, said: Callable[[int], str]) -> Draw:
    """Return what draws a count, and below it what is said of the others, if there are any."""

    def draw(row: Row, _frames: Frames) -> Cell:
        n = getattr(row, others)
        return Cell(written(getattr(row, name), Format.COUNT), [Line(said(n))] if n else [])

    return draw


def left_out(n: int) -> str:
    return _("%(n)s left out") % {"n": written(n, Format.COUNT)}


def with_one_vote(n: int) -> str:
    return _("and %(n)s with one vote") % {"n": written(n, Format.COUNT)}


def excluding(n: int) -> str:
    text = ngettext("%(number)s excluding vote left out", "%(number)s excluding votes left out", n)
    return text % {"number": written(n, Format.COUNT)}
