"""`manage.py compare FILE` compares the sources in a ratings file, without a database."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from measures.estimate import Estimate
from measures.intervals import UNRELIABLE
from measures.mixed.sources import BEYOND_SCALE, BY_MODEL, FEWEST_OF_RARER_ANSWER, RARE_ANSWER, SourceComparison
from measures.mixed.words import shared_sentence, taste_sentence, unequal_sentence
from measures.ordinal.odds import NO_VARIATION, NOT_CONVERGED, SEPARATED, TOO_LARGE, CumulativeFit
from reporting.file_command import PLAIN, FileCommand, aligned, printed, wrapped
from reporting.file_options import Missing, add_missing, add_where, counted, ends, words
from reporting.file_scores import SCALES, Scoring
from reporting.offline import UnreadableRatings
from reporting.offline_sources import CriterionSources, SourceColumns, compare_file
from reporting.report.model_words import withheld
from reporting.report.shown import sources
from reporting.report.shown.frames import Frames
from reporting.report.shown.of_files import NO_CRITERION, frames_of_comparison
from reporting.report.shown.parts import mean_ends
from reporting.tables.cells import TERMINAL, TEXT, Cell, Grid, Shown, written
from reporting.tables.columns import Format

HELP = """Means of the sources in a ratings file and all their differences (one row per rating, header row; CSV, TSV,
packed or not, XLSX, Parquet, JSON Lines or another table that pandas reads).

A linear mixed model with crossed random effects of annotators and conversations, each also by source, and of items, on
all ratings, for any design: gaps, overlapping teams, several turns, a source for each conversation. Intervals are 95 %,
for new annotators and new conversations. Effects that the design cannot tell apart are left out and named. Binary
answers (0 and 1, yes and no) are compared as shares, and so are words of which --positive names those that count as 1.

An export of Parley (long-csv) has item, conversation, source, annotator, criterion, value and role: --role role scores
its answers as the report does. Needs no database."""
ODDS = ("odds of a higher answer", "ratio", "95 % interval", "p", "p (Holm)")
CHECK = "The check compares plain means, with errors clustered by annotator and conversation."
FOR_WHOM = "Intervals are 95 %, each by itself, for new annotators and new conversations like these"
BEYOND_SCALE_MEANS = "† Beyond the scale: the model estimates a mean outside of the scale; the end is shown instead."
RARE_ANSWER_MEANS = (
    f"† Rare answer: fewer than {FEWEST_OF_RARER_ANSWER} answers of a source are 1, or fewer than "
    f"{FEWEST_OF_RARER_ANSWER} are 0; its intervals can be far too narrow."
)
UNRELIABLE_MEANS = "† Few data: with fewer than 3 annotators or 10 conversations, an interval may be too narrow."
MARKS = {UNRELIABLE: UNRELIABLE_MEANS, RARE_ANSWER: RARE_ANSWER_MEANS, BEYOND_SCALE: BEYOND_SCALE_MEANS}
# Why there are no odds ratios.
NO_ODDS = {
    NO_VARIATION: "only one answer occurs",
    SEPARATED: "a source has only the highest or only the lowest answer, so its odds have no bound; the differences of "
    "means above hold all the same",
    NOT_CONVERGED: "the search for the best fit did not end",
    TOO_LARGE: "the design is too large for this model",
}


class Command(FileCommand):
    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--item", required=True, metavar="COL", help="what was rated; several sources may share it")
        parser.add_argument("--source", required=True, metavar="COL", help="what is compared")
        parser.add_argument("--annotator", required=True, metavar="COL", help="who rated")
        parser.add_argument("--value", required=True, metavar="COL", help="the answer: a number, or yes and no")
        parser.add_argument("--conversation", metavar="COL", help="to which the item belongs; default: the item itself")
        parser.add_argument("--criterion", metavar="COL", help="one comparison per criterion")
        add_where(parser)
        add_missing(parser)
        words_are = parser.add_mutually_exclusive_group()
        words_are.add_argument(
            "--positive", type=words, default=(), metavar="ANSWER,...", help="answers that count as 1, all others as 0"
        )
        words_are.add_argument(
            "--role", metavar="COL",
            help="role of the answer in an export of Parley: scored by number without the unsure, otherwise positive "
            "1, excluding missing, others 0",
        )  # fmt: skip
        parser.add_argument("--scale", choices=SCALES, help="default: binary if all answers are 0 or 1, else interval")
        parser.add_argument(
            "--ends", type=ends, default=(-math.inf, math.inf), metavar="LOW,HIGH",
            help="the lowest and the highest number of the scale, where intervals of means stop",
        )  # fmt: skip
        parser.add_argument(
            "--odds-ratios", action="store_true",
            help="also a cumulative-link mixed model, for ordered answers; a quarter of a minute for 35,000 ratings",
        )  # fmt: skip
        parser.add_argument("--json", action="store_true", help="full precision")

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("item", "source", "annotator", "value", "conversation", "criterion")
        columns = SourceColumns(**{name: options[name] for name in names}, where=tuple(options["where"]))
        missing = Missing(options["missing"])
        scoring = Scoring(options["scale"], options["positive"], options["role"], missing, options["ends"])
        try:
            found = compare_file(options["file"], columns, scoring, has_odds=options["odds_ratios"])
        except UnreadableRatings as error:
            raise CommandError(str(error)) from error
        for each in found:
            for warning in each.warnings:
                self.stderr.write(f"Warning: {_titled(each.criterion, warning)}")
        present = as_json if options["json"] else as_text
        self.stdout.write(present(found))


def as_json(found: list[CriterionSources]) -> str:
    """Return one object with all criteria; an undefined number is null."""
    criteria = [_fields(each.criterion, each.sources, each.found, each) for each in found]
    return json.dumps({"criteria": criteria}, indent=2, allow_nan=False, ensure_ascii=False)


def _fields(
    criterion: str | None, names: tuple[str, ...], found: SourceComparison, said: CriterionSources
) -> dict[str, Any]:
    return {
        "criterion": criterion,
        "means": [
            {
                "source": names[each.source],
                "mean": each.estimate.value,
                "low": each.estimate.low,
                "high": each.estimate.high,
                "n": each.estimate.n_ratings,
                "plain_mean": plain,
                "standard_error": each.estimate.standard_error,
                "df": each.degrees_of_freedom,
                "note": each.estimate.interval_note,
            }
            for each, plain in zip(found.means, said.plain_means, strict=True)
        ],
        "differences": [
            {
                "a": names[each.first],
                "b": names[each.second],
                "difference": each.estimate.value,
                "low": each.estimate.low,
                "high": each.estimate.high,
                "p": each.p_value,
                "p_holm": each.adjusted_p,
                "df": each.degrees_of_freedom,
                "standard_error": each.estimate.standard_error,
                "effect_size": each.effect,
                "note": each.estimate.interval_note,
                "annotators": None if each.shared is None else asdict(each.shared),
            }
            for each in found.differences
        ],
        "method": said.method,
        "left_out": list(said.left_out),
        "n_ratings": found.n_ratings,
        "checks": [
            {
                "a": names[each.first],
                "b": names[each.second],
                "difference": each.estimate.value,
                "low": each.estimate.low,
                "high": each.estimate.high,
                "standard_error": each.estimate.standard_error,
                "df": each.degrees_of_freedom,
            }
            for each in found.checks
        ],
        "variances": [
            {"effect": name, "sd": each.sd, "variance": each.sd**2, "n_groups": each.n_groups}
            for name, each in said.variances
        ],
        "warnings": [*said.warnings, *_cautions(found, names)],
        **({"odds_ratios": _odds_fields(names, said.odds)} if said.odds else {}),
    }


def _odds_fields(names: tuple[str, ...], odds: CumulativeFit) -> dict[str, Any]:
    return {
        "pairs": [
            {
                "a": names[each.first],
                "b": names[each.second],
                "odds_ratio": each.ratio,
                "low": each.low,
                "high": each.high,
                "p": each.p_value,
                "p_holm": each.adjusted_p,
            }
            for each in odds.pairs
        ],
        "sds": odds.effects,
        "reason": odds.reason,
    }


def as_text(found: list[CriterionSources]) -> str:
    """Return aligned tables with the method and what was left out beneath them."""
    return "\n\n".join(_text(each) for each in found)


def _text(said: CriterionSources) -> str:
    found = said.found
    frames = frames_of_comparison(said)
    parts = [_titled(said.criterion, _sizes(found)), printed(_means(said, frames))]
    if found.differences:
        parts.append(printed(sources.differences(frames, NO_CRITERION)))
    if said.variances:
        parts.append(printed(sources.variances(frames)))
    parts += _notes(found, said.sources)
    parts.append(wrapped(said.method))
    if said.odds:
        parts.append(_odds_text(said.sources, said.odds))
    if said.left_out:
        parts.append("Left out:\n" + "\n".join(f"  {each}" for each in said.left_out))
    return "\n\n".join(parts)


def _means(said: CriterionSources, frames: Frames) -> Grid:
    """Return the means as in the report, one below the other, and beside them those without a model."""
    plain = dict(zip(said.sources, said.plain_means, strict=True))
    shown = [
        Shown("Source", "source", TEXT),
        Shown("Mean", "mean"),
        Shown("95 % interval", mean_ends),
        Shown("Plain mean", lambda row, _frames: Cell(written(plain[row.source], Format.FIGURE))),
        Shown("Answers", "n_ratings"),
    ]
    return frames.grid("means", "", shown, place=TERMINAL)


def _sizes(found: SourceComparison) -> str:
    weighting = "weighted by the model" if found.weighting == BY_MODEL else "plain means"
    counts = [
        counted(found.n_ratings, "rating"),
        counted(found.n_annotators, "annotator"),
        counted(found.n_conversations, "conversation"),
    ]
    return ", ".join([*counts, weighting])


def _cautions(found: SourceComparison, names: tuple[str, ...]) -> list[str]:
    """Return what the intervals rest on where that may not hold."""
    return list(filter(None, [shared_sentence(found, names), taste_sentence(found), unequal_sentence(found, names)]))


def _notes(found: SourceComparison, names: tuple[str, ...]) -> list[str]:
    """Say for whom the intervals hold, and how far."""
    estimates = [each.estimate for each in found.means] + [each.estimate for each in found.differences]
    said = []
    if any(each.low is not None for each in estimates):
        corrected = "; Holm's p is corrected over all differences" if len(found.differences) > 1 else ""
        said.append(wrapped(f"{FOR_WHOM}{corrected}. The plain mean weighs every rating alike."))
    said += [CHECK] if found.checks else []
    said += [wrapped(withheld(note, False)) for note in dict.fromkeys(_missing(estimates))]
    notes = {each.interval_note for each in estimates if each.low is not None}
    said += [wrapped(sentence) for note, sentence in MARKS.items() if note in notes]
    return said + [wrapped(sentence) for sentence in _cautions(found, names)]


def _missing(estimates: list[Estimate]) -> list[str]:
    return [note for each in estimates if each.low is None and (note := each.reason or each.interval_note)]


def _odds_text(names: tuple[str, ...], odds: CumulativeFit) -> str:
    title = "Odds ratios: cumulative-link mixed model (logit, Laplace), Wald intervals, for many annotators"
    if odds.reason:
        return f"{title}\n{wrapped(f'None: {NO_ODDS[odds.reason]}.')}"
    rows = [
        (f"{names[each.first]} / {names[each.second]}", f"{each.ratio:.3g}", f"[{each.low:.3g}, {each.high:.3g}]",
         *(written(p, Format.P_VALUE).translate(PLAIN) for p in (each.p_value, each.adjusted_p)))
        for each in odds.pairs
    ]  # fmt: skip
    return title + "\n" + aligned([ODDS, *rows])


def _titled(criterion: str | None, text: str) -> str:
    return text if criterion is None else f"{criterion}: {text}"
