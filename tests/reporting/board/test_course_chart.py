"""The control chart as a picture: a sum that rises to its limit, or a share that falls to it."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from reporting.charts import CourseWords, course_figure

SVG = "{http://www.w3.org/2000/svg}"
WORDS = CourseWords(axis="answers", limit="alarm", baseline="usual", alarm="answer 3")


def drawn(path: list[float], limit: float, *, falls: bool, n_baseline: int = 0) -> ElementTree.Element:
    line = np.array(path)
    beyond = line <= limit if falls else line >= limit
    picture = course_figure(
        name="course", title="Course", description="In words.", path=line, limit=limit, beyond=beyond, falls=falls,
        n_baseline=n_baseline, alarm=int(np.argmax(beyond)) if beyond.any() else None, words=WORDS,
    )  # fmt: skip
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", picture)
    return ElementTree.fromstring(picture)


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in root.iter() if name in (each.get("class") or "").split()]


def points(line: ElementTree.Element) -> list[tuple[float, float]]:
    return [tuple(map(float, point.split(","))) for point in line.get("points").split()]


@pytest.mark.parametrize("falls", [False, True])
def test_a_line_within_its_limit_has_no_mark(falls: bool):
    root = drawn([0.9, 0.8, 0.85], 0.5 if falls else 2.0, falls=falls)
    assert not of_class(root, "fig-beyond")
    assert not of_class(root, "fig-alarm")
    assert len(points(of_class(root, "fig-path")[0])) == 3


def test_each_run_beyond_the_limit_is_drawn_and_one_point_alone_is_a_dot():
    root = drawn([0.0, 1.0, 4.0, 5.0, 1.0, 4.0, 0.0], 4.0, falls=False)
    path = points(of_class(root, "fig-path")[0])
    runs = [points(run) for run in of_class(root, "fig-beyond")]
    assert runs == [path[2:4], [path[5], path[5]]]


def test_a_share_falls_to_its_limit_beside_an_axis_of_shares():
    root = drawn([0.9, 0.8, 0.6, 0.4], 0.6, falls=True)
    path = points(of_class(root, "fig-path")[0])
    assert [y for _, y in path] == sorted(y for _, y in path)
    assert [points(run) for run in of_class(root, "fig-beyond")] == [path[2:]]
    limit = float(of_class(root, "fig-limit")[0].get("y1"))
    assert limit == path[2][1]
    assert {"40%", "50%", "60%", "70%", "80%", "90%"} <= set(root.itertext())
    assert "100%" not in set(root.itertext())


def test_a_sum_has_no_axis_of_shares_and_one_that_rises_for_ever_leaves_the_limit_in_sight():
    root = drawn([0.0, 3.0, 100.0], 3.0, falls=False)
    assert not any("%" in text for text in root.itertext())
    top, bottom = (y for _, y in points(of_class(root, "fig-path")[0])[::2][::-1])
    limit = float(of_class(root, "fig-limit")[0].get("y1"))
    assert (bottom - limit) / (bottom - top) == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("falls", [False, True])
def test_of_many_answers_the_one_nearest_to_an_alarm_is_drawn(falls: bool):
    path = [0.8] * 5000
    path[3333] = 0.1 if falls else 5.0
    root = drawn(path, 0.2 if falls else 4.0, falls=falls)
    assert len(points(of_class(root, "fig-path")[0])) <= 600
    assert len(of_class(root, "fig-beyond")) == 1
