"""Find out who says the next turn of a dialogue."""

from collections.abc import Sequence
from typing import Any

from annotation.numbering import asker_of, context_speakers


def next_speaker(turns: Sequence[dict[str, Any]]) -> str:
    """Return the one of two speakers who did not speak last; empty if one or more than two have spoken.

    Instructions and tool output are context: after them, the speaker who does not ask goes on.
    """
    context = context_speakers(turns)
    speakers = [str(turn["speaker"]) for turn in turns if turn["speaker"] not in context]
    is_after_context = bool(context) and turns[-1]["speaker"] in context
    others = set(speakers) - ({asker_of(turns)} if is_after_context else set(speakers[-1:]))
    return others.pop() if len(set(speakers)) > 1 and len(others) == 1 else ""
