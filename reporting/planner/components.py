"""Variance components of the difference of two sources, from a study's own ratings or comparisons."""

import numpy as np

from annotation.models import Study
from annotation.selectors.comparisons import pairs_of_kind
from measures.estimate import TOO_FEW_ITEMS
from measures.pilots import Components, components_of, components_of_comparisons
from measures.preferences.comparisons import BOTH_BAD, LEFT, RIGHT, TIE, Comparisons
from protocols.models import Option, ProtocolVersion
from protocols.specs import CriterionSpec, spec_of
from reporting.study.comparing import compared
from reporting.study.scores import ratings_of, scale_of
from reporting.study.votes import StudyVotes, study_votes

Role = Option.Role
OUTCOMES = {Role.LEFT: LEFT, Role.RIGHT: RIGHT, Role.EQUAL: TIE, Role.BOTH_BAD: BOTH_BAD}


def pilot_components(study: Study, criterion: CriterionSpec, kind: str, sources: list[int]) -> Components:
    """Return the components of one criterion in batches of one kind, for any two of `sources` (ids).

    They are those of the report's comparison: the same scores, and the same model. The number of queries does not grow
    with the ratings.
    """
    if criterion.unit == ProtocolVersion.Unit.COMPARISON:
        votes = study_votes(study, spec_of(study.protocol_version), kind)
        return components_of_comparisons(_comparisons(study, votes, criterion, kind, sources))
    scale = scale_of(criterion)
    if scale is None:
        return Components.without(TOO_FEW_ITEMS)
    votes = study_votes(study, spec_of(study.protocol_version), kind)
    ratings = ratings_of(votes.by_criterion[criterion.id], scale, sources)
    return components_of(ratings, compared(ratings, len(sources), scale.ends))


def _comparisons(
    study: Study, votes: StudyVotes, criterion: CriterionSpec, kind: str, sources: list[int]
) -> Comparisons:
    """Return the answers about two of `sources` by candidate: which side each stood on does not matter here."""
    outcomes = {each.id: OUTCOMES[Role(each.role)] for each in criterion.options if each.role in OUTCOMES}
    rows = np.flatnonzero(votes.of(criterion) & np.isin(votes.option, list(outcomes)))
    place, known = {pk: at for at, pk in enumerate(sources)}, pairs_of_kind(study.pk, kind)
    of_item = votes.items.id[votes.item[rows]].tolist()
    sides = np.array([[place.get(pk, -1) for pk in known.get(item, (0, 0))] for item in of_item], int).reshape(-1, 2)
    is_wanted = (sides >= 0).all(axis=1)
    rows, (first, second) = rows[is_wanted], sides[is_wanted].T
    return Comparisons.of(
        len(sources), first, second, [outcomes[option] for option in votes.option[rows].tolist()],
        annotator=votes.annotator[rows], cluster=votes.items.groups[votes.item[rows]],
    )  # fmt: skip
