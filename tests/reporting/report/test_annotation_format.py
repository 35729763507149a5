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


def test_units_of_several_kinds_are_named_with_the_granularity_and_the_mode_of_each():
    (line,) = entry(study_of("abc-eval-1.1"), "granularity").lines
    assert line == "Granularity: Turn / Dialogue. Mode: Absolute. Interaction: Static."
    compared, absolute = (load_bundle(BUILTIN / f"{name}.yaml") for name in ("acute-eval-1.0", "ssa-1.0"))
    both = compared | {"criteria": [*compared["criteria"], absolute["criteria"][0] | {"unit": "response"}]}
    study = StudyFactory(protocol_version=store_bundle(both, publish=True, now=NOW)[0])
    assert "Mode: Absolute / Comparative." in entry(study, "granularity").lines[0]


def test_questions_of_which_one_option_or_none_is_chosen_say_so():
    lines = entry(study_of("abc-eval-1.1"), "annotation_format").lines
    assert lines[0].startswith("Interpretability: one option, or none, nominal scale. Options: Uninterpretable.")
    assert lines[2].startswith("Personal information: any number of options, or none, nominal scale.")
    assert lines[8].startswith("Grammatical: one option, ordinal scale.")


def test_a_comparison_has_the_options_that_annotators_see():
    lines = entry(study_of("acute-eval-1.0"), "annotation_format").lines
    labels = [option["label"] for option in load_bundle(BUILTIN / "acute-eval-1.0.yaml")["criteria"][0]["options"]]
    assert f"Options: {' / '.join(labels)}." in lines[0]
