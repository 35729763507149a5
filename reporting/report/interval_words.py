"""Why an interval of agreement is rough or withheld, with what was counted: items, dialogues, or larger groups."""

from collections.abc import Iterable
from typing import Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext_lazy

from measures.intervals import FEWEST_ITEMS, FEWEST_RELIABLE_ITEMS, RARE_ANSWERS, UNRELIABLE
from parley.listing import both
from reporting.explained import INTERVAL_NOTES
from reporting.report.resampled import OF_CONVERSATIONS, OF_DIALOGUES, OF_SCENARIOS, Limits

TOO_FEW = "too_few_items"
SHORT_NOTES = {
    TOO_FEW: pgettext_lazy("why there is no interval", "too few items"),
    RARE_ANSWERS: pgettext_lazy("why there is no interval", "one answer dominates"),
    "no_spread": pgettext_lazy("why there is no interval", "items are all alike"),
    "unstable_bootstrap": pgettext_lazy("why there is no interval", "resamples undefined"),
}
ALL_WITHHELD = {
    TOO_FEW: gettext_noop("there are fewer than 10 independent units (items, or the groups that are resampled)"),
    RARE_ANSWERS: gettext_noop("one answer has more than nine tenths of the votes, and there are fewer than 100 units"),
    "no_spread": gettext_noop("the items are all alike"),
    "unstable_bootstrap": gettext_noop("too many resamples were undefined"),
}


class Counted(Protocol):
    """A row whose intervals come from `n_units` units of the kind that `interval_method` resamples."""

    @property
    def interval_method(self) -> str: ...
    @property
    def n_units(self) -> int: ...


def counted_note(code: str | None, of: Counted | None) -> str:
    """Return the note as a sentence; `of` is what was counted, None for items with two answers or more."""
    if of and code == TOO_FEW:
        known = {"units": _units(of), "needed": FEWEST_ITEMS}
        return _("No interval: %(units)s, and it needs at least %(needed)s.") % known
    if of and code == UNRELIABLE:
        known = {"units": _units(of), "needed": FEWEST_RELIABLE_ITEMS}
        return _("Few data: %(units)s. With fewer than %(needed)s, an interval is rough.") % known
    return _(INTERVAL_NOTES[code]) if code in INTERVAL_NOTES else ""


def counted_short(code: str | None, of: Counted | None) -> str:
    """Return the reason for a missing interval in a few words that fit in a table cell."""
    if of and code == TOO_FEW:
        return _("%(units)s, %(needed)s needed") % {"units": _units(of), "needed": FEWEST_ITEMS}
    return str(SHORT_NOTES.get(code or "", ""))


def withheld_sentence(limits: Iterable[Limits]) -> str:
    """Return that no coefficient of agreement has an interval, and why."""
    notes = dict.fromkeys(each.interval_note for each in limits if each.interval_note in ALL_WITHHELD)
    if not notes:
        return _("There are no intervals of agreement.")
    why = {"why": both([_(ALL_WITHHELD[note or ""]) for note in notes])}
    # Translators: "why" is one or several clauses such as "the items are all alike".
    return _("There are no intervals of agreement: %(why)s.") % why


def _units(of: Counted) -> str:
    n = of.n_units
    if of.interval_method == OF_SCENARIOS:
        sentence = ngettext("%(n)s scenario", "%(n)s scenarios", n)
    elif of.interval_method == OF_CONVERSATIONS:
        sentence = ngettext("%(n)s conversation", "%(n)s conversations", n)
    elif of.interval_method == OF_DIALOGUES:
        sentence = ngettext("%(n)s dialogue", "%(n)s dialogues", n)
    else:
        sentence = ngettext("%(n)s item", "%(n)s items", n)
    return sentence % {"n": f"{n:,}"}
