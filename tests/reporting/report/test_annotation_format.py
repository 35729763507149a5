"""The checklist says how each question is answered, and which dimensions a protocol names."""

import pytest
from django.utils import timezone

from annotation.models import Study
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from reporting.report.build import build_report
from reporting.report.checklist import Entry
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def study_of(bundle: str) -> Study:
    version, _is_new = store_bundle(load_bundle(BUILTIN / f"{bundle}.yaml"), publish=True, now=NOW)
    return StudyFactory(protocol_version=version)


def entry(study: Study, key: str) -> Entry:
    return next(row for row in build_report(study, now=NOW).checklist if row.key == key)


def test_every_criterion_has_its_options_reasons_and_free_texts():
    study = study_of("he-protocol-1.0")
    found = entry(study, "annotation_format")
    for criterion, value, line in zip(study.protocol_version.criteria.all(), found.value, found.lines, strict=True):
        assert value.options == [option.label for option in criterion.options.all()]
        for option in criterion.options.exclude(asks="nothing"):
            asked = next(each for each in value.asked if each.option == option.label)
            texts = list(option.explanations.values_list("text", flat=True))
            assert [reason.text for reason in asked.reasons] == texts
            assert f"For “{option.label}”, " in line
            assert all(text in line for text in texts)
        assert ("own words" in line) == bool(value.asked)
        assert ("Neither a reason nor a free text is asked for" in line) != bool(value.asked)


def test_an_option_that_asks_for_nothing_is_named_alone():
    found = entry(study_of("dialogue-hit-1.0"), "annotation_format")
    assert all(value.asked or "For “" not in line for value, line in zip(found.value, found.lines, strict=True))


@pytest.mark.parametrize(("bundle", "first"), [("diqad-1.0", "Grammaticality: "), ("diqad-1.0-zh", "语法: ")])
def test_the_six_dimensions_of_whole_dialogues_stand_before_the_questions(bundle: str, first: str):
    study = study_of(bundle)
    found = entry(study, "dimensions")
    assert len(found.value.named) == 6
    assert found.lines[0].startswith(first)
    assert len(found.lines) == 6 + study.protocol_version.criteria.count()


def test_a_protocol_that_names_none_has_its_criteria_as_dimensions():
    study = study_of("he-protocol-1.0")
    assert len(entry(study, "dimensions").lines) == study.protocol_version.criteria.count()
