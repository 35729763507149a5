"""What a paper will have to say, on a study's overview: what is known before it opens, and where the gaps close."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Study
from annotation.services.claiming import claim_seat
from annotation.services.datasheet import save_answer
from qualification.models import CheckPlan, Recruitment
from reporting.datasheet.gaps import gaps_of
from tests.cast import Cast, make_cast
from tests.factories import StudyFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def gaps(study: Study) -> dict[str, str]:
    """{question: where it is answered}"""
    return {gap.question: gap.url for gap in gaps_of(Study.objects.get(pk=study.pk)).gaps}


def overview(study: Study, user: object, client: Client) -> str:
    client.force_login(user)
    text = client.get(reverse("study", args=[study.slug])).text
    return unescape(re.sub(r"\s+", " ", text[text.index('<details class="card paper"') :].partition("</details>")[0]))


def fill(cast: Cast) -> None:
    """Everything that settings and words can say before anybody rates."""
    Study.objects.filter(pk=cast.study.pk).update(
        platform="Prolific", pay_amount="4.67", pay_currency="GBP", consent_text="I take part."
    )
    Recruitment.objects.create(study=cast.study, n_wanted=40, locations=["Italy"], asks_demographics=True)
    CheckPlan.objects.create(study=cast.study)
    for number, text in {
        "T2": "They are those of the protocol.",
        "3.1.3.1": "The planner, for a difference of 10 points.",
        "5.1": "Approved by the board.",
        "A7": "One language.",
    }.items():
        save_answer(cast.study, number, text, by=cast.owner, now=NOW)


@pytest.fixture
def cast() -> Cast:
    return make_cast(status="draft")


def test_an_empty_study_misses_most_and_says_where_to_fill_it_in(db: None):
    study = StudyFactory(slug="new", status="draft")
    found = gaps(study)
    assert found["How many items are rated?"] == "/studies/new/batches/"
    assert found["By which statistics are results compared?"] == "/studies/new/import/"
    assert found["How many annotators are there?"] == "/studies/new/recruitment/"
    assert found["What are annotators paid?"] == "/studies/new/settings/#id_pay_amount"
    assert found["Where are annotators recruited?"] == "/studies/new/settings/#id_platform"
    assert found["Why this many?"] == "/studies/new/datasheet/?standard=heds-3.0#q-3-1-3-1"
    assert found["Why these criteria?"] == "/studies/new/datasheet/?standard=reporting-criteria#q-T2"


def test_a_study_with_everything_filled_in_has_20_of_20_before_it_opens(cast: Cast, client: Client):
    fill(cast)
    text = overview(cast.study, cast.observer, client)
    assert "20 of 20 known" in text
    assert not text.startswith('<details class="card paper" open')
    assert "<li>" not in text


def test_a_gap_closes_with_the_setting_and_opens_again(cast: Cast):
    question = "What are annotators paid?"
    assert question in gaps(cast.study)
    Study.objects.filter(pk=cast.study.pk).update(pay_amount="0", pay_currency="GBP")
    assert question not in gaps(cast.study)
    Study.objects.filter(pk=cast.study.pk).update(pay_amount=None, pay_currency="")
    assert question in gaps(cast.study)


def test_one_seat_gives_no_agreement(cast: Cast):
    assert "How is agreement measured?" not in gaps(cast.study)
    Study.objects.filter(pk=cast.study.pk).update(seats=1)
    cast.batch.delete()
    assert gaps(cast.study)["How is agreement measured?"] == "/studies/wellbeing/settings/#id_seats"


def test_once_the_study_is_open_the_overview_leads_to_them(cast: Cast, client: Client):
    assert overview(cast.study, cast.owner, client).startswith('<details class="card paper" open>')
    Study.objects.filter(pk=cast.study.pk).update(status="open")
    page = client.get(reverse("study", args=[cast.study.slug])).text
    assert '<details class="card paper"' not in page
    assert "/studies/wellbeing/datasheet/?standard=reporting-criteria" in page


def test_those_who_only_watch_read_the_gaps_without_links_to_settings(cast: Cast, client: Client):
    text = overview(cast.study, cast.observer, client)
    assert "Enter where annotators are recruited." in text
    assert "#id_platform" not in text
    assert "#id_platform" in overview(cast.study, cast.owner, client)


def test_for_answers_collected_elsewhere_words_are_asked_for_instead_of_settings(cast: Cast):
    Study.objects.filter(pk=cast.study.pk).update(status="open")
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    Assignment.objects.filter(batch__study=cast.study).update(is_imported=True)
    found = gaps(cast.study)
    assert found["What instructions do annotators get?"] == "/studies/wellbeing/datasheet/?standard=heds-3.0#q-3-2-4"
    assert found["What do annotators see?"] == "/studies/wellbeing/datasheet/?standard=heds-3.0#q-3-3-4-2"
    assert found["Which answers are left out?"] == "/studies/wellbeing/datasheet/?standard=reporting-criteria#q-A6"
    assert "How many annotators are there?" not in found


def test_an_imported_study_has_20_of_20_by_words(cast: Cast):
    Study.objects.filter(pk=cast.study.pk).update(status="open")
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    Assignment.objects.filter(batch__study=cast.study).update(is_imported=True)
    fill(cast)
    for number in ("3.2.4", "3.3.4.2", "A6"):
        save_answer(cast.study, number, "As in the paper.", by=cast.owner, now=NOW)
    assert gaps(cast.study) == {}


def test_an_archive_tells_of_the_recruitment_that_was_elsewhere(cast: Cast):
    said = {"recruitment": {"criteria": {"locations": ["Italy"]}, "wanted": 40, "demographics": None}}
    quality = "What ensures the quality of the answers?"
    Study.objects.filter(pk=cast.study.pk).update(imported_record=said | {"qualification": {"by": "team"}})
    found = gaps(cast.study)
    assert "Who may take part?" not in found
    assert quality in found  # people cleared by hand are not measured by anything
    Study.objects.filter(pk=cast.study.pk).update(imported_record=said | {"qualification": {"by": "qualification"}})
    assert quality not in gaps(cast.study)
