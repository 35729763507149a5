"""The file for the form of HEDS 3.0.

heds3_form_elements.json lists the elements of the authors' form as its "download json" wrote them, {id: [number of the
question, whether it is an option]} (https://github.com/nlp-heds/nlp-heds.github.io, commit 3239cd3).
"""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from annotation.services.claiming import claim_seat
from annotation.services.datasheet import save_answer
from reporting.datasheet.form import by_criterion
from reporting.datasheet.heds3 import HEDS3
from tests.cast import Cast
from tests.comparing import make_compared
from tests.factories import MembershipFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()
ELEMENTS = json.loads(Path(__file__).with_name("heds3_form_elements.json").read_text())
CRITERION = "heds-criteria-criterion"
DESIGN = "heds-sample_evaluators_design-"
Form = dict[str, dict[str, Any]]


def form_of(study: Study, client: Client) -> Form:
    return json.loads(client.get(reverse("datasheet_form", args=[study.slug])).text)


def as_the_form_reads(form: Form, criterion: str) -> dict[str, Any]:
    """{id: value} of the elements that the form fills while it shows this criterion; every option is ticked or not."""
    key = {True: criterion, False: ""}
    values = {name: element["data"].get(key[name.startswith(CRITERION)]) for name, element in form.items()}
    return {name: value for name, value in values.items() if value}


@pytest.fixture
def form(cast: Cast, client: Client) -> Form:
    Study.objects.filter(pk=cast.study.pk).update(pay_amount="4.67", pay_currency="GBP")
    for at, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=at % 2)
    said = {
        "1.3.1.1": "Ada\nLovelace",
        "2.4": "English and Italian",
        "2.5": "Ladin",
        "3.2.2.1": "no",
        "4.1.1": "Listening: goodness\nCorrectness: correctness",
        "5.2": "yes\nNames, which were removed.",
        "5.3": "We do not know.",
    }
    for number, text in said.items():
        save_answer(cast.study, number, text, by=cast.owner, now=NOW)
    client.force_login(cast.observer)
    return form_of(cast.study, client)


def test_every_element_is_one_of_the_form_with_its_number(form: Form):
    for name, element in form.items():
        number, is_option = ELEMENTS[name]
        assert name == CRITERION or element["number"] == number
        assert ("text" in element) == is_option
        assert element["control"] == {} or name == CRITERION
    assert {number for number, _is_option in ELEMENTS.values() if number} == {each.number for each in HEDS3.questions}


def test_every_question_of_the_table_has_its_elements_in_the_form():
    for question in HEDS3.questions:
        if question.options:
            names = {f"{question.field}-{option.number}" for option in question.options}
            wanted = {name for name, (number, is_option) in ELEMENTS.items() if is_option and number == question.number}
            assert names == wanted
        elif question.kind != "languages":
            assert ELEMENTS[question.field] == [question.number, False]


def test_the_form_reads_back_what_the_study_knows(form: Form):
    read = as_the_form_reads(form, "Listening")
    assert read["heds-system-input_types-8"] is True  # a dialogue
    assert read["heds-system-tasks-10"] is True  # dialogue turn generation
    assert read[f"{DESIGN}evaluators-number_of_evaluators"] == "3"
    assert read[f"{DESIGN}evaluators-evaluators-payment-1"] is True
    assert read[f"{CRITERION}-response_elicitation-qc_name-participant_criterion_name"] == "Listening"
    assert read[f"{CRITERION}-response_elicitation-size_of_scale"] == "3"
    assert read[f"{CRITERION}-evaluation_mode-objective_or_subjective-2"] is True
    assert read[f"{CRITERION}-response_elicitation-inter_annotator-agreement_score"].startswith("Fleiss' kappa")
    assert read[f"{DESIGN}experimental_design-quality_assurance-method-2"] is True
    assert f"{DESIGN}experimental_design-quality_assurance-method-other_text" not in read
    assert f"{DESIGN}evaluators-characteristics" not in read


def test_the_form_reads_back_what_the_team_wrote(form: Form):
    read = as_the_form_reads(form, "Listening")
    people = "heds-paper_and_resources-names_and_affiliations-person_completing_this_sheet-"
    assert read[f"{people}name"] == "Ada; Lovelace"  # a field of one line would join the words
    assert {name for name in read if name.startswith("heds-system-input_lang")} == {
        "heds-system-input_languages-42",
        "heds-system-input_languages-77",
    }
    assert form["heds-system-input_languages-42"]["text"] == {"": "41. English"}
    assert read["heds-system-output_languages-185"] is True
    assert read["heds-system-output_languages-other_text"] == "Ladin"
    assert read[f"{DESIGN}evaluators-evaluators-expertise-2"] is True
    assert read["heds-ethics-personal_data-2"] is True
    assert read["heds-ethics-personal_data-other_text"] == "Names, which were removed."
    assert read["heds-ethics-special_category_data-other_text"] == "We do not know."
    assert not [name for name in read if name.startswith("heds-ethics-special_category_data-") and name[-1].isdigit()]


def test_each_criterion_has_its_own_answers_and_the_first_is_shown(form: Form):
    assert list(form[CRITERION]["control"].values()) == [True, False, False, False]
    goodness = f"{CRITERION}-criteria-quality_type-2"
    assert goodness in as_the_form_reads(form, "Listening")
    assert goodness not in as_the_form_reads(form, "Correctness")
    assert f"{CRITERION}-criteria-quality_type-1" in as_the_form_reads(form, "Correctness")


def test_lines_that_name_no_criterion_are_about_all():
    text = "Fluency: mean\nFluency of turns\uff1amedian\nTies are dropped.\nHumour"
    assert by_criterion(text, ["Fluency", "Fluency of turns", "Humour"]) == {
        "Fluency": "mean\nTies are dropped.",
        "Fluency of turns": "median\nTies are dropped.",
        "Humour": "Ties are dropped.\nHumour",
    }


def test_comparisons_are_relative(client: Client):
    study = make_compared()
    client.force_login(MembershipFactory(study=study, role="observer").user)
    form = form_of(study, client)
    assert f"{CRITERION}-evaluation_mode-absolute_or_relative-2" in form
    assert f"{CRITERION}-response_elicitation-form_of_response-3" in form
