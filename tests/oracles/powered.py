"""Reference values of prediction-powered means: python tests/oracles/powered.py

Run it in the root of the project, in an environment with ppi-python 0.2.3, which the project does not install. Its
items are independent, so each is a conversation of its own here.
"""

import json
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

PLACE = Path("tests/measures/data/powered.json")
LEVEL = 0.05


def study(rng, n, rest, is_binary, noise):
    truth = rng.normal(size=n + rest)
    human, judge = truth + rng.normal(0, 0.5, n + rest), 0.3 + truth + rng.normal(0, noise, n + rest)
    if is_binary:
        human, judge = (human > 0).astype(float), (judge > 0).astype(float)
    return human[:n].round(3), judge.round(3)


def limits(human, judge, **power):
    n = len(human)
    low, high = ppi_mean_ci(human, judge[:n], judge[n:], alpha=LEVEL, **power)
    value = ppi_mean_pointestimate(human, judge[:n], judge[n:], **power)
    return [float(np.squeeze(each)) for each in (value, low, high)]


rng = np.random.default_rng(7)
cases = []
for n, rest, is_binary, noise in [
    (30, 90, False, 0.5),
    (40, 200, False, 2.0),
    (60, 60, True, 0.5),
    (50, 150, True, 3.0),
]:
    human, judge = study(rng, n, rest, is_binary, noise)
    cases.append({"human": human.tolist(), "judge": judge.tolist(), "tuned": limits(human, judge),
                  "full": limits(human, judge, lam=1.0), "half": limits(human, judge, lam=0.5)})  # fmt: skip
PLACE.write_text(json.dumps({"made_by": "tests/oracles/powered.py, ppi-python 0.2.3", "cases": cases}) + "\n")
