"""What readers see of the conduct of a study: time, pay, the data set, second ratings, acceptance, the checklist."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reporting.record.acceptance_words import Line as AcceptanceLine
from reporting.record.acceptance_words import acceptance_lines
from reporting.report.checklist import TITLES
from reporting.report.shown.frames import Frames, Row
from reporting.report.shown.parts import criterion
from reporting.study.scores import percent
from reporting.tables.cells import PAGE, PAPER, TEXT, WIDE, Cell, Grid, Head, Line, Shown, grid, pivot, written
from reporting.tables.columns import Format

TERMS = {"yield": "first_pass", "kappa": "controllers"}  # by the key of a line of acceptance


def times(frames: Frames) -> Grid:
    """Return the quartiles of times and of answers."""
    names = {
        "judgement_seconds": Cell(_("Active seconds per answer")),
        "batch_minutes_active": Cell(_("Active minutes per batch")),
        "batch_minutes_elapsed": Cell(_("Elapsed minutes per batch")),
        "judgements_per_annotator": Cell(_("Answers per annotator")),
    }
    columns = {
        "q1": Head(_("Lower quartile"), term="lower_quartile"),
        "median": Head(_("Median"), term="median"),
        "q3": Head(_("Upper quartile"), term="upper_quartile"),
    }
    rows = [row for row in frames.rows("time_and_pay") if row.figure in names and row.part in columns]
    cells = {(row.figure, row.part): Cell(written(row.value, Format.ONE)) for row in rows}
    return pivot(_("Table of times"), _("Measure"), cells, names, columns)


def pay(frames: Frames) -> Grid:
    shown = [
        Shown(_("Currency"), "currency", TEXT),
        Shown(_("Finished batches"), "n_work"),
        Shown(_("Work"), "work"),
        Shown(_("Bonuses"), "bonus"),
        Shown(_("Corrections"), "correction"),
        Shown(pgettext("total", "Sum"), "total"),
    ]
    return frames.grid("pay", _("Table of pay"), shown)


def disagreements(frames: Frames) -> Grid:
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Disagreements"), "disagreements"),
        Shown(_("Settled by re-rating"), "re_rating"),
        Shown(_("By a trainer"), "adjudicated"),
        Shown(_("By a replacement"), "replaced"),
        Shown(pgettext("a disagreement", "Open"), "open"),
    ]
    return frames.grid("adjudication", _("Table of disagreements"), shown)


def sides(frames: Frames) -> Grid:
    """Return the sizes of the dialogues by side; `utterances` is the sum of those by side."""
    names = {
        "question": Cell(_("Asking side")),
        "answer": Cell(_("Answering side")),
        "context": Cell(_("Context")),
        "all": Cell(_("All utterances")),
    }
    columns = {
        "utterances_by_side": _("Utterances"),
        "tokens": pgettext("of a text", "Tokens"),
        "tokens_per_dialogue": _("Tokens per dialogue"),
        "tokens_per_utterance": _("Tokens per utterance"),
    }
    cells = {}
    for row in frames.rows("data_set"):
        figure, side = ("utterances_by_side", "all") if row.figure == "utterances" else (row.figure, row.part)
        if figure in columns:
            cells[side, figure] = Cell(written(row.value, Format.FIGURE if "_per_" in figure else Format.COUNT))
    return pivot(_("Table of sides"), _("Side"), cells, names, columns)


def mixes(frames: Frames) -> Iterator[Grid]:
    """Yield how many dialogues have each label, domain and topic, as far as any has one."""
    for figure, name in (("labels", _("Label")), ("domains", _("Domain")), ("topics", _("Topic"))):
        rows = frames.rows("data_set", figure=figure)
        total = sum(row.value for row in rows)
        shown = [
            Shown(name, lambda row, _frames: Cell(_("others") if row.part == "others" else row.part), TEXT),
            Shown(_("Dialogues"), lambda row, _frames: Cell(written(row.value, Format.COUNT))),
            Shown(_("Share"), lambda row, n: Cell(written(percent(row.value, n), Format.PERCENT))),
        ]
        if rows:
            yield grid(name, shown, rows, total, {})


def acceptance(frames: Frames, place: str = PAGE) -> Grid:
    """Return the numbers of batch acceptance with what they rest on: a page has it below the name of the number."""
    shown = [
        Shown(_("Measure"), _named, TEXT, where=PAGE),
        Shown("Result", lambda line, _frames: Cell(line.name), TEXT, where=PAPER),
        Shown(_("Value"), lambda line, _frames: Cell(line.value)),
        Shown("Basis", lambda line, _frames: Cell(" ".join(line.notes)), WIDE, where=PAPER),
    ]
    lines = acceptance_lines(frames.report.acceptance) if frames.report.acceptance else []
    return grid(_("Table of batch acceptance"), shown, lines, frames, {}, place)


def _named(line: AcceptanceLine, _frames: Frames) -> Cell:
    notes = [Line(" ".join(line.notes), is_long=True)] if line.notes else []
    return Cell(line.name, notes, term=TERMS.get(line.key, ""))


def checklist(frames: Frames) -> Grid:
    """Return the checklist as a paper has it; a page has a list."""

    def what(row: Row, _frames: Frames) -> Cell:
        return Cell(row.text.replace("\n", " "))

    shown = [
        Shown("Entry", lambda row, _frames: Cell(str(TITLES[row.entry])), TEXT),
        Shown("Status", "status", TEXT),
        Shown("What", what, WIDE),
    ]
    return frames.grid("checklist", "", shown)
