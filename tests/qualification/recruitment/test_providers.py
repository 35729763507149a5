"""What the parameters of a platform's link are worth, before anything looks at a database."""

import pytest

from qualification.providers import PROVIDERS
from qualification.providers.base import BadArrival, origin_of
from tests.qualification.factories_recruitment import prolific_query

PROLIFIC, MTURK = PROVIDERS["prolific"], PROVIDERS["mturk"]
TURK = {"assignmentId": "3AS1", "hitId": "3HIT", "workerId": "A1W", "turkSubmitTo": "https://www.mturk.com/"}
HOSTILE = (
    "", " ", "{{%PROLIFIC_PID%}}", "a" * 101, "x" * 100_000, "<script>alert(1)</script>", "a\x00b", "a b", "-1", "_x",
    "=1+1", "a'--", "a\n", "ａｂｃ", "../../etc/passwd", "%00", "é",
)  # fmt: skip


def test_prolifics_three_parameters_say_who_comes():
    arrival = PROLIFIC.arrival(prolific_query(person="5e9088a8a4b6ed018b45ba7b"))

    assert arrival.person == "5e9088a8a4b6ed018b45ba7b"
    assert (arrival.provider, arrival.session, arrival.platform_study) == ("prolific", "b" * 24, "c" * 24)
    assert arrival.submit_to == ""


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
@pytest.mark.parametrize("value", HOSTILE)
def test_what_is_no_id_is_named_and_refused(name, value):
    with pytest.raises(BadArrival) as bad:
        PROLIFIC.arrival(prolific_query() | {name: value})

    assert bad.value.names == (name,)


def test_every_missing_parameter_is_named():
    with pytest.raises(BadArrival) as bad:
        PROLIFIC.arrival({"SESSION_ID": "b"})

    assert bad.value.names == ("PROLIFIC_PID", "STUDY_ID")


def test_mechanical_turks_form_goes_to_its_own_hosts():
    assert MTURK.arrival(TURK).submit_to == "https://www.mturk.com"
    assert MTURK.arrival(TURK | {"turkSubmitTo": "https://workersandbox.mturk.com"}).submit_to


@pytest.mark.parametrize(
    "address",
    ["", "https://evil.example", "http://www.mturk.com", "https://www.mturk.com.evil.example",
     "https://www.mturk.com@evil.example", "https://evil.example/https://www.mturk.com", "javascript:alert(1)",
     "https://www.mturk.com/elsewhere", "https://www.mturk.com:8443", "https://www.mturk.com?a=b", "//www.mturk.com",
     "https://[::1", "https://www.mturk.com:port"],
)  # fmt: skip
def test_a_code_is_posted_nowhere_else(address):
    with pytest.raises(BadArrival) as bad:
        MTURK.arrival(TURK | {"turkSubmitTo": address})

    assert bad.value.names == ("turkSubmitTo",)


def test_a_stand_in_is_allowed_where_the_settings_name_it():
    assert MTURK.arrival(TURK | {"turkSubmitTo": "http://127.0.0.1:9"}, ["http://127.0.0.1:9"])


def test_only_mechanical_turk_has_a_preview():
    assert MTURK.is_preview({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
    assert not MTURK.is_preview(TURK)
    assert not PROLIFIC.is_preview(prolific_query())


@pytest.mark.parametrize(("address", "origin"), [("https://A.org/", "https://a.org"), ("ftp://a.org", ""), ("a", "")])
def test_an_origin_is_scheme_host_and_port(address, origin):
    assert origin_of(address) == origin
