"""Batch control in words and rows: the plans, what was decided, how many rounds it took and what they cost."""

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
AGAIN = gettext_noop("Batches that are being rated again are among them.")


class Line(NamedTuple):
    """A figure: what, how much, and sentences on what it was made of."""

    key: str
    name: str
    value: str
    notes: tuple[str, ...] = ()


def plan_lines(control: Row, names: Mapping[str, str]) -> list[str]:
    """A paragraph for each plan that decided. `names`: of criteria, by their keys."""
    is_only = len(control["plans"]) == 1
    return [" ".join(_plan(plan, names, is_only=is_only)) for plan in control["plans"]]


def _plan(plan: Row, names: Mapping[str, str], *, is_only: bool) -> Iterable[str]:
    yield plan_in_words(plan)
    yield _("Checked is the answer to: %(name)s.") % {"name": names.get(plan["criterion"], plan["criterion"])}
    yield _("Controllers do not see the label.") if plan["is_blind"] else _("Controllers see the label.")
    if not is_only:
        yield _("Decisions by this plan: %(n)s.") % {"n": f"{plan['decisions']:,}"}


def control_lines(control: Row) -> list[Line]:
    """In the language that is active; a dash where nothing is known yet."""
    counted = [Line(name, str(title), f"{control[name]:,}") for name, title in COUNTS.items()]
    return [
        Line("batches", _("Batches decided"), f"{control['batches']:,}", (_decisions(control),)),
        *counted,
        Line("yield", _("First-pass yield"), percent(control["first_pass_yield"]), (_first_pass(control),)),
        Line("decided_rounds", _("Decided rounds per batch"), number(_decided_rounds(control)), (_(AGAIN),)),
        Line("rounds", _("Rounds per accepted batch"), number(control["mean_rounds"]), (_rounds(control),)),
        Line("more", _("Needed more than one round"), percent(control["more_than_one"])),
        Line("rework", _("Rework"), hours(control), (_("Active time of answers whose round was returned."),)),
        Line("kappa", _("Controllers agree"), number(control["kappa"]), tuple(_kappa(control))),
    ]


COUNTS = {
    "accepted": pgettext_lazy("decisions", "Accepted"),
    "returned": pgettext_lazy("decisions", "Returned"),
    "not_assessable": pgettext_lazy("decisions", "Not assessable"),
    "overridden": gettext_lazy("Overridden by a team lead"),
}


def percent(value: float | None) -> str:
    """One decimal: batches are few."""
    return DASH if value is None else f"{100 * value:.1f}\u00a0%"


def hours(control: Row) -> str:
    return _("%(hours)s h") % {"hours": number(control["rework_hours"], ".1f")}


def _decisions(control: Row) -> str:
    return _("Decisions: %(n)s, one for each round of a batch.") % {"n": f"{control['decisions']:,}"}


def _first_pass(control: Row) -> str:
    """The counts and Wilson's interval."""
    if not control["first_rounds"]:
        return _("No first round has been accepted or returned yet.")
    sizes = {"n": f"{control['first_pass']:,}", "all": f"{control['first_rounds']:,}"}
    ends = {"low": percent(control["first_pass_low"]), "high": percent(control["first_pass_high"])}
    return _("%(n)s of %(all)s batches; Wilson interval %(low)s to %(high)s.") % (sizes | ends)


def _decided_rounds(control: Row) -> float | None:
    return control["decisions"] / control["batches"] if control["batches"] else None


def _rounds(control: Row) -> str:
    """The histogram, such as: 9 in 1, 3 in 2."""
    if not control["rounds"]:
        return _("No batch has been accepted yet.")
    # Translators: batches, and in how many rounds they were accepted.
    cells = [_("%(n)s in %(rounds)s") % {"n": f"{row['batches']:,}", **row} for row in control["rounds"]]
    return _("Accepted batches by their rounds: %(cells)s.") % {"cells": ", ".join(cells)}


def _kappa(control: Row) -> Iterable[str]:
    """What it was made of, or why there is none; then its interval, or why that is missing."""
    n = control["kappa_items"]
    if control["kappa"] is None:
        is_empty = control["kappa_reason"] == "no_pairs"
        why = _("no item was checked by two controllers") if is_empty else reason_sentence(control["kappa_reason"])
        yield _("Undefined: %(why)s.") % {"why": why}
        return
    checked = ngettext("Cohen's kappa, %(n)s item checked twice.", "Cohen's kappa, %(n)s items checked twice.", n)
    yield checked % {"n": f"{n:,}"}
    if control["kappa_low"] is not None:
        ends = {"low": number(control["kappa_low"]), "high": number(control["kappa_high"])}
        yield _("95 %% interval %(low)s to %(high)s.") % ends
    if control["kappa_note"]:
        yield _(INTERVAL_NOTES[control["kappa_note"]])


# --- a sentence or two for a paper ---------------------------------------------------------------------
def control_sentences(control: Row, names: Mapping[str, str]) -> Iterable[str]:
    if control["plans"]:
        checked = both(dict.fromkeys(names.get(plan["criterion"], plan["criterion"]) for plan in control["plans"]))
        told = {"names": checked, "plans": " ".join(plan_in_words(plan) for plan in control["plans"])}
        # Translators: the criteria that were checked, then sentences such as "100 items are drawn."
        yield _("Controllers checked samples of finished batches (%(names)s): %(plans)s") % told
    if control["first_rounds"]:
        told = {"yield": percent(control["first_pass_yield"]), "of": _first_pass(control)}
        # Translators: a share, then a sentence such as "9 of 12 batches; Wilson interval 46.8 % to 91.1 %."
        yield _("The first-pass yield was %(yield)s: %(of)s") % told
    if control["accepted_batches"]:
        more = {"share": percent(control["more_than_one"]), "hours": hours(control)}
        yield _("Of the accepted batches %(share)s needed more than one round; rework took %(hours)s.") % more


# --- as a table of plain values ------------------------------------------------------------------------
def control_table(control: Row | None) -> Iterable[Row]:
    """Tidy, as that of time and pay: plans by their number, rounds by how many."""
    for name, value in (control or {}).items():
        if name == "plans":
            for at, plan in enumerate(value, start=1):
                yield from ({"figure": f"plan {at}", "part": part, "value": each} for part, each in plan.items())
        elif name == "rounds":
            yield from ({"figure": name, "part": row["rounds"], "value": row["batches"]} for row in value)
        else:
            yield {"figure": name, "part": None, "value": value}
