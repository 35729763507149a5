"""What the parameters of a platform's link are worth, before anything looks at a database."""

import pytest

from qualification.models import Entry
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.platforms.base import BadArrival
from tests.qualification.recruitment.factories import prolific_query

PROLIFIC = PROVIDERS["prolific"]
HOSTILE = (
    "", " ", "{{%PROLIFIC_PID%}}", "a" * 101, "x" * 100_000, "<script>alert(1)</script>", "a\x00b", "a b", "-1", "_x",
    "=1+1", "a'--", "a\n", "ａｂｃ", "../../etc/passwd", "%00", "é",
)  # fmt: skip


def test_prolifics_three_parameters_say_who_comes():
    arrival = PROLIFIC.arrival(prolific_query(person="5e9088a8a4b6ed018b45ba7b"))

    assert arrival.person == "5e9088a8a4b6ed018b45ba7b"
    assert (arrival.provider, arrival.session, arrival.platform_study) == ("prolific", "b" * 24, "c" * 24)


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


@pytest.mark.parametrize("key", PROVIDERS)
def test_a_platform_people_can_join_through_knows_where_they_go_at_the_end(key):
    provider = PROVIDERS[key]

    assert provider.key == key != "self"
    assert len(key) <= Entry._meta.get_field("provider").max_length
    if not provider.is_closed:
        assert provider.end_path
        assert provider.code_field
