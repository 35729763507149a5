"""The cumulative-link mixed model beside ordinal (clmm) and lme4 (glmer), by tests/oracles/cumulative.R."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measures.mixed.design import ANNOTATOR, ANNOTATOR_SOURCE, CONVERSATION, ITEM, Ratings, told_apart
from measures.ordinal import effects as levels
from measures.ordinal.answers import likelihood
from measures.ordinal.model import CumulativeModel
from measures.ordinal.odds import NO_VARIATION, SEPARATED, TOO_LARGE, odds_ratios
from tests.measures.mixed.reading import study

REFERENCE: dict[str, Any] = json.loads(Path(__file__).parents[1].joinpath("data", "cumulative.json").read_text())


@pytest.mark.parametrize("name", REFERENCE)
def test_odds_errors_and_standard_deviations_are_those_of_the_package(name: str) -> None:
    wanted = REFERENCE[name]
    found = odds_ratios(study(name), effects=tuple(wanted["effects"]))
    assert found.log_odds is not None
    assert found.errors is not None
    assert found.effects is not None
    assert found.log_odds[1:] == pytest.approx(np.atleast_1d(wanted["sources"]), abs=2e-4)
    assert found.errors[1:] == pytest.approx(np.atleast_1d(wanted["errors"]), rel=1e-2)  # lme4's of two answers
    assert list(found.effects.values()) == pytest.approx(np.atleast_1d(wanted["sds"]), abs=2e-3)
    assert found.log_likelihood == pytest.approx(wanted["log_likelihood"], abs=2e-3)


@pytest.mark.parametrize(
    "effects", [(ANNOTATOR, ANNOTATOR_SOURCE, CONVERSATION, ITEM), (ANNOTATOR,), (CONVERSATION,), ()]
)
def test_the_gradient_is_that_of_small_steps(effects: tuple[str, ...]) -> None:
    ratings = study("few_annotators")
    answer = np.unique(ratings.value, return_inverse=True)[1].astype(np.int64)
    model = CumulativeModel(ratings, answer, effects)
    place = model.start() + np.random.default_rng(1).normal(0, 0.2, len(model.start()))
    steps = 1e-5 * np.eye(len(place))
    slopes = [(model(place + step).deviance - model(place - step).deviance) / 2e-5 for step in steps]
    assert model(place).gradient == pytest.approx(slopes, rel=1e-4, abs=1e-3)


def test_derivatives_of_an_answer_are_those_of_small_steps() -> None:
    answer, eta = np.array([0, 1, 2, 3, 3]), np.array([0.3, -2.0, 1.0, 0.4, 30.0])
    thresholds = np.array([-1.0, 0.2, 1.5])
    now = likelihood(answer, eta, thresholds)
    up, down = (likelihood(answer, eta + step, thresholds) for step in (1e-5, -1e-5))
    assert (up.log - down.log) / 2e-5 == pytest.approx(now.by_eta, abs=1e-6)
    assert (down.by_eta - up.by_eta) / 2e-5 == pytest.approx(now.w, abs=1e-6)
    assert (up.w - down.w) / 2e-5 == pytest.approx(now.w_eta, abs=1e-6)


def test_a_scale_that_is_turned_round_turns_the_ratios() -> None:
    ratings = study("few_annotators")
    forth, back = odds_ratios(ratings), odds_ratios(replace(ratings, value=-ratings.value))
    for one, other in zip(forth.pairs, back.pairs, strict=True):
        assert other.ratio == pytest.approx(1 / one.ratio, rel=1e-3)
        assert (other.low, other.high) == pytest.approx((1 / one.high, 1 / one.low), rel=1e-3)
    assert set(forth.effects or ()) == set(told_apart(ratings)[0])


def test_only_the_order_of_answers_counts() -> None:
    ratings = study("few_annotators")
    assert odds_ratios(replace(ratings, value=np.exp(ratings.value))).log_odds == pytest.approx(
        odds_ratios(ratings).log_odds
    )


def test_where_there_is_no_model_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = study("few_annotators")
    assert odds_ratios(replace(ratings, value=np.ones(len(ratings)))).reason == NO_VARIATION
    best = np.where(ratings.source == 0, 9.0, ratings.value)
    assert odds_ratios(replace(ratings, value=best)).reason == SEPARATED
    monkeypatch.setattr(levels, "MOST_CELLS", 10)
    found = odds_ratios(ratings)
    assert (found.reason, found.pairs) == (TOO_LARGE, ())


def test_who_rated_may_be_unknown() -> None:
    ratings = study("few_annotators")
    nameless = Ratings(ratings.source, None, ratings.conversation, ratings.item, ratings.value)
    found = odds_ratios(nameless)
    assert found.reason is None
    assert ANNOTATOR in {each.effect for each in found.left_out}
