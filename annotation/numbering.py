"""Which side of a dialogue asks, and the numbers of its turns: Q1, A1, A2, Q2. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

Turns = Sequence[dict[str, Any]]
# Names by which files call the two sides, in small letters. A lone "A" answers only where a "Q" asks.
ASKS = frozenset({
    "user", "human", "customer", "client", "q", "question", "questioner", "asker", "seeker", "querent",
    "问", "提问", "提问者", "提问人", "问题", "用户", "客户", "顾客",
})  # fmt: skip
ANSWERS = frozenset({
    "assistant", "bot", "chatbot", "system", "answer", "answerer", "agent", "model", "ai", "support", "expert",
    "respondent", "responder", "response", "答", "回答", "回答者", "答主", "助手", "机器人", "客服", "专家",
})  # fmt: skip
# Instructions to a model and what its tools say: context, unless nobody else answers.
CONTEXT = frozenset({"system", "developer", "tool", "function", "系统"})


def _plain(speaker: str) -> str:
    return speaker.strip().rstrip(":：").casefold()


def asker_of(turns: Turns) -> str:
    """The speaker who asks as the names tell, else the one who speaks first; empty when everybody answers."""
    speakers = list(dict.fromkeys(turn["speaker"] for turn in turns))
    asking = [each for each in speakers if _plain(each) in ASKS]
    others = [each for each in speakers if _plain(each) not in ANSWERS | CONTEXT]
    return next(iter(asking or others), "")


def told_asker(turns: Turns, told: str) -> str | None:
    """The speaker an import names, as the turns write it; None when nobody of that name speaks."""
    return next((turn["speaker"] for turn in turns if turn["speaker"].strip() == told.strip()), None)


def numbered_turns(turns: Turns, asker: str = "") -> list[dict[str, Any]]:
    """Each turn with its number, its side (Q, A, or nothing for context) and its label. Without `asker`, names tell."""
    asks = asker or asker_of(turns)
    context = _context(turns, asks)
    counts: Counter[str] = Counter()
    numbered = []
    for number, turn in enumerate(turns, start=1):
        speaker = turn["speaker"]
        side = "Q" if speaker == asks else "" if speaker in context else "A"
        counts[side] += 1
        numbered.append(turn | {"number": number, "side": side, "label": f"{side}{counts[side]}" if side else ""})
    return numbered


def context_of(turns: Turns) -> set[str]:
    """The speakers that neither ask nor answer, as the names tell."""
    return _context(turns, asker_of(turns))


def _context(turns: Turns, asks: str) -> set[str]:
    """Speakers that neither ask nor answer. A `system` that replies, and alone does so, is the one that answers."""
    speakers = [turn["speaker"] for turn in turns]
    found = {each for each in speakers if _plain(each) in CONTEXT and each != asks}
    if set(speakers) - found - {asks}:
        return found
    replies = speakers[speakers.index(asks) + 1 :] if asks in speakers else []
    return found - set(replies)
