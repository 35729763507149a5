"""Read the screens of a batch, and number what an annotator sees as one piece.

A position of the batch is one screen. The screens of one conversation, turn after turn, are one piece; any other screen
is a piece of its own: a dialogue, a pair, or responses of one model.

Annotators see screens in the order of the batch, or in an order that follows from the seed of their work. Then turns
stay in order, pairs of one scenario stay together, before or after its whole dialogues as the protocol asks about them,
and pairs that are shown again come last.
"""

from typing import NamedTuple

from django.db import connection
from django.utils.translation import gettext, gettext_lazy

from annotation.models import Assignment

# Repeated pairs, and pairs of whole dialogues, are turns of nothing.
SCREENS = """
    WITH screen AS (
        SELECT item.position, bool_or(item.unit <> 'dialogue') AS is_turn, bool_and(item.unit = 'model') AS is_model,
            bool_or(item.other_dialogue_id IS NOT NULL) AS is_of_dialogues,
            bool_or(item.repeats_id IS NOT NULL) AS is_again,
            min(dialogue.scenario) FILTER (WHERE item.repeats_id IS NULL AND dialogue.source_id IS NOT NULL)
                AS scenario,
            count(*) = 1 AND min(item.unit) = 'comparison' AS is_pair,
            min(dialogue.conversation) FILTER (WHERE item.repeats_id IS NULL AND item.other_dialogue_id IS NULL)
                AS conversation
        FROM annotation_item item LEFT JOIN annotation_dialogue dialogue ON dialogue.id = item.dialogue_id
        WHERE item.batch_id = %(batch)s GROUP BY item.position),
    talk AS (
        SELECT *, min(position) OVER together AS first_position,
            min(position) FILTER (WHERE is_of_dialogues) OVER together AS first_pair
        FROM screen WINDOW together AS (PARTITION BY CASE
            WHEN scenario <> '' THEN 'scenario ' || scenario WHEN conversation IS NOT NULL THEN 'talk ' || conversation
            ELSE 'screen ' || position END)),
    ordered AS (SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM talk),
    piece AS (
        SELECT *, min(place) OVER same AS first, count(*) OVER same > 1 AS has_turns,
            count(*) FILTER (WHERE is_turn) OVER (same ORDER BY place) AS turn,
            count(*) FILTER (WHERE is_turn) OVER same AS n_turns
        FROM ordered
        WINDOW same AS (PARTITION BY conversation, CASE WHEN conversation IS NULL THEN position END)),
    numbered AS (
        SELECT position, lag(position) OVER following AS previous, lead(position) OVER following AS next, place,
            dense_rank() OVER (ORDER BY first) AS piece, count(*) FILTER (WHERE first = place) OVER () AS n_pieces,
            CASE WHEN has_turns THEN 'conversation' WHEN is_model THEN 'model'
                WHEN is_of_dialogues OR bool_and(is_pair) OVER () THEN 'pair' ELSE 'dialogue' END AS kind,
            CASE WHEN has_turns AND is_turn THEN turn ELSE 0 END AS turn, CASE WHEN has_turns THEN n_turns ELSE 0 END,
            bool_or(has_turns) OVER () AS has_conversations, is_of_dialogues
        FROM piece WINDOW following AS (ORDER BY place))
    SELECT * FROM numbered
"""
AS_DEALT = "position"
SHUFFLED = """
    is_again, is_model, md5(%(seed)s || ':' || first_position), first_position,
    CASE WHEN position < first_pair THEN 0 WHEN is_of_dialogues THEN 1 ELSE 2 END,
    CASE WHEN is_of_dialogues THEN md5(%(seed)s || ':' || position) END, position
"""
CONVERSATION, PAIR = "conversation", "pair"
PIECES = {
    CONVERSATION: gettext_lazy("Conversation %(number)s"),
    "model": gettext_lazy("Collection %(number)s"),
    PAIR: gettext_lazy("Pair %(number)s"),
    "dialogue": gettext_lazy("Dialogue %(number)s"),
}


class Screen(NamedTuple):
    """A screen among those of its batch. `turn` counts from 1; 0 is the whole dialogue after the turns, or no turn."""

    position: int
    previous: int | None
    next: int | None
    place: int
    piece: int
    n_pieces: int
    kind: str  # conversation, model, pair or dialogue
    turn: int
    n_turns: int
    has_conversations: bool  # whether the batch has any
    compares_dialogues: bool

    @property
    def word(self) -> str:
        """Return what the pieces of the batch are called together."""
        return CONVERSATION if self.has_conversations else self.kind

    @property
    def piece_name(self) -> str:
        return str(PIECES[self.kind] % {"number": self.piece})

    @property
    def name(self) -> str:
        """Return what is on the screen, as a heading."""
        if not self.turn:
            return self.piece_name
        return gettext("Conversation %(number)s, turn %(turn)s") % {"number": self.piece, "turn": self.turn}


ALONE = Screen(1, None, None, 1, 1, 1, "dialogue", 0, 0, False, False)  # of a preview


def screens_of(assignment: Assignment) -> list[Screen]:
    """Return the screens of the batch, in the annotator's order."""
    return _screens(f"{SCREENS} ORDER BY place", assignment)


def screen_at(assignment: Assignment, position: int) -> Screen:
    return _screens(f"{SCREENS} WHERE position = %(position)s", assignment, position=position)[0]


def _screens(statement: str, assignment: Assignment, **values: int | str) -> list[Screen]:
    order = SHUFFLED if assignment.is_shuffled else AS_DEALT
    asked = {"batch": assignment.batch_id, "seed": str(assignment.seed), **values}
    with connection.cursor() as cursor:
        cursor.execute(statement.format(order=order), asked)
        return [Screen(*row) for row in cursor.fetchall()]
