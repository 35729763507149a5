"""Variance components of the difference of two sources, from a study's own ratings."""

from itertools import combinations

from annotation.models import Study
from measures.planning import Components, mean_components
from protocols.specs import CriterionSpec, spec_of
from reporting.study.scores import blocks_of, scale_of
from reporting.study.votes import study_votes


def pilot_components(study: Study, criterion: CriterionSpec, kind: str, sources: list[int]) -> Components:
    """Return the components of one criterion in batches of one kind, as the mean over all pairs of `sources` (ids).

    Scores are those of the report's comparison: the numbers of a scale that has them, otherwise 1 for a positive
    answer and 0 for any other. Batches rated by the same people are one block. The number of queries does not grow
    with the ratings.
    """
    scale = scale_of(criterion)
    if scale is None:
        return mean_components([])
    votes = study_votes(study, spec_of(study.protocol_version), kind)
    arrays = blocks_of(votes.by_criterion[criterion.id], scale, sources).arrays
    pairs = combinations(range(len(sources)), 2)
    return mean_components([[array[:, :, a] - array[:, :, b] for array in arrays] for a, b in pairs])
