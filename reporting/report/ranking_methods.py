"""Sentences for the methods section of a paper that ranks sources by comparisons."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from measures.preferences.ranking import DAVIDSON
from parley.listing import both
from reporting.report.ranking_words import answers_sentence, thin_pairs
from reporting.report.sizes import Material
from reporting.study.rules import IMPORTED_SIDES

if TYPE_CHECKING:
    from reporting.report.build import Report


def ranking_methods(report: "Report") -> Iterable[str]:
    """Yield how sources were ranked by comparisons, with every answer that the model leaves out."""
    names = {each.key: each.name for each in report.protocol.criteria}
    if report.rankings:
        yield from _ranked_by(report, names)
        yield from _sides(report, names)
        yield _clustered(report.material)
        yield _(
            "Ranks are from simultaneous 95 per cent intervals of all differences (Al Mohamad, Goeman and van Zwet "
            "2022). Intervals of strengths and of win rates hold one by one and are not corrected."
        )
    sources: dict[str | None, str] = {each.key: each.name for each in report.sources}
    for each in report.rankings:
        yield answers_sentence(each, names[each.criterion])
        yield from thin_pairs(each, sources)


def _ranked_by(report: "Report", names: dict[str, str]) -> Iterable[str]:
    """Yield the model that was fitted: without ties and degrees of preference, nothing was extended or collapsed."""
    with_ties = [names[each.criterion] for each in report.rankings if each.model.model == DAVIDSON]
    without = [names[each.criterion] for each in report.rankings if each.model.model != DAVIDSON]
    if with_ties:
        sentence = _(
            "For %(criteria)s, sources were ranked by Davidson's (1970) extension of the Bradley-Terry model to ties."
        )
        yield sentence % {"criteria": both(with_ties)}
    if without:
        sentence = _(
            "For %(criteria)s, sources were ranked by the Bradley-Terry model (Bradley and Terry 1952); there are no "
            "ties."
        )
        yield sentence % {"criteria": both(without)}
    if any(each.model.has_degrees for each in report.rankings):
        yield _("Degrees of preference were collapsed.")


def _sides(report: "Report", names: dict[str, str]) -> Iterable[str]:
    sided = [names[each.criterion] for each in report.rankings if each.model.side.value is not None]
    if len(sided) == len(report.rankings):
        yield _("The model has a parameter for the side (Davidson and Beaver 1977).")
    elif sided:
        criteria = {"criteria": both(sided)}
        yield _("For %(criteria)s, the model has a parameter for the side (Davidson and Beaver 1977).") % criteria
    yield from _without_sides(report, names)
    if any(each.unknown for each in report.side_bias):
        yield _(IMPORTED_SIDES)


def _without_sides(report: "Report", names: dict[str, str]) -> Iterable[str]:
    """Yield where the strengths may contain a bias of sides."""
    models = [each.model for each in report.rankings if each.model.answers and not each.model.by_side]
    without = [each for each in models if each.side.value is None]
    if without:
        yield _(
            "For %(criteria)s, the model has no parameter for the side: it assumes that neither side is preferred."
        ) % {"criteria": both([names[each.criterion] for each in without])}
    for each in models:
        if each.without_sides and each.side.value is not None:
            said = {"criterion": names[each.criterion], "n": f"{each.without_sides:,}", "all": f"{each.answers:,}"}
            yield (
                _(
                    "For %(criterion)s, the sides of %(n)s of %(all)s answers are not known: for them, the model "
                    "assumes that neither side is preferred."
                )
                % said
            )


def _clustered(material: Material) -> str:
    if material.has_dialogues_as_units:
        return _(
            "Standard errors were clustered on annotators and dialogues (Cameron, Gelbach and Miller 2011) by a "
            "jackknife (MacKinnon, Nielsen and Webb 2024)."
        )
    if material.is_by_scenario:
        return _(
            "Standard errors were clustered on annotators and scenarios (Cameron, Gelbach and Miller 2011) by a "
            "jackknife (MacKinnon, Nielsen and Webb 2024)."
        )
    return _(
        "Standard errors were clustered on annotators and conversations (Cameron, Gelbach and Miller 2011) by a "
        "jackknife (MacKinnon, Nielsen and Webb 2024)."
    )
