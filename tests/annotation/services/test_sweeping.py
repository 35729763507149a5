import pytest
from django.core.exceptions import ValidationError
from django.db import OperationalError

from annotation.services.refusals import Refused
from annotation.services.sweeping import sweep_each

FAULTS = [
    ZeroDivisionError("no items"),
    KeyError("option"),
    ValueError("unequal lengths"),
    OperationalError("deadlock detected"),
    ValidationError("low is above high"),
    Refused("closed", "This study is closed."),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_one_fault_is_logged_with_what_it_happened_to_and_stops_nothing_else(fault: Exception, caplog):
    def double(number: int) -> int:
        if number == 2:
            raise fault
        return 2 * number

    assert sweep_each("doubling", [1, 2, 3], double) == [2, 6]
    assert [record.getMessage() for record in caplog.records] == ["doubling failed: 2"]
    assert caplog.records[0].exc_info[1] is fault


def test_a_sweep_does_no_more_at_once_than_it_may_and_leaves_the_rest_to_the_next():
    assert sweep_each("counting", [1, 2, 3], lambda number: number, most=2) == [1, 2]
