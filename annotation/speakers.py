"""Who says the next turn of a dialogue. Pure."""

from collections.abc import Sequence
from typing import Any

from annotation.numbering import asker_of, context_of


def next_speaker(turns: Sequence[dict[str, Any]]) -> str:
    """Of two speakers, the one who did not speak last; empty when one or more than two have spoken.

    Instructions and what tools say are context: behind them goes on who does not ask.
    """
    context = context_of(turns)
    speakers = [str(turn["speaker"]) for turn in turns if turn["speaker"] not in context]
    is_after_context = bool(context) and turns[-1]["speaker"] in context
    others = set(speakers) - ({asker_of(turns)} if is_after_context else set(speakers[-1:]))
    return others.pop() if len(set(speakers)) > 1 and len(others) == 1 else ""
