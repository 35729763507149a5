"""The comparisons on the live board: answers by pair of sources, agreement on pairs, and the bias of sides."""

from types import SimpleNamespace
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import AgreementCell
from annotation.pairings import compares_several
from measures.estimate import NO_VARIATION
from parley.numbers import number
from protocols.labels import SCALE, word_of
from reporting.board.rows import BoardData
from reporting.report.shown import sources
from reporting.study.pairings import SideBias, compared_criteria, identical_pairs, pairings, side_bias
from reporting.tables.cells import Grid


def compared(data: BoardData) -> list[tuple[str, Grid, SideBias, str]]:
    """Return (name, table, bias, sentence on agreement) for each criterion of the scope that compares."""
    criteria = [each for each in compared_criteria(data.spec) if each in data.choice.scope.criteria]
    if not criteria:
        return []
    ids = [each.id for each in criteria]
    cells = AgreementCell.objects.filter(snapshot=data.total, source=None, criterion__in=ids)
    found = {
        pk: (counts, alpha) for pk, counts, alpha in cells.values_list("criterion", "pairings", "estimates__alpha")
    }
    counts = {pk: each for pk, (each, _alpha) in found.items()}
    about = SimpleNamespace(names={"sources": {source.key: source.name for source in data.sources}})
    answers = pairings(criteria, counts, identical_pairs(data.study), data.sources)
    return [
        (
            each.name,
            sources.pairings((row for row in answers if row.criterion == each.key), about, each.name),
            side_bias(each, counts.get(each.id, {})),
            _agreement(each.scale, *found.get(each.id, ({}, None))),
        )
        for each in criteria
    ]


def _agreement(scale: str, counts: dict[str, int], alpha: dict[str, Any] | None) -> str:
    if alpha and alpha["reason"] == NO_VARIATION:
        return _("Agreement: no number yet, because all answers on pairs with two or more are the same.")
    if not alpha or alpha["value"] is None:
        return _("Agreement: no pair has two answers yet.")
    found = {"alpha": number(alpha["value"]), "n": alpha["n_items"], "scale": word_of(SCALE, scale)}
    text = _("Agreement: Krippendorff's alpha %(alpha)s (%(scale)s) over %(n)s pairs with two answers or more.") % found
    if compares_several([counts]):
        text += " " + _("Chance agreement counts both orders of a pair, because more than two sources are compared.")
    return text
