"""The answers to comparisons by pair of sources, and whether a side was preferred whoever stood there.

Shares and counts only: how strong a source is follows from a model of all pairs, in reporting/report/rankings.py.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db import connection

from annotation.models import Batch, Source, Study
from annotation.pairings import Pairings, Vote
from measures.intervals import wilson
from protocols.models import Option, ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec
from reporting.study.plain import spread

Role = Option.Role
Pair = tuple[int, int]
IDENTICAL = """
    SELECT coalesce(first.source_id, dialogue.source_id), coalesce(second.source_id, other.source_id), count(*)
    FROM annotation_identicalpair pair
    JOIN annotation_batch batch ON batch.id = pair.batch_id
    JOIN annotation_dialogue dialogue ON dialogue.id = pair.dialogue_id
    LEFT JOIN annotation_dialogue other ON other.id = pair.other_dialogue_id
    LEFT JOIN annotation_candidate first ON first.id = pair.first_id
    LEFT JOIN annotation_candidate second ON second.id = pair.second_id
    WHERE batch.study_id = %s AND batch.kind = %s GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % Wilson interval; None without answers."""

    value: float | None
    low: float | None
    high: float | None


def share_of(n: int, of: int) -> Share:
    if not of:
        return Share(None, None, None)
    interval = wilson(n, of)
    return Share(n / of, interval.low, interval.high)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The answers to a criterion about two sources. `identical` counts pairs of equal texts, which nobody was shown."""

    criterion: str
    source_a: str
    source_b: str
    prefers_a: int
    prefers_b: int
    equal: int
    both_bad: int
    other: int
    answers: int
    identical: int

    @property
    def both_bad_share(self) -> float | None:
        return self.both_bad / self.answers if self.answers else None


@dataclass(frozen=True, slots=True)
class SideBias:
    """The share of answers that prefer the left candidate, whoever stood there, among those that prefer a side.

    `unknown` counts preferences whose sides nobody knows, because they were imported. Of the `repeated` pairs, which
    one annotator saw from both sides, `same_candidate` were answered alike and `same_side` by the side.
    """

    criterion: str
    left: int
    right: int
    unknown: int
    left_share: Share = field(metadata=spread("left_share"))
    repeated: int
    same_candidate: int
    same_side: int
    same_share: Share = field(metadata=spread("same_share"))


def compared_criteria(spec: VersionSpec) -> list[CriterionSpec]:
    return [each for each in spec.criteria if each.unit == ProtocolVersion.Unit.COMPARISON]


def identical_pairs(study: Study) -> dict[Pair, int]:
    """Return {ids of two sources: pairs of equal texts} of the main batches."""
    with connection.cursor() as cursor:
        cursor.execute(IDENTICAL, [study.pk, Batch.Kind.MAIN])
        return {(first, second): n for first, second, n in cursor.fetchall()}


def pairings(
    criteria: Iterable[CriterionSpec],
    counts: Mapping[int, Mapping[str, int]],
    identical: Mapping[Pair, int],
    sources: Iterable[Source],
) -> list[Pairing]:
    """Return a row per criterion and pair of sources. `counts` has for each criterion what its cell stores."""
    keys = {source.pk: source.key for source in sources}
    place = {pk: at for at, pk in enumerate(keys)}
    rows = []
    for criterion in criteria:
        found: dict[Pair, Counter[str]] = {pair: Counter() for pair in identical}
        for vote, n in Pairings.from_json(counts.get(criterion.id, {})).votes.items():
            found.setdefault(vote[:2], Counter())[_role(criterion, vote.option)] += n
        for pair in sorted(found, key=lambda each: [place[pk] for pk in each]):
            rows.append(_pairing(criterion, keys, pair, found[pair], identical.get(pair, 0)))
    return rows


def _role(criterion: CriterionSpec, option_id: int) -> str:
    option = criterion.option_of(option_id)
    return option.role if option else ""


def _pairing(
    criterion: CriterionSpec, keys: Mapping[int, str], pair: Pair, roles: Counter[str], identical: int
) -> Pairing:
    named = (Role.LEFT, Role.RIGHT, Role.EQUAL, Role.BOTH_BAD)
    left, right, equal, both_bad = (roles[role] for role in named)
    total = roles.total()
    return Pairing(
        criterion=criterion.key,
        source_a=keys[pair[0]],
        source_b=keys[pair[1]],
        prefers_a=left,
        prefers_b=right,
        equal=equal,
        both_bad=both_bad,
        other=total - left - right - equal - both_bad,
        answers=total,
        identical=identical,
    )


def has_several_pairs(counts: Mapping[int, Mapping[str, int]]) -> bool:
    """Return whether the answers are about several pairs: then the first source of one is not that of another."""
    return len({vote[:2] for each in counts.values() for vote in Pairings.from_json(each).votes}) > 1


def side_bias(criterion: CriterionSpec, counts: Mapping[str, int]) -> SideBias:
    found = Pairings.from_json(counts)
    sides: Counter[str] = Counter()
    for vote, n in found.votes.items():
        sides[_side(criterion, vote)] += n
    repeated = sum(found.repetitions.values())
    same = sum(n for each, n in found.repetitions.items() if each.option == each.again)
    by_side = sum(
        n for each, n in found.repetitions.items() if criterion.mirrors[each.option].id == each.again != each.option
    )
    left, right = sides[Role.LEFT], sides[Role.RIGHT]
    return SideBias(
        criterion=criterion.key,
        left=left,
        right=right,
        unknown=sides["unknown"],
        left_share=share_of(left, left + right),
        repeated=repeated,
        same_candidate=same,
        same_side=by_side,
        same_share=share_of(same, repeated),
    )


def are_sides_known(counts: Mapping[int, Mapping[str, int]]) -> set[bool]:
    """Return True if the sides of an answer are known, False if those of one are not, both if there are both."""
    return {vote.is_swapped is not None for each in counts.values() for vote in Pairings.from_json(each).votes}


def _side(criterion: CriterionSpec, vote: Vote) -> str:
    """Return the side that was preferred: left or right, otherwise nothing."""
    option = criterion.option_of(vote.option)
    if option is None or option.role not in (Role.LEFT, Role.RIGHT):
        return ""
    if vote.is_swapped is None:
        return "unknown"
    return criterion.mirrors[option.id].role if vote.is_swapped else option.role
