"""Say in words what judges beside people are: for the methods, the results, and the notes below their tables."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from measures.estimate import NO_SPREAD
from parley.listing import both
from parley.numbers import number
from reporting.predictions.beside import CHANCE, CONSTANT, Verdict, is_shifted
from reporting.predictions.beside_labels import CONSTANT_ANSWER, NO_FURTHER, NO_INTERVAL, NOT_KNOWN, SHIFTED, UNDEFINED

if TYPE_CHECKING:
    from reporting.report.build import Report
    from reporting.report.judged import Figure, JudgeScore, JudgeTest

WHY = NOT_KNOWN | {
    CONSTANT: CONSTANT_ANSWER,
    CHANCE: gettext_noop("It passes the test, but it may agree with people by chance only."),
}
FOUND = {
    Verdict.YES: gettext_noop("On %(criterion)s, %(judge)s may replace people (winning rate %(rate)s)."),
    Verdict.NO: gettext_noop("On %(criterion)s, %(judge)s may not replace people (winning rate %(rate)s)."),
}
UNKNOWN = gettext_noop("On %(criterion)s, it is not known whether %(judge)s may replace people.")


def judge_methods(report: "Report") -> Iterable[str]:
    tests = report.judges.tests
    if tests:
        epsilons = both(list(dict.fromkeys(number(each.epsilon) for each in tests)))
        said = {"judges": both(list(dict.fromkeys(each.of.name for each in tests))), "epsilon": epsilons}
        yield (
            _(
                "Beside people, these judges answered: %(judges)s. By the alternative annotator test (Calderon, "
                "Reichart and Dror 2025), they may be worse than an annotator by epsilon %(epsilon)s. Corrected "
                "scores join people and judge by PPI++ (Angelopoulos, Duchi and Zrnic 2023)."
            )
            % said
        )


def judge_results(report: "Report", criteria: Mapping[str, str]) -> Iterable[str]:
    for test in report.judges.tests:
        said = {
            "criterion": criteria[test.of.criterion],
            "judge": test.of.name,
            "rate": number(test.winning_rate.value),
        }
        yield _(FOUND.get(Verdict(test.verdict), UNKNOWN)) % said
        score = score_of(test, report.judges.scores)
        if score and is_shifted(test.verdict, score.alone.value, score.together.low, score.together.high):
            means = {"own": number(score.alone.value), "corrected": number(score.together.value)}
            yield _(SHIFTED)
            yield _("Its mean is %(own)s, the corrected one %(corrected)s.") % means


def score_of(test: "JudgeTest", scores: Iterable["JudgeScore"]) -> "JudgeScore | None":
    """Return the judge's scores on all items."""
    return next((each for each in scores if each.source is None and each.of == test.of), None)


def test_notes(report: "Report") -> list[str]:
    """Return why judges may not, or are not known to be able to, replace people: each reason once."""
    rows = report.judges.tests
    return [
        f"{both([each.of.name for each in rows if each.reason == reason])}: {_(WHY[reason])}"
        for reason in dict.fromkeys(each.reason for each in rows)
        if reason in WHY
    ]


def score_notes(report: "Report") -> list[str]:
    """Return why numbers and intervals are missing from the table of scores: each reason of a column once."""
    rows = report.judges.scores
    columns: dict[str, list[Figure]] = {
        _("Judge alone"): [each.alone for each in rows],
        _("People alone"): [each.people for each in rows],
        _("Together"): [each.together for each in rows],
        _("Corrected rate"): [each.corrected for each in rows],
    }
    notes = [(name, why) for name, figures in columns.items() for each in figures if (why := _why(each))]
    no_further = (
        NO_FURTHER.get(each.further_reason or "", NO_FURTHER[NO_SPREAD]) for each in rows if each.further is None
    )
    notes += [(_("Items next"), _(each)) for each in no_further]
    return [
        pgettext("a note below a table", "%(column)s: %(why)s") % {"column": name, "why": why.rstrip(".") + "."}
        for name, why in dict.fromkeys(notes)
    ]


def _why(figure: "Figure") -> str:
    if figure.value is None:
        return _(UNDEFINED[figure.reason]) if figure.reason in UNDEFINED else ""
    return _(NO_INTERVAL[figure.note]) if figure.note in NO_INTERVAL else ""
