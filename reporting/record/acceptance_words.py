"""Describe batch acceptance in words and rows: the plans, the decisions, the rounds and their cost."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, pgettext_lazy

from parley.listing import both
from parley.numbers import number
from reporting.explained import INTERVAL_NOTES
from reporting.labels import reason_sentence
from reporting.record.labels import plan_in_words

Row = dict[str, Any]
DASH = "–"
AGAIN = gettext_noop("Batches that are being rated again are included.")


class Line(NamedTuple):
    """A number with its name, and sentences on what it is based on."""

    key: str
    name: str
    value: str
    notes: tuple[str, ...] = ()


def plan_lines(acceptance: Row, names: Mapping[str, str]) -> list[str]:
    """Return a paragraph for each plan. `names` are those of the criteria, by key."""
    is_only = len(acceptance["plans"]) == 1
    return [" ".join(_plan(plan, names, is_only=is_only)) for plan in acceptance["plans"]]


def _plan(plan: Row, names: Mapping[str, str], *, is_only: bool) -> Iterable[str]:
    yield plan_in_words(plan)
    yield _("Controllers review the answer to: %(name)s.") % {"name": names.get(plan["criterion"], plan["criterion"])}
    yield _("Controllers do not see the label.") if plan["is_blind"] else _("Controllers see the label.")
    if not is_only:
        yield _("Decisions under this plan: %(n)s.") % {"n": f"{plan['decisions']:,}"}


def acceptance_lines(acceptance: Row) -> list[Line]:
    """Return the numbers in the active language, with a dash for what is not known yet."""
    counted = [Line(name, str(title), f"{acceptance[name]:,}") for name, title in COUNTS.items()]
    return [
        Line("batches", _("Batches decided"), f"{acceptance['batches']:,}", (_decisions(acceptance),)),
        *counted,
        Line("yield", _("First-pass yield"), percent(acceptance["first_pass_yield"]), (_first_pass(acceptance),)),
        Line("decided_rounds", _("Decided rounds per batch"), number(_decided_rounds(acceptance)), (_(AGAIN),)),
        Line("rounds", _("Rounds per accepted batch"), number(acceptance["mean_rounds"]), (_rounds(acceptance),)),
        Line("more", _("Needed more than one round"), percent(acceptance["more_than_one"])),
        Line("rework", _("Rework"), hours(acceptance), (_("Active time of answers in returned rounds."),)),
        Line("kappa", _("Controller agreement"), number(acceptance["kappa"]), tuple(_kappa(acceptance))),
    ]


COUNTS = {
    "accepted": pgettext_lazy("decisions", "Accepted"),
    "returned": pgettext_lazy("decisions", "Returned"),
    "not_assessable": pgettext_lazy("decisions", "Not assessable"),
    "overridden": gettext_lazy("Overridden by a team lead"),
}


def percent(value: float | None) -> str:
    """Format a share with one decimal, which is enough for few batches; None is a dash."""
    return DASH if value is None else f"{100 * value:.1f}\u00a0%"


def hours(acceptance: Row) -> str:
    return _("%(hours)s h") % {"hours": number(acceptance["rework_hours"], ".1f")}


def _decisions(acceptance: Row) -> str:
    return _("Decisions: %(n)s, one for each round of a batch.") % {"n": f"{acceptance['decisions']:,}"}


def _first_pass(acceptance: Row) -> str:
    """Return the counts behind the first-pass yield, with its Wilson interval."""
    if not acceptance["first_rounds"]:
        return _("No first round has been accepted or returned yet.")
    sizes = {"n": f"{acceptance['first_pass']:,}", "all": f"{acceptance['first_rounds']:,}"}
    ends = {"low": percent(acceptance["first_pass_low"]), "high": percent(acceptance["first_pass_high"])}
    return _("%(n)s of %(all)s batches; Wilson interval %(low)s to %(high)s.") % (sizes | ends)


def _decided_rounds(acceptance: Row) -> float | None:
    return acceptance["decisions"] / acceptance["batches"] if acceptance["batches"] else None


def _rounds(acceptance: Row) -> str:
    """Return the histogram of rounds, such as "9 in 1, 3 in 2"."""
    if not acceptance["rounds"]:
        return _("No batch has been accepted yet.")
    # Translators: batches, and in how many rounds they were accepted.
    cells = [_("%(n)s in %(rounds)s") % {"n": f"{row['batches']:,}", **row} for row in acceptance["rounds"]]
    return _("Accepted batches by number of rounds: %(cells)s.") % {"cells": ", ".join(cells)}


def _kappa(acceptance: Row) -> Iterable[str]:
    """Yield what kappa is based on, or why it is undefined; then its interval, or why that is missing."""
    n = acceptance["kappa_items"]
    if acceptance["kappa"] is None:
        is_empty = acceptance["kappa_reason"] == "no_pairs"
        why = _("no item was reviewed by two controllers") if is_empty else reason_sentence(acceptance["kappa_reason"])
        yield _("Undefined: %(why)s.") % {"why": why}
        return
    checked = ngettext(
        "Cohen's kappa from %(n)s item reviewed twice.", "Cohen's kappa from %(n)s items reviewed twice.", n
    )
    yield checked % {"n": f"{n:,}"}
    if acceptance["kappa_low"] is not None:
        ends = {"low": number(acceptance["kappa_low"]), "high": number(acceptance["kappa_high"])}
        yield _("95 %% interval %(low)s to %(high)s.") % ends
    if acceptance["kappa_note"]:
        yield _(INTERVAL_NOTES[acceptance["kappa_note"]])


# --- a sentence or two for a paper ---------------------------------------------------------------------
def acceptance_sentences(acceptance: Row, names: Mapping[str, str]) -> Iterable[str]:
    if acceptance["plans"]:
        checked = both(dict.fromkeys(names.get(plan["criterion"], plan["criterion"]) for plan in acceptance["plans"]))
        told = {"names": checked, "plans": " ".join(plan_in_words(plan) for plan in acceptance["plans"])}
        # Translators: the criteria that were checked, then sentences such as "100 items are drawn."
        yield _("Controllers reviewed samples of finished batches (criteria: %(names)s). %(plans)s") % told
    if acceptance["first_rounds"]:
        told = {"yield": percent(acceptance["first_pass_yield"]), "of": _first_pass(acceptance)}
        # Translators: a share, then a sentence such as "9 of 12 batches; Wilson interval 46.8 % to 91.1 %."
        yield _("The first-pass yield was %(yield)s: %(of)s") % told
    if acceptance["accepted_batches"]:
        more = {"share": percent(acceptance["more_than_one"]), "hours": hours(acceptance)}
        yield _("Of the accepted batches, %(share)s needed more than one round; rework took %(hours)s.") % more


# --- as a table of plain values ------------------------------------------------------------------------
def acceptance_table(acceptance: Row | None) -> Iterable[Row]:
    """Yield a tidy table like that of time and pay; `part` numbers the plans, and for rounds is their number."""
    for name, value in (acceptance or {}).items():
        if name == "plans":
            for at, plan in enumerate(value, start=1):
                yield from ({"figure": f"plan {at}", "part": part, "value": each} for part, each in plan.items())
        elif name == "rounds":
            yield from ({"figure": name, "part": row["rounds"], "value": row["batches"]} for row in value)
        else:
            yield {"figure": name, "part": None, "value": value}
