"""Studies in which annotators, conversations, turns and sources are crossed, with known means: for coverage."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from measures.mixed.design import Ratings

THRESHOLDS = {"interval": (), "binary": (0.0,), "ordinal": (-1.2, -0.4, 0.4, 1.2)}
CENTRE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStudy:
    """A design and the standard deviations of what is drawn.

    Attributes
    ----------
    votes : int
        Annotators of each panel.
    panel : str
        Who shares one: 'batch' (conversations of one of `batches`), 'conversation', or 'item'.
    is_matched : bool
        Every source answers in every conversation; else each conversation is of one source.
    gaps : float
        Share of ratings that are missing at random.
    load_spread : float
        Sigma of the lognormal chance to be drawn into a panel.
    """

    conversations: int = 40
    turns: int = 1
    sources: int = 3
    annotators: int = 30
    votes: int = 3
    panel: str = "conversation"
    batches: int = 1
    is_matched: bool = True
    scale: str = "interval"
    gaps: float = 0.0
    load_spread: float = 0.0
    conversation: float = 0.6
    conversation_source: float = 0.3
    turn: float = 0.0
    item: float = 0.3
    annotator: float = 0.5
    annotator_source: float = 0.25
    residual: float = 1.0

    @property
    def spread(self) -> float:
        """Return the standard deviation of a score."""
        parts = (self.conversation, self.conversation_source, self.turn, self.item, self.annotator)
        return math.hypot(*parts, self.annotator_source, self.residual)

    def means(self, effects: np.ndarray) -> np.ndarray:
        """The means of the sources on the scale, over new conversations and annotators, exactly."""
        thresholds = THRESHOLDS[self.scale]
        if not thresholds:
            return CENTRE + effects
        below = (np.array(thresholds) - CENTRE - effects[:, None]) / self.spread
        return special.ndtr(-below).sum(axis=1)

    def effects_for(self, shares: np.ndarray) -> np.ndarray:
        """Return the effects with which answers 0 and 1 have these shares of 1: the reverse of `means`."""
        return special.ndtri(shares) * self.spread - CENTRE

    def draw(self, effects: np.ndarray, rng: np.random.Generator) -> Ratings:
        """Draw panels, effects and answers."""
        shape = self.conversations, self.turns, self.sources
        conversation, turn, source = (each.ravel() for each in np.indices(shape))
        if not self.is_matched:
            own = source == conversation % self.sources
            conversation, turn, source = conversation[own], turn[own], source[own]
        panels = {"batch": conversation * self.batches // self.conversations, "conversation": conversation,
                  "item": np.arange(len(source))}[self.panel]  # fmt: skip
        load = np.exp(self.load_spread * rng.normal(size=self.annotators))
        arrival = rng.exponential(size=(int(panels.max()) + 1, self.annotators)) / load
        who = np.argsort(arrival, axis=1)[:, : self.votes][panels].ravel()
        conversation, turn, source = (np.repeat(each, self.votes) for each in (conversation, turn, source))
        given = rng.random(len(who)) >= self.gaps
        conversation, turn, source, who = (each[given] for each in (conversation, turn, source, who))
        score = CENTRE + effects[source] + rng.normal(0, self.residual, len(who))
        score += rng.normal(0, self.conversation, self.conversations)[conversation]
        score += rng.normal(0, self.conversation_source, (self.conversations, self.sources))[conversation, source]
        score += rng.normal(0, self.turn, shape[:2])[conversation, turn]
        score += rng.normal(0, self.item, shape)[conversation, turn, source]
        score += rng.normal(0, self.annotator, self.annotators)[who]
        score += rng.normal(0, self.annotator_source, (self.annotators, self.sources))[who, source]
        thresholds = THRESHOLDS[self.scale]
        value = (score[:, None] > thresholds).sum(axis=1).astype(float) if thresholds else score
        return Ratings(source, who, conversation, turn * self.sources + source, value)


def _taste(study: SourceStudy, name: str, *spreads: float) -> dict[str, SourceStudy]:
    return {f"{name}, taste {spread:g}": replace(study, annotator_source=spread) for spread in spreads}


_CROSSED = SourceStudy(conversations=42, annotators=7, votes=7, panel="batch", residual=0.8, item=0.0)
_BATCHES = SourceStudy(conversations=200, batches=20, annotators=6, panel="batch", residual=0.8, item=0.0)
_TURNS = SourceStudy(turns=5, annotators=7, votes=7, panel="batch", annotator_source=0.2)
_MATCHED = SourceStudy(turns=5, turn=0.3)
_INDEPENDENT = SourceStudy(conversations=90, is_matched=False)

STUDIES: dict[str, SourceStudy] = {
    **_taste(_CROSSED, "42 dialogues x 7 annotators", 0.0, 0.2, 0.4),
    **_taste(_BATCHES, "20 batches, 3 of 6 annotators", 0.0, 0.2, 0.4),
    **_taste(replace(_BATCHES, annotators=12), "20 batches, 3 of 12 annotators", 0.0, 0.2, 0.4),
    "each dialogue by 3 of 20 annotators": replace(_BATCHES, panel="conversation", annotators=20, annotator_source=0.2),
    "42 x 7 with 10 % gaps": replace(_CROSSED, gaps=0.1, annotator_source=0.2),
    **{f"40 conversations x 5 turns, conversation x source {spread:g}": replace(_TURNS, conversation_source=spread)
       for spread in (0.0, 0.25, 0.5)},
    "sparse, turns": _MATCHED,
    "sparse, turns, binary": replace(_MATCHED, scale="binary"),
    "sparse, turns, ordinal": replace(_MATCHED, scale="ordinal"),
    "sparse, a panel for each item, ordinal": replace(_MATCHED, scale="ordinal", panel="item"),
    "sparse, unequal loads, ordinal": replace(_MATCHED, scale="ordinal", load_spread=1.0),
    "sparse, 5 annotators, ordinal": replace(_MATCHED, scale="ordinal", annotators=5),
    "sparse, 5 annotators, binary": replace(_MATCHED, scale="binary", annotators=5),
    "sparse, one vote": replace(_MATCHED, votes=1),
    "independent dialogues": _INDEPENDENT,
    "independent dialogues, binary": replace(_INDEPENDENT, scale="binary"),
    "independent dialogues, 6 annotators, unequal loads": replace(_INDEPENDENT, annotators=6, load_spread=1.0),
    "12 dialogues x 3 annotators": replace(_CROSSED, conversations=12, annotators=3, votes=3),
}  # fmt: skip
