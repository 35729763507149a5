"""`manage.py rank FILE` ranks the sources of a file of comparisons, without a database."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from measures.estimate import Estimate
from measures.preferences.clustered import SINGLE_ANNOTATOR, SINGLE_CLUSTER, SINGLE_CONVERSATION
from measures.preferences.comparisons import PairCounts
from measures.preferences.ranking import (
    BRADLEY_TERRY,
    DAVIDSON,
    NO_SIDES,
    NOT_TOLD_APART,
    SEPARATED,
    Ranking,
)
from reporting.file_command import FileCommand, printed, wrapped
from reporting.file_options import Missing, add_missing, add_where, counted
from reporting.labels import REASONS
from reporting.offline import UnreadableRatings
from reporting.ranked_file import ComparisonColumns, RankedFile, ranking_of_file
from reporting.report.shown import sources
from reporting.report.shown.frames import Frames
from reporting.report.shown.of_files import NO_CRITERION, frames_of_ranking
from reporting.tables.cells import TERMINAL, Cell, Grid, Shown, written
from reporting.tables.columns import Format

HELP = """Rank sources by comparisons (a table with a header, one row per answer: CSV, TSV, XLSX, Parquet, JSON or
JSON Lines, also gzipped). The winner is left, right, tie (or equal) or both_bad; a row without a winner is left
out. An export of Parley has first_source, second_source, role and, for --swapped, is_swapped.

The model is Davidson's: Bradley-Terry with a parameter for ties, and one for the side. Strengths are on the log scale
with mean 0, and differ from those of a model that counts a tie as half a win. A win rate is the mean expected score
against each other source: wins plus half of the ties, with the sides even if they are known. Answers that call both
bad are no ties: they are counted apart. "tie" is Davidson's nu, "side_bias" the log odds of the left one of two equal
sources.

Intervals are 95 %, clustered on annotators and on conversations (--cluster; without it each row is one of its own).
Ranks hold for all sources at once with 95 %. A source that won or lost everything has no strength, but a rank: a pair
that always went one way counts as decided if it did so in enough conversations. Needs no database."""

# As on the report's pages, but a file can have covariates.
WHY = REASONS | {
    SEPARATED: "with sides and covariates taken into account, some answers have no exception, so no estimate is finite",
}
NOTES = {
    SINGLE_ANNOTATOR: "there is one annotator: the intervals hold for this person only",
    SINGLE_CONVERSATION: "there is one conversation: the intervals hold for this conversation only",
    SINGLE_CLUSTER: "there is one annotator and one conversation: there are no intervals",
}
# For whom the intervals hold, by the note of the ranking.
FOR_WHOM = {
    None: "for new annotators and new conversations like these",
    SINGLE_ANNOTATOR: "for new conversations, but for this annotator only",
    SINGLE_CONVERSATION: "for new annotators, but for this conversation only",
}
MODELS = {DAVIDSON: "Davidson (Bradley-Terry with ties)", BRADLEY_TERRY: "Bradley-Terry (no ties in the file)"}


class Command(FileCommand):
    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--left", required=True, metavar="COL", help="the source on the left")
        parser.add_argument("--right", required=True, metavar="COL", help="the source on the right")
        parser.add_argument("--winner", required=True, metavar="COL", help="left, right, tie or both_bad")
        parser.add_argument("--annotator", required=True, metavar="COL", help="who answered")
        parser.add_argument("--cluster", metavar="COL", help="the conversation that the pair belongs to")
        parser.add_argument(
            "--swapped",
            metavar="COL",
            help="true where the source of --left stood on the right, as in an export; empty where nobody knows",
        )
        add_where(parser)
        add_missing(parser)
        parser.add_argument(
            "--covariate", action="append", default=[], metavar="COL", help="a number, left minus right; repeatable"
        )
        parser.add_argument("--json", action="store_true", help="a JSON object in full precision instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        columns = ComparisonColumns(
            options["left"],
            options["right"],
            options["winner"],
            options["annotator"],
            options["cluster"],
            tuple(dict.fromkeys(options["covariate"])),
            options["swapped"],
            tuple(options["where"]),
            Missing(options["missing"]),
        )
        try:
            found = ranking_of_file(options["file"], columns)
        except UnreadableRatings as error:
            raise CommandError(str(error)) from error
        for warning in warnings_of(found, columns):
            self.stderr.write(f"Warning: {warning}")
        self.stdout.write(as_json(found, columns) if options["json"] else as_table(found, columns))


def warnings_of(found: RankedFile, columns: ComparisonColumns) -> list[str]:
    """Return what a reader of the numbers must know, and every row that they leave out."""
    ranking = found.ranking
    said = []
    if found.without_winner:
        spelled = ", ".join(f"{text or 'empty'} {n:,}" for text, n in sorted(found.without_winner.items()))
        n_left_out = sum(found.without_winner.values())
        said.append(f"{n_left_out:,} of {found.n_rows:,} rows have no winner and are left out ({spelled})")
    if ranking.n_both_bad:
        said.append(f"{ranking.n_both_bad:,} answers call both bad: they are counted apart, not as ties")
    if ranking.n_left_out:
        said.append(f"{ranking.n_left_out:,} answers about sources without a strength are left out")
    if ranking.n_by_side:
        said.append(f"{ranking.n_by_side:,} answers are left out: everybody who saw the sides preferred the same one")
    for each in ranking.sources:
        if each.strength.reason:
            said.append(f"{found.sources[each.source]} has no strength: {WHY[each.strength.reason]}")
    said += _about_sides(ranking)
    for name, effect in zip(columns.covariates, ranking.covariates, strict=True):
        if effect.reason == NOT_TOLD_APART:
            said.append(f"{name} cannot be told apart from the sources, the side or another covariate: it is left out")
    if ranking.note:
        said.append(NOTES[ranking.note])
    elif ranking.n_annotators == ranking.n > 1:
        said.append("every answer has an annotator of its own: what answers of one person share cannot be seen")
    return said


def _about_sides(ranking: Ranking) -> list[str]:
    """Return where the strengths may contain a bias of sides."""
    if ranking.side_bias.reason == NOT_TOLD_APART:
        return ["each pair always has the same sides: a side bias cannot be told apart from the strengths"]
    if ranking.side_bias.reason == NO_SIDES:
        return [
            "the sides are unknown: the model assumes that neither is preferred. If a column says whether the first "
            "source stood on the right, name it with --swapped"
        ]
    if ranking.n_unsided:
        unknown = f"{ranking.n_unsided:,} of {ranking.n:,} answers"
        return [f"the sides of {unknown} are unknown: for them, the model assumes that neither side is preferred"]
    return []


def as_json(found: RankedFile, columns: ComparisonColumns) -> str:
    """Return a JSON object; an undefined number is null, and its reason is a warning."""
    ranking = found.ranking
    whole = {
        "sources": [
            {
                "source": found.sources[each.source],
                "strength": each.strength.value,
                "low": each.strength.low,
                "high": each.strength.high,
                "win_rate": each.win_rate.value,
                "rank_low": each.best_rank,
                "rank_high": each.worst_rank,
                "win_rate_low": each.win_rate.low,
                "win_rate_high": each.win_rate.high,
            }
            for each in ranking.sources
        ],
        "tie": ranking.tie.value,
        "side_bias": ranking.side_bias.value,
        "n": ranking.n,
        "pairs": list(_pair_fields(found)),
    }
    if columns.covariates:
        rows = zip(columns.covariates, ranking.covariates, strict=True)
        whole["covariates"] = [{"covariate": name, "effect": each.value, **_ends(each)} for name, each in rows]
    return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False)


def _pair_fields(found: RankedFile) -> Iterator[dict[str, Any]]:
    """Yield the pairs that were compared: the expected score of `a` against `b`, and the answers about both."""
    counts, rates = found.ranking.counts, {(each.first, each.second): each.win_rate for each in found.ranking.pairs}
    for a, b in _compared(counts):
        rate = rates.get((a, b))
        yield {
            "a": found.sources[a],
            "b": found.sources[b],
            "win_rate": rate.value if rate else None,
            "win_rate_low": rate.low if rate else None,
            "win_rate_high": rate.high if rate else None,
            "a_preferred": int(counts.preferred[a, b]),
            "b_preferred": int(counts.preferred[b, a]),
            "ties": int(counts.tied[a, b]),
            "both_bad": int(counts.both_bad[a, b]),
        }


def _compared(counts: PairCounts) -> list[tuple[int, int]]:
    answers = counts.compared + counts.both_bad
    return [pair for pair in combinations(range(len(answers)), 2) if answers[pair]]


def _ends(found: Estimate) -> dict[str, float | None]:
    return {"low": found.low, "high": found.high}


def as_table(found: RankedFile, columns: ComparisonColumns) -> str:
    """Return the sources from the best to the worst, the pairs, and what else the model says."""
    frames = frames_of_ranking(found.ranking, found.sources)
    tables = [
        _sources(found, frames),
        sources.pairings(frames.rows("pairings"), frames, NO_CRITERION, TERMINAL),
        sources.win_rates(frames, NO_CRITERION),
    ]
    return "\n\n".join([*(printed(each) for each in tables if each.lines), "\n".join(_sentences(found, columns))])


def _sources(found: RankedFile, frames: Frames) -> Grid:
    """Return the ranking as in the report, and beside its win rates those that depend on the opponents."""
    counts, places = found.ranking.counts, {name: at for at, name in enumerate(found.sources)}

    def plain(row: Any, _frames: Frames) -> Cell:
        source = places[row.source]
        wins = counts.preferred[source].sum() + counts.tied[source].sum() / 2
        return Cell(written(float(wins / row.answers) if row.answers else None, Format.SHARE))

    *columns, rank, _at_equal_length, answers = sources.ranking_columns()
    shown = [*columns, Shown("Plain win rate", plain), rank, answers]
    return frames.grid("rankings", "", shown, place=TERMINAL)


def _sentences(found: RankedFile, columns: ComparisonColumns) -> list[str]:
    ranking = found.ranking
    clusters = counted(ranking.n_clusters, "conversation") if columns.cluster else (
        f"{counted(ranking.n_clusters, 'row')} as conversations"
    )  # fmt: skip
    lines = [
        *_without_strength(found),
        *_meanings(ranking),
        f"Model: {MODELS[ranking.model]}, {counted(ranking.n, 'answer')}, "
        f"{counted(ranking.n_annotators, 'annotator')}, {clusters}.",
        f"Ties: nu {_shown(ranking.tie)}. Side: log odds of the left one {_shown(ranking.side_bias)}.",
    ]
    for name, each in zip(columns.covariates, ranking.covariates, strict=True):
        lines.append(f"{name}: log odds per unit {_shown(each)}.")
    tested = ranking.consistency
    if tested.p_value is None:
        lines.append(f"Transitivity: not tested ({tested.reason}).")
    else:
        how = "" if tested.n_triads == 1 else ", simulated: another seed, as in the report, moves the third decimal"
        lines.append(f"Transitivity: p {tested.p_value:.3f} over {counted(tested.n_triads, 'triad')} of sources{how}.")
        if one_way := [pair for pair in _compared(ranking.counts) if ranking.counts.is_one_way(*pair)]:
            pairs = "; ".join(f"{found.sources[a]} and {found.sources[b]}" for a, b in one_way)
            lines.append(f"Left out of it, because always answered the same way: {pairs}.")
    if ranking.triads:
        circles = "; ".join(_circle(found.sources, triad) for triad in ranking.triads[:5])
        lines.append(f"Circular triads by count: {len(ranking.triads):,} ({circles}).")
    return [wrapped(line) for line in lines]


def _without_strength(found: RankedFile) -> list[str]:
    return [
        f"{found.sources[each.source]} has no strength: {WHY[each.strength.reason]}."
        for each in found.ranking.in_order
        if each.strength.reason
    ]


def _meanings(ranking: Ranking) -> list[str]:
    """Say for whom the intervals hold, and what the two win rates are."""
    if all(each.strength.low is None for each in ranking.sources):
        return []
    with_sides = "" if ranking.side_bias.value is None else ", with the sides even"
    return [
        f"Intervals are 95 %, each by itself, {FOR_WHOM[ranking.note]}. Ranks hold for all sources at once with 95 %.",
        "An expected win rate is the score against each other source with a strength, or of the row against the "
        f"column{with_sides}. The plain one is wins plus half of the ties by answers, so it depends on the opponents.",
    ]


def _circle(sources: Sequence[str], triad: tuple[int, int, int]) -> str:
    return " > ".join(sources[at] for at in (*triad, triad[0]))


def _shown(found: Estimate) -> str:
    if found.value is None:
        return f"- ({found.reason})"
    interval = "" if found.low is None else f" [{found.low:.3f}, {found.high:.3f}]"
    return f"{found.value:.3f}{interval}"
