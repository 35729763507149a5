"""Pictures that a page, an HTML report and a PDF can all show, and that say what they are without being seen."""

import re
from xml.etree import ElementTree

import pytest
from weasyprint import HTML

from parley.numbers import number
from reporting.charts import (
    Bar,
    BarGroup,
    Dot,
    DotGroup,
    DotRow,
    Estimated,
    EstimatedGroup,
    HeatCell,
    bar_figure,
    dot_figure,
    forest_figure,
    heat_figure,
    interval_text,
)
from reporting.charts.drawing import LONGEST_LABEL, SERIES, TONES, WIDTH, Scale, on_a_phone, shortened, text_width
from reporting.charts.forest import axis_of as forest_axis

SVG = "{http://www.w3.org/2000/svg}"
TRICKY = 'Model <b>"A" & co'


def dots(**fields) -> str:
    rows = (
        DotRow(TRICKY, Dot(0.4, 0.1, 0.7), parts=(0.3, -0.3), mean=0.35),
        DotRow("另一个模型的名字", None, note="undefined"),
    )
    options = {"dot_means": "study", "part_means": "a batch", "has_words": True} | fields
    return dot_figure(name="d", title="Agreement", description="By source.", groups=[DotGroup("One", rows)], **options)


def bars() -> str:
    groups = [BarGroup(TRICKY, (Bar("yes", 0.42, title="42 of 100"), Bar("none", None, series=9)))]
    return bar_figure(name="b", title="Votes", description="Shares.", groups=groups, series=["yes", TRICKY])


def heat() -> str:
    cells = [[HeatCell(0.5, "moderate", TRICKY)], [HeatCell(None), None][:1]]
    return heat_figure(name="h", title="Pairs", description="Kappa.", rows=["a", TRICKY], columns=["b"], cells=cells)


def forest(**fields) -> str:
    rows = (
        Estimated(TRICKY, 0.4, 0.1, 0.7, interval_text(0.4, 0.1, 0.7)),
        Estimated("另一个模型的名字", -0.2, text=interval_text(-0.2, None, None), is_open=True),
    )
    options = {"dot_means": "mean", "ring_means": "difference"} | fields
    groups = [EstimatedGroup("One", "share", rows), EstimatedGroup("Two", "points", (Estimated("x", 3.5, 3.0, 4.5),))]
    return forest_figure(name="f", title="Means", description="By source.", groups=groups, **options)


FIGURES = {"dots": dots, "bars": bars, "heat": heat, "forest": forest}


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_is_well_formed_and_named_and_escapes_what_it_is_given(name: str):
    root = ElementTree.fromstring(FIGURES[name]())
    assert (root.tag, root.get("role")) == (f"{SVG}svg", "img")
    named = {root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")}
    assert set(root.get("aria-labelledby").split()) == named
    assert TRICKY in {shortened(text) for text in root.itertext()} | set(root.itertext())


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_passes_the_strictest_content_policy(name: str):
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|href=", FIGURES[name]())


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_can_be_printed(name: str):
    assert HTML(string=f"<h1>Report</h1>{FIGURES[name]()}").write_pdf().startswith(b"%PDF")


def test_a_value_that_is_missing_is_a_dash_with_its_note():
    texts = list(ElementTree.fromstring(dots()).itertext())
    assert {"–", "undefined", "0.40"} <= set(texts)


def test_an_estimate_has_its_interval_in_brackets_and_groups_of_other_units_have_axes_of_their_own():
    texts = list(ElementTree.fromstring(forest()).itertext())
    assert {"0.40 [0.10, 0.70]", "−0.20"} <= set(texts)
    assert {"0.6", "−0.2"} <= set(texts), "shares"
    assert {"3.0", "4.5"} <= set(texts), "points"
    assert "0.0" in texts
    assert len(marks(forest(), "circle", "fig-ring")) == 2, "one, and that of the legend"


@pytest.mark.parametrize("ends", [(0.0, 1.0), (-3.0, -2.9), (1e-6, 2e-6), (5.0, 5.0), (0.37, 4.21), (-1000.0, 2500.0)])
def test_an_axis_reaches_beyond_every_interval_in_round_steps(ends: tuple[float, float]):
    low, high, step = forest_axis([Estimated("one", sum(ends) / 2, *ends)], has_zero=False)
    assert low <= ends[0] + 1e-9 * step
    assert high >= ends[1] - 1e-9 * step
    assert 1 <= round((high - low) / step) <= 7
    assert float(f"{step:e}"[:1]) in (1, 2, 5)


@pytest.mark.parametrize("value", [0.0, 1e-15, -2e-10])
def test_an_axis_of_values_that_are_nearly_alike_is_not_one_of_rounding_errors(value: float):
    low, high, step = forest_axis([Estimated("one", 0.0), Estimated("two", value)], has_zero=False)
    assert low <= value <= high + 1e-9
    assert step == pytest.approx(0.1)


def test_the_axis_of_means_does_not_leave_the_scale_of_the_answers():
    rows = (Estimated("one", 6.4, 5.9, 6.9), Estimated("two", 1.6, 1.2, 2.0))
    group = EstimatedGroup("Fluency", "points", rows, ends=(1, 7))
    root = ElementTree.fromstring(forest_figure(name="f", title="t", description="d", groups=[group], dot_means="mean"))
    ticks = [text for text in root.itertext() if text.strip().isdecimal()]
    assert ticks == ["2", "4", "6"]


def test_words_are_left_out_where_the_axis_has_no_room_for_them():
    for lowest, has_room in ((0.1, True), (-0.1, True), (-0.5, False)):
        group = DotGroup("", (DotRow("it5_knowledge_large", Dot(lowest)),))
        svg = dot_figure(name="d", title="t", description="d", groups=[group], dot_means="study", has_words=True)
        assert ("substantial" in svg and "almost perfect" in svg) is has_room


def test_values_outside_the_axis_stay_inside_the_picture():
    scale = Scale(0.0, 1.0, 100, 200)
    assert [scale.at(value) for value in (-3, 0, 0.5, 7)] == [100, 100, 150, 200]


def test_a_value_below_the_axis_is_an_arrow_at_its_edge_and_no_dot_at_a_value_it_has_not():
    row = DotRow("one", Dot(-1.25), parts=(-1.25, 0.5), mean=-1.25)
    svg = dots_of(row)
    assert "−1.25" in svg
    assert "below −1" in svg
    assert len(marks(svg, "circle", "fig-dot")) == 1, "that of the legend"
    assert len(marks(svg, "polygon", "fig-dot")) == 2, "the arrow, and that of the legend"
    assert len(marks(svg, "line", "fig-part")) == 2, "the batch on the axis, and that of the legend"
    assert "below −1" not in dots_of(DotRow("one", Dot(-1.0)))


def dots_of(row: DotRow) -> str:
    groups = [DotGroup("", (row,))]
    return dot_figure(name="d", title="t", description="d", groups=groups, dot_means="study", part_means="a batch")


def marks(svg: str, tag: str, kind: str) -> list:
    return [each for each in ElementTree.fromstring(svg).iter(f"{SVG}{tag}") if each.get("class") == kind]


def test_long_labels_are_cut_in_the_middle_and_wide_characters_take_more_room():
    assert shortened("short") == "short"
    first, second = (shortened(f"it5-large-knowledge-grounded-checkpoint-{n}") for n in (18000, 40000))
    assert first != second
    assert first.startswith("it5-large-knowledge-gro…")
    for name in ("x" * 60, "模型" * 30, "i" * 300):
        assert text_width(shortened(name)) <= text_width("x" * LONGEST_LABEL) + 0.01
    assert text_width("模型") > 1.6 * text_width("ab") > 1.6 * text_width("il")


def test_a_legend_wraps_and_keeps_names_whole():
    names = [f"model with a name of its own, number {at}" for at in range(7)]
    root = ElementTree.fromstring(
        bar_figure(name="b", title="t", description="d", groups=[BarGroup("", (Bar("a", 0.5),))], series=names)
    )
    placed = [each for each in root.iter(f"{SVG}text") if each.text in names]
    assert [each.text for each in placed] == names
    assert all(float(each.get("x")) + text_width(each.text) <= WIDTH for each in placed)
    assert len({each.get("y") for each in placed}) == 4


def test_the_axis_of_shares_ends_at_a_line_above_the_highest():
    for highest, last in ((0.04, "10%"), (0.13, "20%"), (0.61, "80%"), (0.97, "100%")):
        groups = [BarGroup("", (Bar("a", highest),))]
        root = ElementTree.fromstring(bar_figure(name="b", title="t", description="d", groups=groups))
        ticks = [each for each in root.iter(f"{SVG}text") if each.get("text-anchor") == "middle"]
        assert ticks[-1].text == last
        assert float(ticks[-1].get("x")) == WIDTH - 60


def test_names_that_are_wider_than_a_square_stand_slanted():
    long, short = "prolific-5f3a99e1b2", "w04"
    for column, is_slanted in ((long, True), (short, False)):
        cells = [[HeatCell(0.5)]]
        svg = heat_figure(name="h", title="t", description="d", rows=["a"], columns=[column], cells=cells)
        assert ("rotate(" in svg) is is_slanted


def test_ink_on_every_tone_and_series_can_be_read():
    for fill, ink in TONES.values():
        assert contrast(fill, ink) >= 4.5
    assert len(set(SERIES)) == 7


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_numbers_are_the_same_in_pictures_and_tables():
    assert (number(0.4), number(None), number(0.42, ".0%")) == ("0.40", "–", "42%")


def test_on_a_phone_no_line_of_the_grid_runs_through_a_text():
    rows = tuple(Estimated(name, 0.2, -0.1, 0.5, "+0.20 [-0.10, +0.50]") for name in ("one - other", "one - third"))
    with on_a_phone():
        drawn = ElementTree.fromstring(
            forest_figure(
                name="f", title="t", description="d", groups=[EstimatedGroup("Kind", "s", rows)], dot_means="x"
            )
        )
    texts = [float(each.get("y")) for each in drawn.iter(f"{SVG}text") if each.text and "one" in each.text]
    lines = [each for each in drawn.iter(f"{SVG}line") if each.get("x1") == each.get("x2")]
    assert len(texts) == 2
    assert lines
    assert not any(float(line.get("y1")) - 4 < y < float(line.get("y2")) + 12 for line in lines for y in texts)
