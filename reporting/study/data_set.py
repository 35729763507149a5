"""Statistics of a data set of dialogues: sizes, tokens of each side, and the mix of domains, topics and labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from annotation.numbering import numbered_turns
from protocols.word_count import count_words
from reporting.study.scores import percent

CONTEXT = "context"
SIDES = {"Q": "question", "A": "answer", "": CONTEXT}  # by the side of a numbered turn
MIXES = {"domain": ("domain", "domains"), "topic": ("topic", "topics")}
MOST_VALUES = 50  # of a mix: rarer values are counted together
TOKENS = (
    "A token is a word between blanks; each Chinese or Japanese character counts as one, and Chinese punctuation as "
    "none."
)
TURNS = (
    "An utterance is one message. A turn is what one side says before the other side speaks; instructions to a model "
    "and results of its tools are context and belong to neither side."
)


@dataclass(frozen=True, slots=True)
class Share:
    """The `n` dialogues with a value, and their percentage, None without dialogues. None stands for rare values."""

    value: str | None
    n: int
    percent: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics of dialogues; sides are "question", "answer" and, if there is any, "context". Means are None of 0."""

    dialogues: int
    utterances: int
    turns: int
    utterances_per_dialogue: float | None
    turns_per_dialogue: float | None
    utterances_by_side: dict[str, int]
    tokens: dict[str, int]  # by side, and of "all"
    tokens_per_dialogue: dict[str, float | None]
    tokens_per_utterance: dict[str, float | None]
    domains: list[Share]
    topics: list[Share]
    labels: list[Share]
    tokenisation: str = TOKENS
    counting: str = TURNS


@dataclass(slots=True)
class DataSet:
    """Sums over dialogues that are added one by one."""

    dialogues: int = 0
    utterances: int = 0
    turns: int = 0
    tokens: Counter[str] = field(default_factory=Counter)  # by side
    said: Counter[str] = field(default_factory=Counter)  # utterances by side
    mixes: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in MIXES})
    labels: Counter[str] = field(default_factory=Counter)

    def add(self, turns: Sequence[dict[str, Any]], metadata: Mapping[str, Any], asker: str = "") -> None:
        """Add a dialogue. Without `asker`, the asking side is recognised by the names of the speakers."""
        self.dialogues += 1
        self.utterances += len(turns)
        numbered = numbered_turns(turns, asker)
        for turn in numbered:
            self.tokens[SIDES[turn["side"]]] += count_words(turn["text"])
            self.said[SIDES[turn["side"]]] += 1
        self.turns += sum(1 for _side in groupby(turn["side"] for turn in numbered if turn["side"]))
        for name, fields in MIXES.items():
            value: Any = next((metadata[each] for each in fields if metadata.get(each) is not None), [])
            self.mixes[name].update(map(str, value if isinstance(value, list) else [value]))

    def figures(self) -> Figures:
        sides = [side for side in SIDES.values() if side != CONTEXT or self.said[side]]
        said = {"all": self.utterances} | {side: self.said[side] for side in sides}
        tokens = {"all": self.tokens.total()} | {side: self.tokens[side] for side in sides}
        return Figures(
            dialogues=self.dialogues,
            utterances=self.utterances,
            turns=self.turns,
            utterances_per_dialogue=_mean(self.utterances, self.dialogues),
            turns_per_dialogue=_mean(self.turns, self.dialogues),
            utterances_by_side={side: self.said[side] for side in sides},
            tokens=tokens,
            tokens_per_dialogue={side: _mean(n, self.dialogues) for side, n in tokens.items()},
            tokens_per_utterance={side: _mean(n, said[side]) for side, n in tokens.items()},
            domains=mix_of(self.mixes["domain"]),
            topics=mix_of(self.mixes["topic"]),
            labels=mix_of(self.labels),
        )


def mix_of(counts: Mapping[str, int]) -> list[Share]:
    """Return the values with their shares, the most frequent first; the rest is counted together under None."""
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    total, rest = sum(counts.values()), sum(n for _, n in ordered[MOST_VALUES:])
    shown: list[tuple[str | None, int]] = [*ordered[:MOST_VALUES], *([(None, rest)] if rest else [])]
    return [Share(value, n, percent(n, total)) for value, n in shown]


def _mean(total: int, n: int) -> float | None:
    return round(total / n, 2) if n else None
