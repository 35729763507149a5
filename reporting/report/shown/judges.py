"""What readers see of judges beside people: the test, the human ceiling, and the scores of both together."""

from textwrap import wrap

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from parley.numbers import number
from reporting.predictions.beside import Verdict, is_shifted
from reporting.predictions.beside_labels import AGAINST, ANSWERS, MEASURES, SHIFTED, TESTS
from reporting.report.shown import parts
from reporting.report.shown.answers import of_parts
from reporting.report.shown.frames import Frames, Row
from reporting.report.shown.parts import Draw, criterion, number_of, value
from reporting.tables.cells import NOTHING, PAGE, TERMINAL, TEXT, Cell, Grid, Line, Shown, everywhere

TESTED = gettext_noop(
    "By the alternative annotator test (Calderon, Reichart and Dror 2025), a judge may replace people if it wins "
    "against half of the annotators or more. The answer depends on epsilon, by which a judge may be worse than an "
    "annotator: the authors advise .2 for experts, .15 for trained annotators and .1 for crowd workers. Its advantage "
    "probability is the share of an annotator's items on which it says what the others say at least as well. The human "
    "ceiling says how well one answer of a person tells another."
)
SCORED = gettext_noop(
    "People and judge together (PPI++, Angelopoulos, Duchi and Zrnic 2023): the mean of people, corrected by what the "
    "judge says about the items that nobody rated. It is right whatever the judge's bias, if the rated items are a "
    "random part of all. Intervals are for these annotators and new dialogues."
)
WIDEST = 26  # characters of a sentence in a cell on paper
TELLING = ("accuracy", "pearson")  # the measures of the ceiling that one table of all judges can have


def tests(frames: Frames) -> Grid:
    """Return the main table: may a judge replace people, and how it does beside the human ceiling."""
    shown = [
        Shown(_("Judge"), "name", TEXT),
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("May it replace people?"), _answer, TEXT),
        Shown(_("Winning rate"), value("winning_rate", "winning_rate_reason")),
        Shown(_("Advantage probability"), value("advantage", "advantage_reason")),
        Shown(_("Against one other answer"), _of_ceiling("by_judge")),
        Shown(_("Human ceiling"), _of_ceiling("people")),
    ]
    return frames.grid("judges", _("Table of judges"), shown)


def _answer(row: Row, frames: Frames) -> Cell:
    lines = [everywhere(_("epsilon %(epsilon)s") % {"epsilon": number(row.epsilon)})]
    score = next(iter(frames.rows("judge_scores", judge=row.judge, criterion=row.criterion, source=None)), None)
    if score and is_shifted(row.verdict, score.alone, score.together_low, score.together_high):
        lines.append(Line(_(SHIFTED), printed="\n".join(wrap(_(SHIFTED), WIDEST)), is_long=True))
    return Cell(_(ANSWERS[Verdict(row.verdict)]), lines)


def _of_ceiling(name: str) -> Draw:
    def draw(row: Row, frames: Frames) -> Cell:
        rows = frames.rows("human_ceiling", judge=row.judge, criterion=row.criterion, against="one_other")
        found = next((each for each in rows if each.measure in TELLING), None)
        if found is None:
            return NOTHING
        cell = number_of(found, name, getattr(found, f"{name}_reason"))
        return Cell(cell.text, [everywhere(_(MEASURES[found.measure])), *cell.lines], cell.title)

    return draw


def annotators(frames: Frames) -> Grid:
    shown = [
        Shown(_("Annotator"), "annotator", TEXT),
        Shown(_("Test"), lambda row, _frames: Cell(_(TESTS[row.test]) if row.test else _("too few items")), TEXT),
        Shown(_("Items"), "n_items"),
        Shown(_("Judge as good"), "advantage"),
        Shown(_("Annotator as good"), "own"),
        Shown("p", "p"),
        Shown(_("p (corrected)"), "p_corrected"),
        Shown(_("Judge wins"), _wins),
    ]
    return frames.grid("judge_annotators", "", shown)


def _wins(row: Row, _frames: Frames) -> Cell:
    return NOTHING if row.wins is None else Cell(_("yes") if row.wins else _("no"))


def ceiling(frames: Frames) -> Grid:
    shown = [
        Shown(_("Human ceiling"), _measure, TEXT),
        Shown(_("People"), value("people", "people_reason")),
        Shown(_("Judge"), value("by_judge", "by_judge_reason")),
        Shown(_("Difference"), value("difference", "difference_reason")),
    ]
    return frames.grid("human_ceiling", "", shown)


def _measure(row: Row, _frames: Frames) -> Cell:
    against = _("against %(what)s") % {"what": _(AGAINST[row.against])}
    return Cell(_(MEASURES[row.measure]), [everywhere(against)])


def score_columns() -> list[Shown]:
    return [
        Shown(_("Judge"), "name", TEXT),
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Source"), _source, TEXT),
        Shown(_("Judge alone"), value("alone", "alone_reason")),
        Shown(_("People alone"), value("people", "people_reason")),
        Shown(_("Together"), value("together", "together_reason")),
        Shown(_("Corrected rate"), _rate),
        Shown(_("Rated"), lambda row, _frames: Cell(of_parts(row.n_rated, row.n_answered))),
        Shown(_("Items next"), "further"),
    ]


def scores(frames: Frames, place: str = PAGE) -> Grid:
    """Return the means by source; the corrected rate only if some answers are 0 or 1.

    A terminal has one judge and one criterion, so it does not name them, and has a sentence on the items next.
    """
    has_rate = any(row.corrected is not None or row.sensitivity is not None for row in frames.rows("judge_scores"))
    columns = score_columns()[slice(2, -1) if place == TERMINAL else slice(None)]
    shown = [each for each in columns if has_rate or each.cell is not _rate]
    return frames.grid("judge_scores", _("Table of corrected scores"), shown, place=place)


def _source(row: Row, frames: Frames) -> Cell:
    return Cell(_("All items") if row.source is None else frames.names["sources"][row.source])


def _rate(row: Row, _frames: Frames) -> Cell:
    cell = number_of(row, "corrected", row.corrected_reason)
    if row.sensitivity is None or row.specificity is None:
        return cell
    known = {"sensitivity": number(row.sensitivity), "specificity": number(row.specificity)}
    errors = _("sensitivity %(sensitivity)s, specificity %(specificity)s") % known
    return Cell(cell.text, [*cell.lines, Line(errors, is_long=True)], cell.title)


def differences(frames: Frames) -> Grid:
    shown = [Shown(_("Sources"), parts.minus, TEXT), Shown(_("Difference"), value("difference", "difference_reason"))]
    return frames.grid("judge_differences", "", shown)
