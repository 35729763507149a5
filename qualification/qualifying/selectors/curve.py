"""Compute the operating curve of a rule as a table and a small picture."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from measures.qualification_curve import (
    BETTER,
    EQUAL,
    MODAL,
    REFERENCE_KAPPA,
    REFERENCE_PANEL,
    REFERENCE_SHARES,
    SIZES,
    UNIFORM,
    Chance,
    Panel,
    operating_curve,
)
from measures.qualification_rule import INTERVAL, Rule
from qualification.models import Qualification
from qualification.qualifying.selectors.votes import PanelFigures

NAMES = {
    EQUAL: _("as good as the panel"),
    BETTER: _("clearly better"),
    UNIFORM: _("clicks at random"),
    MODAL: _("always the most frequent answer"),
}
MOST_ITEMS = 2_000
LEFT, RIGHT, TOP, BOTTOM = 34.0, 330.0, 12.0, 150.0


@dataclass(frozen=True, slots=True)
class Line:
    profile: str
    name: str
    chances: tuple[Chance, ...]
    points: str
    marks: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Curve:
    sizes: tuple[tuple[int, float], ...]  # judged answers, and their place in the picture
    lines: tuple[Line, ...]
    n_own: int  # judged answers of the study's own qualification; 0 without one
    has_undecided: bool
    is_measured: bool  # whether the panel is the study's own
    kappa: float
    n_members: int

    @property
    def equal(self) -> Chance:
        """Return the chance of a candidate as good as the panel, at the study's own size if it has one."""
        chances = self.lines[0].chances
        return next((chance for chance in chances if chance.n_items == self.n_own), chances[-2])


def rule_of(qualification: Qualification) -> Rule:
    threshold = qualification.threshold if qualification.threshold_from == Qualification.ThresholdFrom.FIXED else None
    return Rule(qualification.method, threshold, qualification.decision)


def curve_of(qualification: Qualification, panel: PanelFigures | None, n_own: int, n_criteria: int) -> Curve:
    """Return the curve for `n_own` judged answers and this panel; None takes the panel of the reference study."""
    rule = rule_of(qualification)
    is_measured = panel is not None and panel.kappa.value is not None and panel.kappa.value > 0
    sizes = sorted({*SIZES, *([n_own] if 0 < n_own <= MOST_ITEMS else [])})
    simulated = _panel(
        panel if is_measured else None, n_criteria if qualification.scope == Qualification.Scope.EACH else 1
    )
    found = operating_curve(rule, simulated, tuple(sizes))
    places = [round(LEFT + at * (RIGHT - LEFT) / (len(sizes) - 1), 1) for at in range(len(sizes))]
    return Curve(
        sizes=tuple(zip(sizes, places, strict=True)),
        lines=tuple(_line(profile, found[profile], places) for profile in NAMES),
        n_own=n_own if n_own in sizes else 0,
        has_undecided=rule.decision == INTERVAL,
        is_measured=is_measured,
        kappa=simulated.kappa,
        n_members=simulated.n_members,
    )


def _panel(figures: PanelFigures | None, n_criteria: int) -> Panel:
    """Return the panel to simulate, rounded so that a curve that was computed before is found in the cache."""
    if figures is None or figures.kappa.value is None:
        return Panel(REFERENCE_KAPPA, REFERENCE_SHARES, REFERENCE_PANEL, n_criteria)
    shares = tuple(round(share, 2) for share in figures.shares if share >= 0.005)
    return Panel(round(figures.kappa.value, 2), shares, max(figures.n_members, 1), n_criteria)


def _line(profile: str, chances: tuple[Chance, ...], places: list[float]) -> Line:
    marks = tuple((x, round(BOTTOM - each.passed * (BOTTOM - TOP), 1)) for x, each in zip(places, chances, strict=True))
    return Line(profile, str(NAMES[profile]), chances, " ".join(f"{x},{y}" for x, y in marks), marks)
