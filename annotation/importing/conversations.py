"""Check that the dialogues of a conversation are its turns: each history goes on where the one before ends."""

from collections.abc import Sequence

import orjson
from django.utils.translation import gettext as _

from annotation.importing.copying import fetch
from annotation.importing.outcome import MOST_ERRORS, refuse
from annotation.models import Study
from annotation.selectors.waiting import IN_ORDER

# Neighbours by length are enough: if each history begins with the one before, it begins with all of them.
BROKEN = f"""
    WITH named AS (
        SELECT DISTINCT conversation FROM annotation_dialogue
        WHERE study_id = %(study)s AND position >= %(base)s AND conversation <> key),
    ordered AS (
        SELECT dialogue.position, key, conversation, turns, batch_key, jsonb_array_length(turns) AS n,
            lag(dialogue.position) OVER following AS position_before, lag(key) OVER following AS key_before,
            lag(turns) OVER following AS turns_before, lag(batch_key) OVER following AS batch_before,
            scenario, lag(scenario) OVER following AS scenario_before
        FROM annotation_dialogue dialogue JOIN named USING (conversation)
        WHERE study_id = %(study)s AND NOT is_textless
        WINDOW following AS (PARTITION BY conversation ORDER BY {IN_ORDER.format("dialogue")}))
    SELECT position, position_before, key, key_before, turns, turns_before, batch_key, batch_before,
        scenario, scenario_before, count(*) OVER ()
    FROM ordered
    WHERE batch_key <> batch_before OR scenario <> scenario_before OR NOT (
        turns_before = jsonb_path_query_array(
            turns, '$[0 to $last]', jsonb_build_object('last', coalesce(jsonb_array_length(turns_before), 1) - 1))
        OR n = 1 AND starts_with(turns -> 0 ->> 'text', turns_before -> 0 ->> 'text'))
    ORDER BY position LIMIT %(most)s
"""


def refuse_broken_conversations(study: Study, lines: Sequence[int], base: int) -> None:
    """Raise ImportRejected naming each dialogue that cannot be a turn of its conversation.

    `lines` are those of the dialogues that were just stored, from the position `base` on.
    """
    rows = fetch(BROKEN, {"study": study.pk, "base": base, "most": MOST_ERRORS})
    errors = []
    for position, before, *found, _total in rows:
        new = position if position >= base else before
        errors.append((lines[new - base], *_what_is_wrong(*found)))
    refuse(errors, rows[0][-1] if rows else 0)


def _what_is_wrong(
    key: str,
    before: str,
    turns: str,
    turns_before: str,
    batch: str,
    batch_before: str,
    scenario: str,
    scenario_before: str,
) -> tuple[str, str]:
    """Return the field and the reason."""
    if batch != batch_before:
        text = _("%(key)r is for batch %(batch)r and %(other)r of the same conversation for %(batch_before)r: name one")
        return "batch", text % {"key": key, "batch": batch, "other": before, "batch_before": batch_before}
    if scenario != scenario_before:
        text = _(
            "%(key)r has the scenario %(scenario)r and %(other)r of the same conversation %(scenario_before)r: name one"
        )
        said = {"key": key, "scenario": scenario, "other": before, "scenario_before": scenario_before}
        return "scenario", text % said
    pairs = zip(orjson.loads(turns), orjson.loads(turns_before), strict=False)
    at = next(n for n, (one, other) in enumerate(pairs, start=1) if one != other)
    text = _(
        "%(key)r does not go on where %(other)r ends: turn %(n)s differs. Turns of one conversation share their "
        "history; give this dialogue a conversation of its own"
    )
    return "conversation", text % {"key": key, "other": before, "n": at}
