"""Rows of a table without an id that have the same prompt: what becomes of them is said."""

import pytest

from annotation.models import Study
from annotation.selectors.batch_sizes import sizes_of
from protocols.services import store_bundle
from tests.annotation.importing.conftest import NOW, Write, load
from tests.comparing import COMPARED
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db
PAIRS = "prompt,response_a,response_b\n2+2?,4,Four.\n2+2?,4,Four!\n2+2?,5,Five.\nPeru?,Lima.,Lima. \n"


@pytest.fixture
def comparing() -> Study:
    return StudyFactory(protocol_version=store_bundle(COMPARED, publish=True, now=NOW)[0])


def said(summary) -> str:
    return " ".join(each if isinstance(each, str) else each.page for each in summary.warnings)


def test_rows_with_both_sides_stay_dialogues_of_their_own(comparing: Study, write: Write):
    summary = load(comparing, write(PAIRS, name="pairs.csv"))
    assert summary.counts["dialogues_new"] == 4
    assert {dialogue.candidates.count() for dialogue in comparing.dialogues.all()} == {2}
    assert "2 rows have the prompt of an earlier row, and each is a dialogue of its own." in said(summary)
    assert "give them the same id in a column “dialogue”" in said(summary)
    again = load(comparing, write(PAIRS, name="pairs.csv"))
    assert (again.counts["dialogues_new"], again.counts["dialogues_unchanged"]) == (0, 4)


def test_rows_with_an_id_say_nothing(comparing: Study, write: Write):
    rows = PAIRS.splitlines()
    named = [f"id,{rows[0]}", *(f"d{at},{row}" for at, row in enumerate(rows[1:]))]
    assert "the prompt of" not in said(load(comparing, write("\n".join(named), name="pairs.csv")))


def test_responses_of_one_source_to_one_prompt_are_told(comparing: Study, write: Write):
    rows = "prompt,source,response\n2+2?,a,4\n2+2?,b,Four.\n2+2?,a,5\n2+2?,b,Five.\n"
    text = said(load(comparing, write(rows, name="rows.csv")))
    assert comparing.dialogues.count() == 1
    assert "2 rows have the prompt and the source of another row: their responses belong to one dialogue." in text
    assert "give those that belong together an id in a column “dialogue”. Otherwise every pair" in text
    fine = StudyFactory(protocol_version=comparing.protocol_version)
    text = said(load(fine, write("prompt,source,response\n2+2?,a,4\n2+2?,b,Four.\n", name="rows.csv")))
    assert "the prompt and the source" not in text


def test_the_form_of_batches_says_which_pairs_are_identical(comparing: Study, write: Write):
    load(comparing, write(PAIRS, name="pairs.csv"))
    assert "1 identical pair is not shown and counts as a tie." in sizes_of(comparing).words
