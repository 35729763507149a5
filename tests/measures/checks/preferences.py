"""The ranking by comparisons beside R: BradleyTerry2, a Poisson model of counts, and variances of sandwich."""

import csv
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from measures.preferences.clustered import spread
from measures.preferences.comparisons import Comparisons
from measures.preferences.davidson import Fit, fit
from measures.preferences.ranking import rank
from tests.measures.checks import Check, Pair, value

DATA = Path(__file__).resolve().parents[1] / "data"


@cache
def reference() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "preferences.json").read_text(encoding="utf-8"))
    return found


@cache
def answers() -> Comparisons:
    with (DATA / "preferences.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    left, right, outcome, annotator, conversation = (
        [int(row[name]) for row in rows] for name in ("left", "right", "outcome", "annotator", "conversation")
    )
    length = [float(row["length"]) for row in rows]
    return Comparisons.of(4, left, right, outcome, annotator=annotator, cluster=conversation, covariates=length)


@cache
def strict() -> Comparisons:
    return answers().where(answers().outcome != 0)


def games() -> Comparisons:
    """Agresti's baseball games, each a comparison; the team at home stands on the left."""
    rows = reference()["baseball"]["games"]
    won = [(row["home"], row["away"], 1) for row in rows for _ in range(row["home_wins"])]
    lost = [(row["home"], row["away"], -1) for row in rows for _ in range(row["away_wins"])]
    home, away, outcome = zip(*won, *lost, strict=True)
    n = len(outcome)
    return Comparisons.of(7, home, away, outcome, annotator=np.zeros(n))


def fitted(of: Comparisons) -> Fit:
    found = fit(of)
    assert found is not None
    return found


def baseball_beside_bradleyterry2() -> Iterable[Pair]:
    theirs = reference()["baseball"]
    abilities = np.array([theirs["coefficients"].get(f"team{team}", 0.0) for team in theirs["teams"]])
    found = rank(games())
    yield [value(each.strength) for each in found.sources], abilities - abilities.mean()
    yield value(found.side_bias), theirs["coefficients"]["at.home"]


def errors_beside_bradleyterry2() -> Iterable[Pair]:
    """Standard errors of the model alone, of each team against the first in the alphabet."""
    theirs, found = reference()["baseball"]["errors"], fitted(games())
    strengths = found.design.contrasts[1:] - found.design.contrasts[0]
    yield np.sqrt(np.diag(strengths @ found.inverse @ strengths.T)), list(theirs.values())[:-1]
    yield np.sqrt(found.inverse[found.design.side_at, found.design.side_at]), theirs["at.home"]


def davidson_beside_counts() -> Iterable[Pair]:
    theirs, found = reference()["davidson"], fitted(answers())
    yield found.parameters, list(theirs["coefficients"].values())
    yield np.sqrt(np.diag(found.inverse)), list(theirs["errors"].values())


def binary_beside_glm() -> Iterable[Pair]:
    yield fitted(strict()).parameters, list(reference()["strict"]["coefficients"].values())


def variances_beside_sandwich() -> Iterable[Pair]:
    """By annotator and by conversation, each cluster left out in R; and how R joins the two without leaving any out."""
    theirs, found, of = reference()["strict"], fitted(strict()), strict()
    over = spread(found, of.annotator, of.cluster, np.eye(len(found.parameters)))
    yield over.parts[0].covariance, theirs["by_annotator"]
    yield over.parts[1].covariance, theirs["by_conversation"]
    plain = [
        found.inverse @ scores.T @ scores @ found.inverse
        for scores in (
            found.design.sums(found.scores, np.unique(group, return_inverse=True)[1], len(group))
            for group in (of.annotator, of.cluster)
        )
    ]
    yield plain[0] + plain[1] - over.both, theirs["two_way"]


CHECKS = [
    Check(
        ("preferences.ranking.rank",), "R BradleyTerry2, baseball with home advantage", baseball_beside_bradleyterry2
    ),
    Check(("preferences.davidson.fit",), "R BradleyTerry2, standard errors", errors_beside_bradleyterry2, 1e-6),
    Check(("preferences.davidson.fit",), "R glm, a Poisson model of counts", davidson_beside_counts),
    Check(("preferences.davidson.fit",), "R glm of preferences, binomial", binary_beside_glm),
    Check(("preferences.clustered.spread",), "R sandwich and each cluster left out", variances_beside_sandwich),
]
