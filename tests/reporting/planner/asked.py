"""Questions to the planner, as a form would ask them."""

from reporting.planner.plans import Load, PlannedTest
from reporting.planner.variances import OWN, SHARE, Variances, default_variances

LOAD = Load(
    n_sources=5, n_per_source=4, n_per_dialogue=0, n_per_pair=0, batch_size=10, minutes=35, pay=3.5, currency="GBP"
)


def question(**asked) -> PlannedTest:
    usual = {
        "unit": SHARE,
        "span": 1.0,
        "difference": 0.1,
        "power": 0.8,
        "level": 0.05,
        "n_comparisons": 1,
        "ratings": 3,
        "n_annotators": None,
        "n_dialogues": None,
        "variances": default_variances(1.0),
    }
    return PlannedTest(**usual | asked)


def own(s_annotator: float) -> Variances:
    return Variances(0.0388, 0.2927, s_annotator, OWN)
