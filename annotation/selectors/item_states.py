"""Find out how far one annotator is with every item of a batch, in their own order, for the strip and the review.

It takes two queries and creates no objects for answers, because a batch may have thousands of dialogues.
"""

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection

from annotation.models import Assignment
from annotation.selectors.marks import skips
from annotation.selectors.screens import CONVERSATION, PAIR, Screen, screens_of
from annotation.steps import place_of, step_numbers
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of

Unit = ProtocolVersion.Unit
# `opens` lists the options that lead to further questions, and to how many.
STATES = """
    SELECT item.id, item.token::text, item.position, item.unit, coalesce(given.n_given, 0), coalesce(given.n_opened, 0),
        coalesce(given.is_changed, false), coalesce(mark.is_unsure, false),
        coalesce(mark.reason, '')
    FROM annotation_item item
    LEFT JOIN (
        SELECT rating.item_id, count(*) FILTER (WHERE rating.criterion_id = ANY(%(asked)s)) AS n_given,
            sum(opens.n) AS n_opened,
            bool_or(rating.revision > 1 AND rating.criterion_id = ANY(%(asked)s)) AS is_changed
        FROM annotation_rating rating
        LEFT JOIN unnest(%(options)s::bigint[], %(opened)s::int[]) AS opens (option, n)
            ON opens.option = rating.option_id
        WHERE rating.assignment_id = %(assignment)s AND rating.is_active
        GROUP BY rating.item_id) given ON given.item_id = item.id
    LEFT JOIN annotation_itemmark mark ON mark.assignment_id = %(assignment)s AND mark.item_id = item.id
    WHERE item.batch_id = %(batch)s AND item.unit = ANY(%(units)s)
"""


class State(IntEnum):
    OPEN = 0
    PARTLY = 1
    DONE = 2


class ItemState(NamedTuple):
    """An item's state. `number` counts the items of its unit on the screen from 1."""

    pk: int
    token: str
    screen: Screen
    unit: str
    number: int
    n_items: int
    state: State
    is_unsure: bool
    flag: str
    is_changed: bool
    is_skipped: bool
    is_asked: bool  # whether any question is asked, given the answers so far

    @property
    def position(self) -> int:
        return self.screen.position

    @property
    def piece(self) -> int:
        return self.screen.piece

    @property
    def turn(self) -> int:
        """Return the turn that the item is about; 0 for a whole dialogue and outside of conversations."""
        return 0 if self.unit == Unit.DIALOGUE else self.screen.turn

    @property
    def is_turn(self) -> bool:
        """Return whether the item is all there is to rate of its turn, so that it is called by it."""
        return self.turn > 0 and self.n_items == 1

    @property
    def is_missing(self) -> bool:
        return self.state != State.DONE and not self.is_skipped


def item_states(assignment: Assignment, criteria: Sequence[CriterionSpec] | None = None) -> list[ItemState]:
    """Return the state of every item that is asked about, dialogue by dialogue; by `criteria` only, if given."""
    spec = spec_of(assignment.batch.study.protocol_version)
    chosen = [each for each in criteria or spec.criteria if each.is_asked]
    units = [unit for unit in spec.units if any(each.unit == unit for each in chosen)]
    may_skip, base = skips(assignment), Counter(each.unit for each in chosen if not each.when)
    found: list[ItemState] = []
    screens = {screen.position: screen for screen in screens_of(assignment)}
    in_order = sorted(_rows(assignment, spec, chosen, units), key=lambda row: screens[row[2]].place)
    for position, group in groupby(in_order, key=lambda row: row[2]):
        ordered = rows = list(group)
        if len(rows) > 1:
            ordered = sorted(rows, key=lambda row: (units.index(row[3]), place_of(assignment.seed, row[1])))
        n_items = Counter(row[3] for row in rows)
        seen: Counter[str] = Counter()
        for pk, token, _at, unit, n_given, n_opened, is_changed, is_unsure, flag in ordered:
            seen[unit] += 1
            is_done = n_given >= base[unit] + n_opened
            state = State.DONE if is_done else State.PARTLY if n_given else State.OPEN
            found.append(
                ItemState(
                    pk, token, screens[position], unit, seen[unit], n_items[unit], state, is_unsure, flag, is_changed,
                    may_skip and flag != "" and state != State.DONE, bool(base[unit] or n_opened or n_given),
                )
            )  # fmt: skip
    return found


def _rows(
    assignment: Assignment, spec: VersionSpec, chosen: Sequence[CriterionSpec], units: Sequence[str]
) -> list[Any]:
    opens = Counter(
        spec.by_key[condition.criterion].option_named(key).id
        for each in chosen
        for condition in each.when
        for key in condition.options
    )
    values: dict[str, Any] = {
        "asked": [each.id for each in chosen], "units": list(units),
        "options": list(opens), "opened": list(opens.values()), "assignment": assignment.pk,
        "batch": assignment.batch_id,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(STATES, values)
        return cursor.fetchall()


# --- the strip -------------------------------------------------------------------------------------------
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"  # 0 to 31: one letter per item keeps a batch of thousands small
UNSURE, FLAGGED, CHANGED = 4, 8, 16


def strip_of(assignment: Assignment) -> dict[str, Any]:
    """Return {word, units, shapes, screens}, without any id or token. `word` says what the pieces of the batch are.

    A screen is [position, index of its shape, one letter per item]; of a conversation, it has the number of the piece
    and the turn too. A shape has, for each item, the index of its unit in `units` and the numbers of the steps that ask
    about it; most screens of a batch share a shape.
    """
    spec = spec_of(assignment.batch.study.protocol_version)
    is_pair, word = False, ""  # a study compares responses or whole dialogues, not both
    shapes: dict[tuple[int, ...], int] = {}
    screens: list[list[Any]] = []
    for screen, group in groupby(item_states(assignment), key=lambda each: each.screen):
        items = list(group)
        is_pair, word = is_pair or screen.kind == PAIR, screen.word
        counts = Counter(each.unit for each in items)
        shape = shapes.setdefault(tuple(counts[unit] for unit in spec.units), len(shapes))
        marks = (UNSURE * each.is_unsure + FLAGGED * (each.flag != "") + CHANGED * each.is_changed for each in items)
        letters = (ALPHABET[each.state + mark] for each, mark in zip(items, marks, strict=True))
        place = [screen.piece, screen.turn] if screen.kind == CONVERSATION else []
        screens.append([screen.position, shape, "".join(letters), *place])
    described = []
    for counts_of_shape in shapes:
        n_items = dict(zip(spec.units, counts_of_shape, strict=True))
        numbers = step_numbers(spec, n_items)
        described.append(
            [
                [at, sorted(set(numbers[unit, number].values()))]
                for at, unit in enumerate(spec.units)
                for number in range(1, n_items[unit] + 1)
            ]
        )
    names = [PAIR if unit == Unit.COMPARISON and is_pair else unit for unit in spec.units]
    return {"word": word, "units": names, "shapes": described, "screens": screens}
