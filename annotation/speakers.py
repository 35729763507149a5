"""Who says the next turn of a dialogue. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any


def next_speaker(turns: Iterable[Mapping[str, Any]]) -> str:
    """Of two speakers, the one who did not speak last; empty when one or more than two have spoken."""
    speakers = [str(turn["speaker"]) for turn in turns]
    others = set(speakers) - set(speakers[-1:])
    return others.pop() if len(others) == 1 else ""
