"""The format of the study record in an archive: plain values, which are checked when a file is read.

`Study.imported_record` stores them. PostgreSQL does not keep the order of keys, so `in_order` restores it.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from protocols.schema import path_of

Path = tuple[str | int, ...]
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL cannot store these
AMOUNT = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?")
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
MOST_COUNTED = 10**9


@dataclass(frozen=True, slots=True)
class Leaf:
    """A single value; `expected` says in words what `fits` tests."""

    expected: str
    fits: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Maybe:
    of: "Shape"


@dataclass(frozen=True, slots=True)
class Many:
    most: int
    of: "Shape"


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping with `keys` in the order of reports. All keys are required, unless the record `is_open`."""

    keys: Mapping[str, "Shape"]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ByKind:
    """A record whose value of `kind` chooses its format."""

    records: Mapping[str, Record]


Shape = Leaf | Maybe | Many | Record | ByKind


# --- leaves ----------------------------------------------------------------------------------------
def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_COUNTED


def _is_day(value: Any) -> bool:
    if not (isinstance(value, str) and DAY.fullmatch(value)):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def text(most: int) -> Leaf:
    expected = gettext_noop("a text")
    return Leaf(expected, lambda it: isinstance(it, str) and len(it) <= most and not UNSTORABLE.search(it))


def between(low: float, high: float) -> Leaf:
    return Leaf(gettext_noop("a number"), lambda it: _is_number(it) and low <= it <= high)


def one_of(*values: str) -> Leaf:
    return Leaf(", ".join(values), lambda it: isinstance(it, str) and it in values)


COUNT = Leaf(gettext_noop("a whole number"), _is_count)
YES_OR_NO = Leaf(gettext_noop("true or false"), lambda it: isinstance(it, bool))
MONEY = Leaf(gettext_noop("an amount"), lambda it: isinstance(it, str) and AMOUNT.fullmatch(it) is not None)
DATE = Leaf(gettext_noop("a date"), _is_day)
SHARE, COEFFICIENT = between(0, 1), between(-1, 1)
KEY, CURRENCY = text(200), text(3)


def counts(*names: str) -> dict[str, Shape]:
    return dict.fromkeys(names, COUNT)


# --- the shape -------------------------------------------------------------------------------------
CRITERIA = Record(
    {
        "locations": Many(100, text(100)),
        "gender": one_of("balanced", "women", "men"),
        "first_languages": Many(100, text(100)),
        **counts("least_approval", "least_submissions"),
        "education": text(200),
        "expertise": text(200),
        "other": text(100_000),
    },
    is_open=True,
)
DEMOGRAPHICS = Record({
    "n": COUNT,
    "fields": Many(1000, Record({
        "name": text(500),
        "values": Many(100, Record({"value": text(500), "n": Maybe(COUNT)})),
    })),
})  # fmt: skip
RULE = Record({
    "method": one_of("panel_kappa", "majority_kappa", "gold"),
    "scope": one_of("pooled", "each"),
    "threshold_from": one_of("panel", "fixed"),
    "threshold": Maybe(COEFFICIENT),
    "panel_members": one_of("all", "expert", "non_expert"),
    "decision": one_of("point", "interval"),
    **counts("most_attempts", "attempts"),
    "used_low": Maybe(COEFFICIENT),
    "used_high": Maybe(COEFFICIENT),
})  # fmt: skip
QUALIFICATION = Record({
    "by": one_of("qualification", "team"),
    "rules": Many(1000, RULE),
    "panel_size": COUNT,
    "is_trained": YES_OR_NO,
    "has_comprehension_check": YES_OR_NO,
    **counts(
        "most_check_tries", "stopped_by_check", "tried", "passed", "failed", "undecided", "pending", "overridden"
    ),
})  # fmt: skip
ADJUDICATION = Record({
    **counts("batches", "items", "items_with_disagreement", "labels", "labels_agreed_at_first"),
    "by_criterion": Many(1000, Record({
        "criterion": KEY,
        **counts("disagreements", "re_rating", "adjudicated", "replaced", "open"),
    })),
})  # fmt: skip


def _plan(kind: str, **numbers: Shape) -> Record:
    head = {"kind": one_of(kind), "criterion": KEY, "is_blind": YES_OR_NO}
    return Record({**head, **numbers, "decisions": COUNT})


PLANS = ByKind({
    "shares": _plan(
        "shares", n_sample=COUNT, least_overall=SHARE, least_of_class=SHARE, fewest_of_class=COUNT, top_up_to=COUNT
    ),
    "fixed": _plan("fixed", n_sample=COUNT, most_errors=COUNT),
    "sequential": _plan(
        "sequential", good=SHARE, bad=SHARE, producer_risk=SHARE, consumer_risk=SHARE, most_sampled=COUNT
    ),
})  # fmt: skip
ACCEPTANCE = Record({
    "is_on": YES_OR_NO,
    "plans": Many(1000, PLANS),
    **counts("batches", "decisions", "accepted", "returned", "not_assessable", "overridden"),
    **counts("first_rounds", "first_pass"),
    **dict.fromkeys(("first_pass_yield", "first_pass_low", "first_pass_high"), Maybe(SHARE)),
    "accepted_batches": COUNT,
    "rounds": Many(1000, Record(counts("rounds", "batches"))),
    "mean_rounds": Maybe(between(0, MOST_COUNTED)),
    "more_than_one": Maybe(SHARE),
    **dict.fromkeys(("kappa", "kappa_low", "kappa_high"), Maybe(between(-10, 10))),
    "kappa_note": Maybe(one_of("too_few_items", "rare_answers", "unreliable", "no_standard_error")),
    "kappa_reason": Maybe(one_of("no_pairs", "no_variation")),
    "kappa_items": COUNT,
    "rework_hours": between(0, MOST_COUNTED),
})  # fmt: skip
LEDGER = Record({
    "paid": Many(1000, Record({
        "currency": CURRENCY,
        "n_work": COUNT,
        **dict.fromkeys(("work", "bonus", "correction", "total"), MONEY),
    })),
    "hourly_active": Maybe(MONEY),
    "hourly_elapsed": Maybe(MONEY),
    **counts("batches_timed", "batches_below_floor"),
    "is_below_floor": YES_OR_NO,
})  # fmt: skip
STUDY_RECORD = Record({
    # Annotators of the archive: the pseudonyms of team members, and how many people were asked for consent.
    "people": Record({"apart": Many(100_000, text(80)), "n_asked": COUNT}),
    "recruitment": Record({
        "criteria": CRITERIA,
        "wanted": Maybe(COUNT),
        "came": Many(100, Record({"platform": text(100), "n": COUNT})),
        "demographics": Maybe(DEMOGRAPHICS),
    }),
    "qualification": Maybe(QUALIFICATION),
    "feedback": Many(1000, Record({"since": DATE, "until": Maybe(DATE)})),
    "adjudication": Maybe(ADJUDICATION),
    "acceptance": Maybe(ACCEPTANCE),
    "pay": Record({"floor": MONEY, "floor_currency": CURRENCY, "ledger": Maybe(LEDGER)}),
})  # fmt: skip


# --- checking and ordering ---------------------------------------------------------------------------
def faults_of(value: Any, shape: Shape = STUDY_RECORD, place: Path = ()) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong with it) for everything in `value` that does not fit the shape."""
    match shape:
        case Leaf():
            if not shape.fits(value):
                yield path_of(place), _unlike(_(shape.expected))
        case Maybe():
            if value is not None:
                yield from faults_of(value, shape.of, place)
        case Many():
            if not isinstance(value, list) or len(value) > shape.most:
                yield path_of(place), _unlike(_("a list of at most %(n)s entries") % {"n": shape.most})
            else:
                for at, each in enumerate(value):
                    yield from faults_of(each, shape.of, (*place, at))
        case Record() | ByKind():
            yield from _faults_of_record(value, shape, place)


def _faults_of_record(value: Any, shape: Record | ByKind, place: Path) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield path_of(place), _unlike(_("a mapping"))
        return
    if isinstance(shape, ByKind):
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in shape.records:
            yield path_of((*place, "kind")), _unlike(", ".join(shape.records))
            return
        shape = shape.records[kind]
    for name in sorted(value.keys() - shape.keys.keys()):
        yield path_of((*place, name[:50])), _("is not a key of the format")
    for name, part in shape.keys.items():
        if name in value:
            yield from faults_of(value[name], part, (*place, name))
        elif not shape.is_open:
            yield path_of((*place, name)), _("is missing")


def _unlike(expected: str) -> str:
    return _("is not valid here; expected: %(expected)s") % {"expected": expected}


def in_order(value: Any, shape: Shape = STUDY_RECORD) -> Any:
    """Return a value that fits the shape, with the keys of every record in order."""
    match shape:
        case Maybe():
            return None if value is None else in_order(value, shape.of)
        case Many():
            return [in_order(each, shape.of) for each in value]
        case ByKind():
            return in_order(value, shape.records[value["kind"]])
        case Record():
            return {name: in_order(value[name], part) for name, part in shape.keys.items() if name in value}
    return value
