"""`manage.py agreement FILE.csv` prints the agreement in a ratings file, without a database."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from measures.estimate import Estimate
from measures.further import ORDERED_OF_ANNOTATORS, ORDERED_OF_PATTERNS
from measures.intervals import Interval
from reporting.file_command import GAP, WIDTH, FileCommand, aligned, wrapped
from reporting.file_options import Missing, add_missing, add_where, words
from reporting.offline import (
    COEFFICIENTS,
    SCALES,
    Columns,
    FileAgreement,
    GroupAgreement,
    Scale,
    UnreadableRatings,
    agreement_of_file,
)

COUNTS = ("n_items", "n_ratings", "n_annotators")
ORDERED = {*ORDERED_OF_PATTERNS, *ORDERED_OF_ANNOTATORS}
NEW_ANNOTATORS = {"fleiss_kappa": "fleiss_new_annotators", "krippendorff_alpha": "alpha_new_annotators"}

# What the codes of values and of intervals mean.
MEANINGS = {
    "no_ratings": "there are no answers",
    "no_pairs": "no item was rated by more than one annotator",
    "no_variation": "everybody gave the same answer, so agreement cannot be told from chance",
    "one_category": "there is only one answer",
    "no_spread": "the items are all alike, so there is no interval",
    "too_few_items": "no interval with fewer than 10 items",
    "rare_answers": "no interval: one answer has more than nine tenths of the votes, with fewer than 100 items",
    "unreliable": "with so few items or annotators, the interval is rough",
    "unstable_bootstrap": "no interval: too many resamples were undefined",
    "few_annotators": "no interval for new annotators with fewer than 3 annotators",
    "few_groups": "no interval for new annotators with so few items",
    "no_standard_error": "no interval: its standard error is undefined",
}

HELP = """Agreement of the ratings in a CSV file (.csv or .csv.gz, one row per rating, header row).

Fleiss kappa, Gwet AC1, mean pairwise agreement and the mean of Cohen's kappa over pairs of annotators treat
the answers as nominal whatever the scale; --scale is the level of Krippendorff's alpha. An ordinal or
interval scale adds the mean of Cohen's weighted kappa, with linear and with quadratic weights, and (in the
JSON, or with --coefficients) AC2 and Brennan-Prediger with quadratic weights, intraclass correlations, means
of Pearson's and Spearman's correlation over pairs and, without negative values, alpha for a ratio scale. Empty
values are missing votes. Without --values the declared answers are those that occur, per criterion.

Intervals are 95%: Gwet's standard error with t; for alpha and the further coefficients the item bootstrap
(fixed seed); for mean Cohen a jackknife over items. Correlations and ICC(A,1) and ICC(C,1) have none.
Intervals are left out where they would mislead: below 10 items, below 100 when the rarer answers make up less
than 10%, or when all items are alike. They hold for these annotators and new items; the columns
*_new_annotators have intervals for new annotators too (two-way jackknife). Needs no database."""
# Without this pattern of negative numbers, argparse takes '-2,-1,0' for an unknown option.
NEGATIVE_NUMBERS = re.compile(r"^-[\d.][-\d.,\s]*$")


class Command(FileCommand):
    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser._negative_number_matcher = NEGATIVE_NUMBERS
        parser.add_argument("file", type=Path, metavar="FILE.csv")
        parser.add_argument(
            "--item", required=True, type=words, action="extend", metavar="COL,...",
            help="what was rated; several columns name it together, such as dialogue,source",
        )  # fmt: skip
        parser.add_argument("--annotator", required=True, metavar="COL", help="who rated")
        parser.add_argument("--value", required=True, metavar="COL", help="the answer")
        parser.add_argument("--criterion", metavar="COL", help="one result per criterion, each with its answers")
        parser.add_argument("--by", type=words, default=(), metavar="COL,...", help="one result per combination")
        add_where(parser)
        parser.add_argument("--scale", choices=SCALES, default="nominal", help="level of alpha and weighted kappa")
        parser.add_argument(
            "--values",
            type=words,
            default=(),
            metavar="V,...",
            help="declared answers in order, used or not",
        )
        parser.add_argument(
            "--leave-out",
            type=words,
            default=(),
            metavar="V,...",
            help="answers that count as missing votes",
        )
        add_missing(parser)
        parser.add_argument(
            "--coefficients",
            type=words,
            default=(),
            metavar="C,...",
            help="columns of the table, in order; 'all' has those for ordered answers too, as the JSON always does",
        )
        parser.add_argument("--json", action="store_true", help="a JSON list instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("annotator", "value", "criterion", "by")
        columns = Columns(
            tuple(options["item"]), **{name: options[name] for name in names}, where=tuple(options["where"])
        )
        taken = {*COUNTS, *COEFFICIENTS, "new_annotators", *(["criterion"] if columns.criterion else [])} - {
            columns.criterion
        }
        if clash := taken & set(columns.by):
            raise CommandError(f"--by {', '.join(sorted(clash))}: the result has fields of that name")
        scale = Scale(options["scale"], options["values"], options["leave_out"])
        try:
            found = agreement_of_file(options["file"], columns, scale, Missing(options["missing"]))
        except UnreadableRatings as error:
            raise CommandError(str(error)) from error
        for warning in found.warnings:
            self.stderr.write(f"Warning: {warning}")
        if options["json"]:
            self.stdout.write(as_json(found, columns))
        else:
            chosen = _chosen(found, options["coefficients"])
            self.stdout.write("\n\n".join(filter(None, [as_table(found, columns, chosen), as_notes(found, chosen)])))


def _chosen(found: FileAgreement, wanted: Sequence[str]) -> list[str]:
    """Return the coefficients of the table; raises CommandError for one that this scale does not have."""
    known = [name for name in COEFFICIENTS if any(name in group.coefficients for group in found.groups)]
    if wanted == ("all",):
        return known
    if unknown := [name for name in wanted if name not in known]:
        raise CommandError(f"--coefficients {', '.join(unknown)}: with this scale there are {', '.join(known)}")
    return list(wanted) or [name for name in known if name not in ORDERED]


def as_json(found: FileAgreement, columns: Columns) -> str:
    """Return a JSON list with one object per group; an undefined number is null with a reason."""
    rows = [
        _labels(group, columns)
        | {name: getattr(group, name) for name in COUNTS}
        | {name: _fields(estimate) for name, estimate in group.coefficients.items()}
        | {"new_annotators": {name: _ends(interval) for name, interval in group.new_annotators.items()}}
        | {"fleiss_kappa_by_answer": {answer: _fields(estimate) for answer, estimate in group.by_answer.items()}}
        for group in found.groups
    ]
    return json.dumps(rows, indent=2, allow_nan=False, ensure_ascii=False)


def _labels(group: GroupAgreement, columns: Columns) -> dict[str, str]:
    names = (*columns.by, "criterion") if columns.criterion else columns.by
    return dict(zip(names, group.key, strict=True))


def _fields(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "reason": estimate.reason,
        "low": estimate.low,
        "high": estimate.high,
        "interval_note": estimate.interval_note,
    }


def _ends(interval: Interval) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "interval_note": interval.note}


def _limits(interval: Interval | None) -> str:
    if interval is None or interval.low is None or interval.high is None:
        return f"({interval.note})" if interval else "-"
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def as_table(found: FileAgreement, columns: Columns, coefficients: Sequence[str]) -> str:
    """Return an aligned table, with labels to the left and numbers to the right.

    A table that is too wide for a terminal continues below, with the labels again.
    """
    labels = list(_labels(found.groups[0], columns))
    lines = [[*labels, *COUNTS, *coefficients, *NEW_ANNOTATORS.values()]]
    for group in found.groups:
        counts = [str(getattr(group, name)) for name in COUNTS]
        new = [_limits(group.new_annotators.get(name)) for name in NEW_ANNOTATORS]
        lines.append(
            [
                *_labels(group, columns).values(),
                *counts,
                *(_cell(group.coefficients.get(name)) for name in coefficients),
                *new,
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    blocks = [[*range(len(labels)), *places] for places in _blocks(widths, len(labels))]
    return "\n\n".join(aligned([[line[at] for at in places] for line in lines], len(labels)) for places in blocks)


def as_notes(found: FileAgreement, coefficients: Sequence[str]) -> str:
    """Return what each code of the table means, and why a column has only a dash."""
    shown = [each.coefficients[name] for each in found.groups for name in coefficients if name in each.coefficients]
    new = [interval for group in found.groups for interval in group.new_annotators.values()]
    codes = [code for each in shown for code in (each.reason, each.interval_note)] + [each.note for each in new]
    lines = [f"{code}: {MEANINGS[code]}" for code in dict.fromkeys(codes) if code in MEANINGS]
    if any(len(group.new_annotators) < len(NEW_ANNOTATORS) for group in found.groups):
        lines.append("-: without an interval for these annotators, there is none for new annotators")
    return "\n".join(wrapped(line) for line in lines)


def _blocks(widths: Sequence[int], n_labels: int) -> list[list[int]]:
    """Return the places of the columns of numbers in each block, as many as there is room for beside the labels."""
    labels = sum(width + len(GAP) for width in widths[:n_labels])
    blocks: list[list[int]] = []
    room = 0
    for at in range(n_labels, len(widths)):
        room -= widths[at] + len(GAP)
        if room < 0 or not blocks:
            blocks.append([])
            room = WIDTH - labels - widths[at]
        blocks[-1].append(at)
    return blocks


def _cell(estimate: Estimate | None) -> str:
    if estimate is None:  # not for the scale of this criterion
        return "-"
    if estimate.value is None:
        return f"- ({estimate.reason})"
    interval = "" if estimate.low is None else f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    note = f" ({estimate.interval_note})" if estimate.interval_note else ""
    return f"{estimate.value:.3f}{interval}{note}"
