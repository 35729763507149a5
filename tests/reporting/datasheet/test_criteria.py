"""What the datasheet says of criteria and votes: of answers from elsewhere, and once there are results."""

import pytest
from django.utils import timezone

from annotation.models import Assignment, Study
from annotation.services.agreement import rebuild_study
from annotation.services.claiming import claim_seat
from reporting.datasheet.question import Standard
from reporting.datasheet.standards import HEDS2, HEDS3, TWENTY
from tests.factories import ParticipantFactory, StudyFactory, make_batch
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish
from tests.reporting.datasheet.conftest import sheet_of
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


# --- answers that were collected elsewhere ---------------------------------------------------------------
def test_questions_and_definitions_of_answers_from_elsewhere_are_said_to_be_those_of_the_import(rated: Study):
    Assignment.objects.filter(batch__study=rated).update(is_imported=True)
    found = sheet_of(rated, HEDS3)
    for number in ("4.3.1.1", "4.3.2", "4.3.5", "4.3.7"):
        assert found[number].text.splitlines()[-1].startswith("This is the protocol under which the answers were")
    assert {found[number].origin for number in ("4.3.12.1", "4.3.12.2")} == {"missing"}
    assert "intra" not in sheet_of(rated)["4.3.11"].text.casefold()


def test_the_criterion_on_instructions_does_not_deny_guidelines_that_the_protocol_has(rated: Study):
    assert "Short guidelines" in sheet_of(rated, TWENTY)["T4"].text
    Assignment.objects.filter(batch__study=rated).update(is_imported=True)
    assert "or the answers were collected elsewhere." in sheet_of(rated, TWENTY)["T4"].hint


# --- results -----------------------------------------------------------------------------------------------
def test_the_number_of_annotators_is_that_of_the_answers_once_there_are_some(rated: Study):
    assert sheet_of(rated, TWENTY)["D4"].text == "3 annotators for each item."
    batch = make_batch(rated, n_dialogues=2, key="second", position=2)
    rate_everything(claim_seat(ParticipantFactory(study=rated), batch, now=NOW), now=NOW)
    rebuild_study(rated, now=NOW)
    assert sheet_of(rated, TWENTY)["D4"].text == "Each item was judged by 1 to 3 annotators, 2.00 on average."


def test_a_label_that_is_its_number_is_printed_once():
    criterion = CriterionFactory(version=VersionFactory(), name="Fluency", scale="ordinal")
    for label, value in (("1", 1), ("2", 2), ("good", 3)):
        OptionFactory(criterion=criterion, label=label, value=value)
    study = StudyFactory(protocol_version=publish(criterion.version))
    assert sheet_of(study, TWENTY)["T3"].text == "Fluency: 1 / 2 / good (3)"


@pytest.mark.parametrize(("standard", "number"), [(TWENTY, "A4"), (HEDS3, "4.3.9"), (HEDS2, "4.3.9")])
def test_the_means_of_the_main_table_are_those_of_the_model(he_study: Study, standard: Standard, number: str):
    assert "The means of sources are those of a linear mixed model" in sheet_of(he_study, standard)[number].text
