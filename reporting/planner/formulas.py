"""Write the formulas of a test over dialogues with the numbers of a plan."""

from measures.planning import multiplier, quantiles
from reporting.planner.plans import PlannedTest


def exact(value: float) -> str:
    """Format a number with four significant digits, so that the printed formula gives the printed result."""
    return f"{value:.4g}"


def needed_formula(question: PlannedTest, difference: float, ratings: int, n: int) -> str:
    teams, room = _teams(question, ratings), f"{exact(difference)}²"
    if teams:
        return f"({_reach(question, ratings, teams)})² / {room} ≤ {n:,}"
    return f"{_squares(question)} × ({_scatter(question, ratings)}) / {room} ≤ {n:,}"


def found_formula(question: PlannedTest, n: int, ratings: int, difference: float) -> str:
    teams = _teams(question, ratings)
    if teams:
        return f"({_reach(question, ratings, teams)}) / √{n:,} = {exact(difference)}"
    return f"√({_squares(question)} × ({_scatter(question, ratings)}) / {n:,}) = {exact(difference)}"


def _reach(question: PlannedTest, ratings: int, teams: str) -> str:
    asked, own = quantiles(question.power, question.level_each)
    scatter = _scatter(question, ratings)
    return f"{asked:.3f} × √({scatter} + {teams}) + {own:.3f} × √({scatter})"


def _teams(question: PlannedTest, ratings: int) -> str:
    """Return by how much dialogues differ because different annotators rate them; empty if they do not."""
    shared, people = question.variances.s_annotator, question.annotators(ratings)
    return f"{exact(shared)} × (1 / {ratings:,} − 1 / {people:,})" if shared and people > ratings else ""


def _squares(question: PlannedTest) -> str:
    """Return the square of the sum of the two quantiles."""
    return f"{multiplier(question.power, question.level_each):.3f}"


def _scatter(question: PlannedTest, ratings: int) -> str:
    of = question.of_dialogue
    return f"{exact(of.s_between)} + {exact(of.s_within)} / {ratings:,}"
