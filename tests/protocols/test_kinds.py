"""Question kinds: a new one is named in every place that has a list of them, and taken for no other."""

from dataclasses import replace

import pytest

from annotation.selectors.guidelines import ANSWERING
from protocols.answers import Given, parse_answer
from protocols.bundles import complete_bundle
from protocols.editing import KINDS
from protocols.models import Criterion
from protocols.schema import SCHEMA
from protocols.specs import spec_of_document
from reporting.datasheet.criteria import INSTRUMENTS
from tests.protocols.conftest import SMALL

KNOWN = set(Criterion.Kind.values)


def test_every_list_of_kinds_has_all_of_them():
    in_schema = SCHEMA["$defs"]["criterion"]["properties"]["kind"]["enum"]
    assert set(in_schema) == {key for key, _ in KINDS} == {str(kind) for kind in INSTRUMENTS} == KNOWN
    assert {str(kind) for kind in ANSWERING} >= KNOWN - {Criterion.Kind.COMPUTED}


def test_an_unknown_kind_is_not_answered_like_another():
    criterion = replace(spec_of_document(complete_bundle(SMALL)).criteria[0], kind="strange")
    with pytest.raises(ValueError, match="strange"):
        parse_answer(criterion, Given("yes"))
