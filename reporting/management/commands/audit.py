"""`manage.py audit HUMANS JUDGE` compares a judge with people, without a database."""

import json
from argparse import ArgumentTypeError
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.core.management.base import CommandError, CommandParser

from measures.estimate import NO_SPREAD, NO_VARIATION, TOO_FEW_ITEMS, Estimate
from measures.intervals import RARE_ANSWERS, UNRELIABLE
from measures.machines.alternative import EPSILON, SMALL_SAMPLE, TOO_FEW_ANNOTATORS
from measures.machines.corrected import CLIPPED, NOT_BINARY, NOT_TOLD_FROM_CHANCE, WEAK_JUDGE
from measures.machines.powered import JUDGE_IS_THE_LIMIT, NO_LABELS, TOO_FEW_JUDGED, powered_difference
from measures.machines.systems import TOO_FEW_SOURCES
from parley.numbers import number
from reporting.audited_file import SCALES, Audit, AuditColumns, AuditScale, audit_files
from reporting.file_command import FileCommand, printed, wrapped
from reporting.file_options import Missing, add_missing, add_where, counted, words
from reporting.offline import UnreadableRatings
from reporting.report.judged import Scored
from reporting.report.shown import judges
from reporting.report.shown.of_files import frames_of_audit
from reporting.tables.cells import TERMINAL, TEXT, Grid, Shown, grid
from reporting.tables.columns import Format

HELP = """How a judge, such as a language model, compares with people. HUMANS has one row per rating, JUDGE one row per
item, with the same names of columns; --cluster and --source may be in either file. Any table that pandas reads.

The alternative annotator test (Calderon, Reichart and Dror 2025) leaves out each annotator in turn and asks whether the
judge says what the others say at least as well, less epsilon; items need three ratings. The human ceiling compares
each vote with one other, and with the rest. Means join the judge on all items with people on a part (PPI++), and for
answers of 0 and 1 the judge's rate is corrected for its errors (Rogan and Gladen 1978). Means need numbers: yes and no,
or words of which --positive names those that count as 1.

Intervals are 95 %, clustered by conversation (--cluster; without it each item is one of its own), for these annotators.
Needs no database."""
WHY = {
    NO_VARIATION: "one side gave one answer only",
    TOO_FEW_ITEMS: "too few items with enough ratings and an answer of the judge",
    TOO_FEW_ANNOTATORS: "no item with an answer of the judge has three ratings",
    NO_LABELS: "people rated none of the items that the judge answered",
    NOT_BINARY: "the answers are not all 0 or 1: name those that count as 1 with --positive",
    WEAK_JUDGE: "sensitivity and specificity of the judge are together 1 or less, as by chance",
    TOO_FEW_SOURCES: "fewer than two sources have ratings and answers of the judge",
    "no_numbers": "not all answers are numbers: name those that count as 1 with --positive",
}
# Why a value has no interval, or what to think of it.
NOTES = {
    TOO_FEW_ITEMS: "fewer than 10 conversations: no interval",
    UNRELIABLE: "fewer than 20 conversations: the interval may be too narrow",
    NOT_TOLD_FROM_CHANCE: "the judge may be no better than chance: no interval",
    NO_SPREAD: "all or nearly all resamples give the same value: no interval",
    RARE_ANSWERS: "rare answers: no interval",
    CLIPPED: "outside of 0 to 1: put at the end",
    SMALL_SAMPLE: "an annotator has fewer than 30 items: Wilcoxon's test is easily won there, so collect more ratings",
}
NO_FURTHER = {
    JUDGE_IS_THE_LIMIT: "no number (the judge's part alone is too wide: let it answer more items)",
    TOO_FEW_JUDGED: "no number (the judge answered too few items: let it answer more)",
}
TOGETHER = "Differences of the sources, by people and judge together (PPI++)"
WIDEST = "People and judge differ most on"
GAP_FORMATS = {"item": Format.TEXT, "gap": Format.FIGURE, "spread": Format.FIGURE, "n_ratings": Format.COUNT}
FOR_WHOM = "Intervals are 95 %, each by itself, for new conversations like these, but for these annotators only."
SHOWN_GAPS = 10


class Command(FileCommand):
    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("humans", type=Path, metavar="HUMANS", help="ratings of people, one a row")
        parser.add_argument("judge", type=Path, metavar="JUDGE", help="answers of the judge, one a row")
        parser.add_argument("--item", required=True, metavar="COL", help="what was rated")
        parser.add_argument("--annotator", required=True, metavar="COL", help="who rated; not in JUDGE")
        parser.add_argument("--value", required=True, metavar="COL", help="the answer")
        parser.add_argument(
            "--epsilon", type=share, default=EPSILON, metavar="E",
            help="how much worse the judge may be: .2 beside experts, .15 (default), .1 beside a crowd",
        )  # fmt: skip
        parser.add_argument("--scale", choices=SCALES, default="nominal", help="accuracy, or root mean square error")
        parser.add_argument("--cluster", metavar="COL", help="the conversation of the item; default: the item itself")
        parser.add_argument("--source", metavar="COL", help="also means by source, and their order")
        parser.add_argument(
            "--positive", type=words, default=(), metavar="ANSWER,...", help="answers that count as 1, all others as 0"
        )
        add_where(parser)
        add_missing(parser)
        parser.add_argument("--json", action="store_true", help="full precision")

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("item", "annotator", "value", "cluster", "source")
        columns = AuditColumns(**{name: options[name] for name in names}, where=tuple(options["where"]))
        scale = AuditScale(options["scale"], options["positive"], Missing(options["missing"]))
        try:
            found = audit_files(options["humans"], options["judge"], columns, scale, epsilon=options["epsilon"])
        except UnreadableRatings as error:
            raise CommandError(str(error)) from error
        for warning in found.warnings:
            self.stderr.write(f"Warning: {warning}")
        self.stdout.write(as_json(found) if options["json"] else as_text(found))


def share(text: str) -> float:
    """Read a number from 0 to 1 of a command line."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return found


# JSON


def as_json(found: Audit) -> str:
    """Return one object; an undefined number is null, and `reasons` says why."""
    whole = found.means[0] if found.means else None
    fields = {
        "alt_test": _alternative_fields(found),
        "corrected": _corrected_fields(whole),
        "ppi": _powered_fields(whole),
        "advantage": _fields(found.alternative.advantage),
        "ceiling": [
            {"against": each.against, "measure": each.measure, "people": _fields(each.people),
             "judge": _fields(each.judge), "difference": _fields(each.difference),
             "n_items": each.people.n_items, "n_ratings": each.people.n_ratings}
            for each in found.ceiling
        ],
        "further_items": whole.powered.further.n if whole else None,
        "sources": [
            {"source": each.source, "people": _fields(each.powered.people), "ppi": _powered_fields(each),
             "corrected": _corrected_fields(each)}
            for each in (found.means or [])[1:]
        ],
        "differences": [
            {"a": first.source, "b": second.source, **_fields(difference)}
            for first, second, difference in _differences(found)
        ],
        "systems": _systems_fields(found),
        "gaps": _gap_fields(found),
        "reasons": _reasons(found),
        "caution": _caution(found),
        "warnings": list(found.warnings),
    }  # fmt: skip
    return json.dumps(fields, indent=2, allow_nan=False, ensure_ascii=False)


def _gap_fields(found: Audit) -> list[dict[str, Any]]:
    return [
        {"item": found.items[each.item], "gap": each.gap, "spread": each.spread, "n_ratings": each.n_votes}
        for each in found.gaps
    ]


def _fields(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def _alternative_fields(found: Audit) -> dict[str, Any]:
    test = found.alternative
    return {
        "epsilon": test.epsilon,
        "winning_rate": test.winning_rate.value,
        "advantage_probability": test.advantage.value,
        "passes": test.passes,
        "annotators": [
            {
                "annotator": found.annotators[each.annotator],
                "advantage_probability": each.advantage.value,
                "own_probability": each.own,
                "n_items": each.advantage.n_items,
                "test": each.test,
                "p": each.p_value,
                "p_adjusted": each.adjusted_p,
                "wins": each.is_won,
            }
            for each in test.annotators
        ],
    }


def _caution(found: Audit) -> str | None:
    """Return what the test does not see although it is passed: answers by chance, or few answers of another kind."""
    telling = found.telling
    if not found.alternative.passes:
        return None
    if not telling.is_told_from_chance:
        return (
            f"The judge may agree with people by chance only: kappa or correlation with one other vote "
            f"{_shown(telling.beyond_chance)}. It gives the same answer to {telling.n_same:,} of "
            f"{counted(telling.n_items, 'rated item')}, and the test cannot tell it from a constant."
        )
    if telling.is_lopsided:
        return (
            f"{telling.n_votes - telling.n_rare:,} of people's {telling.n_votes:,} answers are the same, so the test "
            f"says little about the other {telling.n_rare:,}. The judge matches {telling.n_matched:,} of these."
        )
    return None


def _powered_fields(means: Scored | None) -> dict[str, Any]:
    if means is None:
        return dict.fromkeys(("estimate", "low", "high", "n_labelled", "n_all"))
    found = means.powered.estimate
    return {
        "estimate": found.value,
        "low": found.low,
        "high": found.high,
        "n_labelled": found.n_items,
        "n_all": found.n_ratings,
    }


def _corrected_fields(means: Scored | None) -> dict[str, Any]:
    found = means.corrected if means else None
    if found is None:
        return dict.fromkeys(("estimate", "low", "high", "sensitivity", "specificity", "judged"))
    return {
        "estimate": found.estimate.value,
        "low": found.estimate.low,
        "high": found.estimate.high,
        "sensitivity": found.sensitivity,
        "specificity": found.specificity,
        "judged": found.judged,
    }


def _systems_fields(found: Audit) -> dict[str, Any] | None:
    if found.systems is None:
        return None
    return {"kendall": _fields(found.systems.kendall), "pairwise_accuracy": _fields(found.systems.pairwise_accuracy)}


def _reasons(found: Audit) -> dict[str, str]:
    """Return why a part has no number, or why its interval is missing or marked."""
    parts = {"alt_test": found.alternative.winning_rate, "advantage": found.alternative.advantage}
    parts |= {f"ceiling, {each.against}, {each.measure}": each.people for each in found.ceiling}
    if found.systems:
        parts |= {"kendall": found.systems.kendall, "pairwise_accuracy": found.systems.pairwise_accuracy}
    if found.means is None:
        return {name: said for name, each in parts.items() if (said := _why(each))} | dict.fromkeys(
            ("ppi", "corrected"), WHY["no_numbers"]
        )
    for each in found.means:
        of_source = f", {each.source}" if each.source is not None else ""
        parts[f"ppi{of_source}"] = each.powered.estimate
        if each.corrected:
            parts[f"corrected{of_source}"] = each.corrected.estimate
    return {name: said for name, each in parts.items() if (said := _why(each))}


def _why(estimate: Estimate) -> str:
    if estimate.reason:
        return WHY.get(estimate.reason, estimate.reason)
    notes = [*([estimate.interval_note] if estimate.interval_note else []), *estimate.warnings]
    return "; ".join(NOTES.get(each, each) for each in notes)


def _differences(found: Audit) -> list[tuple[Scored, Scored, Estimate]]:
    sources = (found.means or [])[1:]
    return [
        (first, second, powered_difference(first.powered, second.powered)) for first, second in combinations(sources, 2)
    ]


# Text


def as_text(found: Audit) -> str:
    frames = frames_of_audit(found)
    blocks = [_sizes(found), printed(judges.annotators(frames)), _alternative_text(found)]
    blocks += [printed(judges.ceiling(frames)), _ceiling_text(found)]
    if found.means:
        blocks += [printed(judges.scores(frames, TERMINAL)), *_further_text(found.means[0])]
    if frames.rows("judge_differences"):
        blocks.append(f"{TOGETHER}\n{printed(judges.differences(frames))}")
    blocks += [*_systems_text(found), FOR_WHOM]
    if found.gaps:
        blocks.append(f"{WIDEST}\n{printed(_gaps(found))}")
    if reasons := _reasons(found):
        blocks.append("Notes:\n" + "\n".join(f"  {name}: {said}" for name, said in reasons.items()))
    return "\n\n".join(blocks)


def _sizes(found: Audit) -> str:
    judged = found.judged
    rated = judged.rated_by(1)
    clusters = counted(len(set(judged.cluster.tolist())), "conversation")
    return wrapped(
        f"{counted(len(judged.value), 'rating')} by {counted(len(found.annotators), 'annotator')}; the judge answered "
        f"{counted(int((judged.judge == judged.judge).sum()), 'item')}, of which people rated {rated.n_items:,}; "
        f"{clusters}."
    )


def _alternative_text(found: Audit) -> str:
    test = found.alternative
    if test.winning_rate.value is None:
        said = f"Alternative annotator test: none, because {_why(test.winning_rate)}."
    else:
        said = (
            f"Alternative annotator test: {'passed' if test.passes else 'not passed'}. Winning rate "
            f"{number(test.winning_rate.value)} with epsilon {test.epsilon:g} (.5 passes); average advantage "
            f"probability {_shown(test.advantage)}."
        )
    if caution := _caution(found):
        said += f" Caution: {caution}"
    return wrapped(said)


def _ceiling_text(found: Audit) -> str:
    first = found.ceiling[0].people
    return wrapped(
        f"Human ceiling: {counted(first.n_items, 'item')} with two ratings or more and an answer of the judge, "
        f"{counted(first.n_ratings, 'rating')}; {counted(first.n_left_out, 'item')} left out. Each item counts once."
    )


def _further_text(whole: Scored) -> list[str]:
    further = whole.powered.further
    if further.n is None and further.reason not in NO_FURTHER:
        return []
    n = f"{further.n:,}" if further.n is not None else NO_FURTHER[further.reason or ""]
    return [wrapped(f"Further items that people must rate to halve the interval of the mean: {n}.")]


def _systems_text(found: Audit) -> list[str]:
    if found.systems is None:
        return []
    return [wrapped(
        f"Order of the sources by people and by the judge: Kendall's tau {_shown(found.systems.kendall)}, pairwise "
        f"accuracy {_shown(found.systems.pairwise_accuracy)}."
    )]  # fmt: skip


def _gaps(found: Audit) -> Grid:
    shown = [
        Shown("Item", "item", TEXT),
        Shown("Gap", "gap"),
        Shown("Among people", "spread"),
        Shown("Answers", "n_ratings"),
    ]
    rows = [SimpleNamespace(**each) for each in _gap_fields(found)[:SHOWN_GAPS]]
    return grid("", shown, rows, None, GAP_FORMATS)


def _shown(found: Estimate) -> str:
    if found.value is None:
        return f"- ({found.reason})"
    return f"{number(found.value)}" + ("" if found.low is None else f" [{number(found.low)}, {number(found.high)}]")
