"""Find out which side of a dialogue asks, and number its turns: Q1, A1, A2, Q2. Pure functions."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

Turns = Sequence[dict[str, Any]]
# Names of the two sides in files, in lower case. "a" is not listed: it answers only where a "q" asks.
ASKS = frozenset({
    "user", "human", "customer", "client", "q", "question", "questioner", "asker", "seeker", "querent",
    "问", "提问", "提问者", "提问人", "问题", "用户", "客户", "顾客",
})  # fmt: skip
ANSWERS = frozenset({
    "assistant", "bot", "chatbot", "system", "answer", "answerer", "agent", "model", "ai", "support", "expert",
    "respondent", "responder", "response", "答", "回答", "回答者", "答主", "助手", "机器人", "客服", "专家",
})  # fmt: skip
# Speakers of instructions to a model and of tool output. They are context, unless nobody else answers.
FOLDED = frozenset({"tool", "tool call", "tool result", "function"})  # long, and seldom read
CONTEXT = frozenset({"system", "developer", "系统"}) | FOLDED


def _plain(speaker: str) -> str:
    return speaker.strip().rstrip(":：").casefold()


def asker_of(turns: Turns) -> str:
    """Return the first speaker whose name asks, otherwise the first whose name does not answer; empty if none."""
    speakers = list(dict.fromkeys(turn["speaker"] for turn in turns))
    asking = [each for each in speakers if _plain(each) in ASKS]
    others = [each for each in speakers if _plain(each) not in ANSWERS | CONTEXT]
    return next(iter(asking or others), "")


def told_asker(turns: Turns, told: str) -> str | None:
    """Return the speaker that an import names, as the turns write it; None if nobody of that name speaks."""
    return next((turn["speaker"] for turn in turns if turn["speaker"].strip() == told.strip()), None)


def numbered_turns(turns: Turns, asker: str = "") -> list[dict[str, Any]]:
    """Return each turn with its number, side (Q, A, or '' for context) and label. Without `asker`, names decide.

    Tool calls and their results are folded.
    """
    asks = asker or asker_of(turns)
    context = _context(turns, asks)
    counts: Counter[str] = Counter()
    numbered = []
    for number, turn in enumerate(turns, start=1):
        speaker = turn["speaker"]
        side = "Q" if speaker == asks else "" if speaker in context else "A"
        counts[side] += 1
        label, is_folded = f"{side}{counts[side]}" if side else "", not side and _plain(speaker) in FOLDED
        numbered.append(turn | {"number": number, "side": side, "label": label, "is_folded": is_folded})
    return numbered


def context_speakers(turns: Turns) -> set[str]:
    """Return the speakers that neither ask nor answer, judged by their names."""
    return _context(turns, asker_of(turns))


def _context(turns: Turns, asks: str) -> set[str]:
    """Return the speakers that neither ask nor answer. A `system` that replies, and alone does so, answers.

    A tool never does: where only tools have spoken after the user, the response to rate is the first answer.
    """
    speakers = [turn["speaker"] for turn in turns]
    found = {each for each in speakers if _plain(each) in CONTEXT and each != asks}
    if set(speakers) - found - {asks}:
        return found
    replies = speakers[speakers.index(asks) + 1 :] if asks in speakers else []
    return found - {each for each in replies if _plain(each) not in FOLDED}
