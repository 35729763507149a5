"""Small charts as SVG, the same for a page, an HTML report and a PDF."""

from reporting.charts.bars import Bar, BarGroup, bar_figure
from reporting.charts.course import CourseWords, course_figure
from reporting.charts.curve import Curve, CurveWords, curve_figure
from reporting.charts.dots import Dot, DotGroup, DotRow, dot_figure
from reporting.charts.drawn import Drawn, drawn
from reporting.charts.forest import Estimated, EstimatedGroup, forest_figure, interval_text
from reporting.charts.heat import HeatCell, heat_figure

__all__ = [
    "Bar",
    "BarGroup",
    "CourseWords",
    "Curve",
    "CurveWords",
    "Dot",
    "DotGroup",
    "DotRow",
    "Drawn",
    "Estimated",
    "EstimatedGroup",
    "HeatCell",
    "bar_figure",
    "course_figure",
    "curve_figure",
    "dot_figure",
    "drawn",
    "forest_figure",
    "heat_figure",
    "interval_text",
]
