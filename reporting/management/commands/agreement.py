"""`manage.py agreement FILE.csv` prints the agreement in a ratings file, without a database."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from measures.estimate import Estimate
from measures.further import ORDERED_OF_ANNOTATORS, ORDERED_OF_PATTERNS
from measures.intervals import Interval
from reporting.file_command import FileCommand, printed, wrapped
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
from reporting.report.further import WORDS
from reporting.report.shown import agreement
from reporting.report.shown.frames import Frames
from reporting.report.shown.of_files import OVERALL, frames_of_agreement
from reporting.tables.cells import Cell, Grid, Shown, written
from reporting.tables.columns import Format

COUNTS = ("n_items", "n_ratings", "n_annotators")
ORDERED = {*ORDERED_OF_PATTERNS, *ORDERED_OF_ANNOTATORS}

# What the codes of values and of intervals mean.
MEANINGS = {
    "no_ratings": "there are no answers",
    "no_pairs": "no item was rated by more than one annotator",
    "no_variation": "everybody gave the same answer, so agreement cannot be told from chance",
    "one_category": "there is only one answer",
    "no_spread": "no interval, because the items are all alike",
    "too_few_items": "no interval with fewer than 10 items",
    "rare_answers": "no interval: one answer has more than nine tenths of the votes, with fewer than 100 items",
    "unreliable": "with so few items or annotators, the interval (†) is rough",
    "unstable_bootstrap": "no interval: too many resamples were undefined",
    "few_annotators": "no interval for new annotators with fewer than 3 annotators",
    "few_groups": "no interval for new annotators with so few items",
    "no_standard_error": "no interval: its standard error is undefined",
}
FOR_WHOM = "Intervals are 95 %, for these annotators and new items like these."
NEW_ANNOTATORS = "Intervals for new annotators too (two-way jackknife)"

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
than 10%, or when all items are alike. They hold for these annotators and new items; a table of
its own has intervals for new annotators too (two-way jackknife). Needs no database."""
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
            help="those that the tables have; 'all' has those for ordered answers too, as the JSON always does",
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
            self.stdout.write(as_text(found, columns, chosen, scale.level))


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


def as_text(found: FileAgreement, columns: Columns, wanted: Sequence[str], scale: str) -> str:
    """Return the tables of the report with a row or column for each group, and below them what they rest on."""
    names = [", ".join(group.key) or columns.value for group in found.groups]
    frames = frames_of_agreement(found, names, scale, wanted)
    new, further = agreement.for_new_annotators(frames), agreement.further(frames)
    return "\n\n".join(
        [
            printed(_overall(found, frames, wanted)),
            *([printed(further)] if further.lines else []),
            *([f"{NEW_ANNOTATORS}\n{printed(new)}"] if new.lines else []),
            "\n".join(map(wrapped, [*_for_whom(found), *_notes(found, wanted)])),
        ]
    )


def _for_whom(found: FileAgreement) -> list[str]:
    has_interval = any(each.low is not None for group in found.groups for each in group.coefficients.values())
    return [FOR_WHOM] if has_interval else []


def _overall(found: FileAgreement, frames: Frames, wanted: Sequence[str]) -> Grid:
    """Return the wanted columns of the report, and beside the items how many answers from how many people there are."""

    def count(name: str) -> Callable[[Any, Frames], Cell]:
        return lambda row, _frames: Cell(written(getattr(found.groups[int(row.criterion)], name), Format.COUNT))

    known = {each.term: each for each in agreement.overall_columns()}
    chosen = [known[term] for name, term in OVERALL.items() if name in wanted]
    counts = [
        known["agreement_items"],
        Shown("Answers", count("n_ratings")),
        Shown("Annotators", count("n_annotators")),
    ]
    return frames.grid("overall", "", [known[""], *counts, *chosen])


def _notes(found: FileAgreement, wanted: Sequence[str]) -> list[str]:
    """Return why a value or an interval is missing or marked, and of which coefficients."""
    names = {each.term: str(each.heading) for each in agreement.overall_columns()}
    said: dict[str, dict[str, None]] = {}
    for group in found.groups:
        for name in (each for each in wanted if each in group.coefficients):
            estimate, new = group.coefficients[name], group.new_annotators.get(name)
            for code in (estimate.reason, estimate.interval_note, new.note if new else None):
                if code in MEANINGS:
                    said.setdefault(code, {})[WORDS[name][0] if name in WORDS else names[OVERALL[name]]] = None
    return [f"{'; '.join(of)}: {MEANINGS[code]}." for code, of in said.items()]
