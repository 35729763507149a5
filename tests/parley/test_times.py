"""Times and durations as pages write them."""

from datetime import UTC, datetime

import pytest

from parley.templatetags.times import duration, local_time


def test_a_time_names_its_moment_for_a_script_and_its_zone_for_a_reader(settings):
    settings.TIME_ZONE = "Europe/Rome"
    html = local_time(datetime(2026, 7, 1, 9, 5, 30, tzinfo=UTC))
    assert 'datetime="2026-07-01T11:05:30+02:00"' in html
    assert "CEST</time>" in html


def test_no_time_is_nothing():
    assert local_time(None) == ""


@pytest.mark.parametrize(
    ("minutes", "text"), [(1, "1 min"), (119, "119 min"), (120, "2 h"), (125, "2 h 5 min"), (2_000, "33 h 20 min")]
)
def test_long_durations_are_in_hours(minutes: int, text: str):
    assert duration(minutes) == text
