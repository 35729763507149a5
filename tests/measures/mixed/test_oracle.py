"""The model beside lme4 and lmerTest, on ten studies; tests/oracles/mixed.R made the values."""

import numpy as np
import pytest

from measures.mixed.design import told_apart
from measures.mixed.sources import SourceComparison, compare_sources
from tests.measures.mixed.reading import REFERENCE, STUDIES, study


@pytest.fixture(scope="module", params=STUDIES)
def compared(request: pytest.FixtureRequest) -> tuple[str, SourceComparison]:
    ratings = study(request.param)
    return request.param, compare_sources(ratings, int(ratings.source.max()) + 1)


def columns(name: str, part: str) -> dict[str, np.ndarray]:
    return dict(zip(REFERENCE[name]["columns"], np.array(REFERENCE[name][part]).T, strict=True))


def test_the_effects_are_those_that_the_design_can_tell_apart(compared: tuple[str, SourceComparison]) -> None:
    name, found = compared
    assert list(told_apart(study(name))[0]) == REFERENCE[name]["effects"]
    assert [each.effect for each in found.effects] == [*REFERENCE[name]["effects"], "residual"]
    assert found.n_ratings == REFERENCE[name]["n"]


def test_standard_deviations_are_those_of_lme4(compared: tuple[str, SourceComparison]) -> None:
    name, found = compared
    theirs = REFERENCE[name]["sds"]
    scale = theirs["residual"]
    assert {each.effect: each.sd / scale for each in found.effects} == pytest.approx(
        {effect: sd / scale for effect, sd in theirs.items()}, abs=1e-4
    )


@pytest.mark.parametrize("part", ["means", "differences"])
def test_estimates_errors_and_degrees_of_freedom_are_those_of_lmertest(
    compared: tuple[str, SourceComparison], part: str
) -> None:
    name, found = compared
    theirs, ours = columns(name, part), getattr(found, part)
    estimates = [each.estimate for each in ours]
    np.testing.assert_allclose([each.value for each in estimates], theirs["estimate"], atol=1e-4, rtol=0)
    np.testing.assert_allclose([each.standard_error for each in estimates], theirs["error"], rtol=1e-4)
    np.testing.assert_allclose([each.degrees_of_freedom for each in ours], theirs["df"], rtol=5e-3)
    limits = np.array([(each.low, each.high) for each in estimates])
    np.testing.assert_allclose(limits, np.column_stack([theirs["low"], theirs["high"]]), atol=1e-3 * np.ptp(limits))


def test_p_values_are_those_of_lmertest(compared: tuple[str, SourceComparison]) -> None:
    name, found = compared
    np.testing.assert_allclose(
        [each.p_value for each in found.differences], columns(name, "differences")["p"], atol=1e-4
    )
