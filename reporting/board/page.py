"""The template context of the board's agreement page."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from annotation.models import Study
from parley.listing import both
from protocols.models import Criterion
from protocols.specs import VersionSpec
from reporting.board.pairings import compared
from reporting.board.pairs import board_pairs, pair_picture
from reporting.board.progress import batch_row
from reporting.board.rows import BoardData, board_data, scopes_of, statistics_of, usual_statistic
from reporting.board.tables import agreement_picture, agreement_table


def board_page(study: Study, query: Mapping[str, str]) -> dict[str, Any]:
    data = board_data(study, query)
    pairs = board_pairs(data) if data.is_rated else None
    asked = chosen(data)
    # The batches on the page, after the one shown if that is on another page.
    keys = [line.batch.key for line in data.lines]
    keys = keys if pairs is None or pairs.batch.key in keys else [pairs.batch.key, *keys]
    return {
        "data": data,
        "choice": data.choice,
        "table": agreement_table(data),
        "apart": questions_apart(data.spec),
        "compared": compared(data),
        "picture": agreement_picture(data) if data.cells.get(None) else "",
        "picture_query": urlencode(asked),
        "pairs_query": urlencode(asked | {"batch": pairs.batch.key}) if pairs else "",
        "pairs": pairs,
        "pair_picture": pair_picture(pairs) if pairs and pairs.pairs else "",
        "scopes": scopes_of(data.spec),
        "statistics": statistics_of(data.choice.scope),
        "batch_rows": [batch_row(line) for line in data.lines],
        "batch_keys": keys,
        "chosen": asked,
        "earlier": urlencode(asked | {"page": data.page.number - 1}),
        "later": urlencode(asked | {"page": data.page.number + 1}),
    }


def questions_apart(spec: VersionSpec) -> list[tuple[str, str]]:
    """Return the names of the questions that the board cannot show, by what their answers are: options, or turns."""
    found = []
    for kind in (Criterion.Kind.MULTIPLE, Criterion.Kind.TURNS):
        if names := [each.name for each in spec.criteria if each.kind == kind]:
            found.append((str(kind), both(names)))
    return found


def chosen(data: BoardData) -> dict[str, str]:
    """Return the query parameters of this view of the board, without defaults."""
    choice = data.choice
    values = {"batch": choice.batch, "criterion": choice.scope.key, "page": choice.page}
    usual = {"page": "1"}
    kept = {name: value for name, value in values.items() if value and value != usual.get(name)}
    is_usual = choice.statistic.key == usual_statistic(choice.scope).key
    return kept if is_usual else kept | {"statistic": choice.statistic.key}
