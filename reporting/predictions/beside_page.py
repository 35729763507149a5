"""The words and tables about a metric beside people, for its page."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from measures.estimate import Estimate
from measures.machines.alternative import WON, AlternativeTest, AnnotatorTest
from measures.machines.ceiling import NOMINAL
from measures.machines.powered import Further
from measures.machines.systems import Systems
from measures.machines.telling import Telling
from parley.numbers import number
from reporting.predictions.beside import (
    CHANCE,
    CONSTANT,
    Beside,
    PartCeiling,
    Replacing,
    SourceScores,
    Verdict,
    ceiling_of,
    most_telling,
    pseudonyms_in,
    replacing_of,
)
from reporting.predictions.beside_labels import (
    AGAINST,
    ANSWERS,
    CHANCE_AGREEMENT,
    CONSTANT_ANSWER,
    LOPSIDED,
    MEASURES,
    NO_FURTHER,
    NO_INTERVAL,
    NO_SCORES,
    NOT_KNOWN,
    SHIFTED,
    TESTS,
    UNDEFINED,
)
from reporting.predictions.judging import Judging

Context = dict[str, Any]


def answers_in_words(beside: Beside) -> Context:
    """Return the three answers, each with the table behind it."""
    name = beside.judging.metric.name
    return {
        "replacing": _replacing(beside, name, pseudonyms_in(beside.replacing)),
        "corrected": _corrected(beside, name),
        "further": _further(beside),
    }


# May it replace people?


def _replacing(beside: Beside, name: str, pseudonyms: Mapping[int, str]) -> Context:
    found = beside.replacing
    test = found.test
    return {
        "answer": _(ANSWERS[found.verdict]),
        "why": _why(found, name, is_nominal=beside.judging.level == NOMINAL),
        "cautions": [*_cautions(found), *([_(SHIFTED)] if beside.has_shifted_scores else [])],
        "numbers": _numbers(test) if test and test.passes is not None else "",
        "rows": [_tested(each, pseudonyms) for each in test.annotators] if test and test.passes is not None else [],
    }


def _why(found: Replacing, name: str, *, is_nominal: bool) -> str:
    if found.reason == CHANCE and found.telling:
        return _by_chance(found.telling, MEASURES["kappa" if is_nominal else "pearson"])
    if found.reason == CONSTANT:
        return _(CONSTANT_ANSWER)
    if found.reason is not None:
        return _(NOT_KNOWN[found.reason])
    values = {"name": name, "won": _won(found.test), "tested": found.test.winning_rate.n_pairs if found.test else 0}
    if found.verdict == Verdict.YES:
        said = _("%(name)s wins against %(won)d of the %(tested)d annotators tested, which is half of them or more.")
    else:
        said = _("%(name)s wins against %(won)d of the %(tested)d annotators tested, which is less than half of them.")
    return said % values


def _by_chance(telling: Telling, measure: str) -> str:
    return _(CHANCE_AGREEMENT) % {
        "measure": _(measure),
        "value": in_words(telling.beyond_chance),
        "same": f"{telling.n_same:,}",
        "items": f"{telling.n_items:,}",
    }


def _cautions(found: Replacing) -> Iterator[str]:
    telling = found.telling
    if telling is None or not found.is_lopsided:
        return
    yield _(LOPSIDED) % {
        "same": f"{telling.n_votes - telling.n_rare:,}",
        "all": f"{telling.n_votes:,}",
        "rare": f"{telling.n_rare:,}",
        "matched": f"{telling.n_matched:,}",
    }


def _won(test: AlternativeTest | None) -> int:
    return sum(bool(each.is_won) for each in test.annotators) if test else 0


def _numbers(test: AlternativeTest) -> str:
    return _(
        "Winning rate %(rate)s (%(pass)s or more passes), epsilon %(epsilon)s. Average advantage probability "
        "%(advantage)s: the share of an annotator's items on which it says what the others say at least as well. "
        "Annotators tested: %(tested)d of %(all)d."
    ) % {
        "rate": number(test.winning_rate.value),
        "pass": number(WON),
        "epsilon": number(test.epsilon),
        "advantage": in_words(test.advantage),
        "tested": test.winning_rate.n_pairs,
        "all": len(test.annotators),
    }


def _tested(each: AnnotatorTest, pseudonyms: Mapping[int, str]) -> Context:
    wins = {None: "–", True: _("yes"), False: _("no")}[each.is_won]
    return {
        "annotator": pseudonyms.get(each.annotator, "–"),
        "n": each.advantage.n_items,
        "judge": each.advantage.value,
        "own": each.own,
        "test": _(TESTS[each.test]) if each.test else _("too few items"),
        "p": each.adjusted_p,
        "wins": wins,
    }


# What are the corrected scores?


def _corrected(beside: Beside, name: str) -> Context:
    if beside.scores is None:
        return {"answer": _("Not known."), "why": _(NO_SCORES), "rows": [], "is_binary": False}
    whole = beside.scores[0]
    return {
        **_whole(whole, name),
        "is_binary": beside.judging.is_binary,
        "rows": [_score(each) for each in beside.scores],
    }


def _whole(whole: SourceScores, name: str) -> Context:
    found = whole.powered.estimate
    if found.value is None:
        return {"answer": _("Not known."), "why": _sentence(_(UNDEFINED[found.reason or ""]))}
    why = _(
        "People's mean on the %(rated)s items that they rated is %(people)s; the mean of %(name)s on all %(all)s items "
        "that it answered is %(judge)s."
    ) % {
        "rated": f"{found.n_items:,}",
        "people": number(whole.powered.people.value),
        "name": name,
        "all": f"{found.n_ratings:,}",
        "judge": number(whole.judge.value),
    }
    if found.n_items == found.n_ratings:
        why += " " + _("People rated all of these items, so it adds nothing to them.")
    return {"answer": _("All items: %(mean)s.") % {"mean": in_words(found)}, "why": why}


def _score(each: SourceScores) -> Context:
    cells = [each.judge, each.powered.people, each.powered.estimate]
    return {
        "name": each.source.name if each.source else _("All items"),
        "cells": [cell_of(found) for found in cells],
        "rate": _rate(each) if each.corrected else None,
        "rated": each.powered.estimate.n_items,
        "all": each.powered.estimate.n_ratings,
        "further": each.powered.further.n,
    }


def _rate(each: SourceScores) -> Context:
    found = each.corrected
    if found is None or found.sensitivity is None or found.specificity is None:
        return cell_of(found.estimate) if found else {}
    errors = _("sensitivity %(sensitivity)s, specificity %(specificity)s") % {
        "sensitivity": number(found.sensitivity),
        "specificity": number(found.specificity),
    }
    cell = cell_of(found.estimate)
    return {**cell, "notes": [*cell["notes"], errors]}


# How many human items next?


def _further(beside: Beside) -> Context:
    if beside.scores is None:
        return {"answer": _("Not known."), "why": _(NO_SCORES)}
    further = beside.scores[0].powered.further
    if further.n is None:
        return {"answer": "", "why": _(no_further(further))}
    return {
        "answer": ngettext("%(n)s more item.", "%(n)s more items.", further.n) % {"n": f"{further.n:,}"},
        "why": _("If people rate so many more of the items that it answered, drawn at random, the interval of the mean "
                 "is half as wide."),
    }  # fmt: skip


def no_further(further: Further) -> str:
    return NO_FURTHER.get(further.reason or "", NO_FURTHER["no_spread"])


# Does it rank the sources as people do?


def ranked_in_words(systems: Systems) -> str:
    if systems.pairwise_accuracy.value is None:
        return _("Not known: %(why)s.") % {"why": _(UNDEFINED[systems.pairwise_accuracy.reason or ""])}
    return _(
        "Kendall's tau is %(tau)s. Pairwise accuracy is %(accuracy)s: the share of pairs of sources that both put in "
        "the same order. The table of corrected scores has the means."
    ) % {"tau": in_words(systems.kendall), "accuracy": in_words(systems.pairwise_accuracy)}


# The human ceiling


def in_short(judging: Judging) -> Context:
    """Return a metric's row in the table of all metrics: may it replace people, and its ceiling by one measure."""
    ceiling = most_telling(ceiling_of(judging))
    replacing = replacing_of(judging)
    return {
        "replaces": _(ANSWERS[replacing.verdict]),
        "is_lopsided": replacing.is_lopsided,
        "ceiling": ceiling
        and {
            "measure": _(MEASURES[ceiling.measure]),
            "people": cell_of(ceiling.people),
            "judge": cell_of(ceiling.judge),
        },
    }


def ceiling_rows(found: PartCeiling) -> Context:
    sizes = found.measures[0].people
    rows = [
        {
            "name": _(MEASURES[each.measure]),
            "against": _(AGAINST[each.against]),
            "cells": [cell_of(side) for side in (each.people, each.judge, each.difference)],
        }
        for each in found.measures
    ]
    return {"rows": rows, "n_items": sizes.n_items, "n_ratings": sizes.n_ratings, "n_left_out": sizes.n_left_out}


# Numbers


def in_words(found: Estimate) -> str:
    """Return the value with its interval, or why either is missing."""
    cell = cell_of(found)
    return f"{cell['text']} ({'; '.join(cell['notes'])})" if cell["notes"] else str(cell["text"])


def interval_text(found: Estimate) -> str:
    """Return the interval, or nothing without one."""
    return "" if found.low is None or found.high is None else f"{number(found.low)} – {number(found.high)}"


def cell_of(found: Estimate) -> Context:
    notes = [interval_text(found)] if found.low is not None else []
    if found.value is None:
        reason = UNDEFINED.get(found.reason or "")
        notes.append(_("Undefined: %(why)s.") % {"why": _(reason) if reason else _("it could not be computed")})
    words = [found.interval_note, *found.warnings]
    notes += [_(NO_INTERVAL[each]) for each in words if each in NO_INTERVAL]
    return {"text": number(found.value), "notes": notes}


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."
