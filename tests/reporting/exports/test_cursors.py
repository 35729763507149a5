"""What a reading leaves as PostgreSQL wrote it says the same as what Python would have made of it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from reporting.exports.cursors import AS_WRITTEN, numbers_in, stream, utc_text
from reporting.exports.tables import time_text

MOMENTS = [datetime(year, 7, 1, 23, 59, 59, tzinfo=UTC) for year in (1, 1883, 1970, 2026, 9999)]
FRACTIONS = (0, 1, 10, 120_000, 123_456, 500_000, 999_999)
TIMES = [moment + timedelta(microseconds=fraction) for moment in MOMENTS for fraction in FRACTIONS]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York", "Europe/Rome"])
def test_times_as_written_become_the_texts_of_the_times_they_are(db: None, zone: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL TIME ZONE %s", [zone])
    times = [moment for moment in TIMES if 1970 <= moment.year < 9999 or zone == "UTC"]
    rows = stream("SELECT unnest(%s::timestamptz[])", [times], AS_WRITTEN)
    assert [utc_text(written) for (written,) in rows] == [time_text(moment) for moment in times]


@pytest.mark.parametrize("kind", ["smallint", "integer", "bigint"])
@pytest.mark.parametrize("numbers", [[], [1], [3, -1, 2]])
def test_lists_as_written_become_their_numbers(db: None, kind: str, numbers: list[int]) -> None:
    (row,) = stream(f"SELECT %s::{kind}[]", [numbers], AS_WRITTEN)
    assert isinstance(row[0], str)
    assert numbers_in(row[0]) == tuple(numbers)
    assert next(stream(f"SELECT %s::{kind}[]", [numbers])) == (numbers,)
