"""What is known of the variances that a plan is made from, and the usual ones where nothing is."""

from dataclasses import dataclass

from measures.pilots import COMPONENTS

SHARE, SCALE, WINS = "share", "scale", "wins"
DEFAULTS, PILOT, MAIN, OWN = "defaults", "pilot", "main", "own"
# For answers that are positive or not, 67 per cent positive; docs/statistics.md (Planning) uses the same digits.
DEFAULT_BETWEEN, DEFAULT_WITHIN = 0.0388, 0.2927
# The rest of the variance of such answers, if sources have dialogues of their own.
DEFAULT_BETWEEN_UNMATCHED = 2 * 0.67 * 0.33 - DEFAULT_WITHIN
# For preferences of which a quarter are ties, and whose log odds differ with an sd of .7 between dialogues.
DEFAULT_BETWEEN_WINS, DEFAULT_WITHIN_WINS = 0.0170, 0.1680
FEWEST_DIALOGUES, FEWEST_ANNOTATORS = 20, 3  # variances from fewer are rough


@dataclass(frozen=True, slots=True)
class Variances:
    """Variances of the difference of two sources, in squared points, and their origin.

    The counts say how much data they were estimated from; they are 0 for defaults and own values.
    """

    s_between: float
    s_within: float
    s_annotator: float
    origin: str
    n_pairs: int = 0
    n_dialogues: int = 0
    n_annotators: int = 0
    at_zero: tuple[str, ...] = ()
    s_turn: float = 0.0
    are_turns_known: bool = True  # not from dialogues of one turn

    @property
    def parts(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in COMPONENTS}

    @property
    def is_rough(self) -> bool:
        return self.origin in (PILOT, MAIN) and (
            self.n_dialogues < FEWEST_DIALOGUES or self.n_annotators < FEWEST_ANNOTATORS
        )


def default_variances(span: float, unit: str = SHARE, *, is_matched: bool = True) -> Variances:
    """Return the variances of win rates, or of a share, stretched to `span`.

    For a scale this assumes that every answer is at one of its ends, so they are larger than real variances.
    """
    if unit == WINS:
        return Variances(DEFAULT_BETWEEN_WINS, DEFAULT_WITHIN_WINS, 0.0, DEFAULTS)
    between = DEFAULT_BETWEEN if is_matched else DEFAULT_BETWEEN_UNMATCHED
    return Variances(between * span**2, DEFAULT_WITHIN * span**2, 0.0, DEFAULTS)
