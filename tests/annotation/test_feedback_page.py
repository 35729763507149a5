"""What annotators wrote at the end of a batch, for those who look after them."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.services.claiming import submit_assignment
from tests.annotation.work_pages import sign_in, text_of
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat

pytestmark = pytest.mark.django_db
PEOPLE, FEEDBACK = reverse("study_people", args=["wellbeing"]), reverse("study_feedback", args=["wellbeing"])


@pytest.fixture
def commented(cast: Cast) -> Cast:
    texts = ("", "The <b>second</b> dialogue is broken.", "Thank you")
    for participant, text in zip(cast.annotators, texts, strict=True):
        assignment = take_seat(participant, cast.batch)
        submit_assignment(assignment, feedback=text, now=timezone.now(), needs_all=False)
    return cast


def test_a_lead_reads_who_wrote_what_about_which_batch_and_when(commented: Cast):
    lead = sign_in(commented.lead)
    people = text_of(lead.get(PEOPLE))
    assert f'href="{FEEDBACK}">2 comments from annotators' in people
    page = text_of(lead.get(FEEDBACK))
    assert "2 comments, left when submitting a batch." in page
    for part in ("The &lt;b&gt;second&lt;/b&gt; dialogue is broken.", commented.annotators[1].pseudonym, "batch 1"):
        assert part in page
    assert page.index("Thank you") < page.index("dialogue is broken")
    assert page.count("<time datetime=") == 2
    assert commented.annotators[1].user.username not in page


def test_without_comments_the_page_says_so_and_people_do_not_lead_there(cast: Cast):
    lead = sign_in(cast.lead)
    assert FEEDBACK not in text_of(lead.get(PEOPLE))
    assert "No comments yet." in text_of(lead.get(FEEDBACK))


def test_comments_of_another_study_are_not_among_them(commented: Cast):
    other = StudyFactory(protocol_version=commented.version)
    assignment = take_seat(make_annotator(other, "elsewhere"), make_batch(other, 1, 1))
    submit_assignment(assignment, feedback="Of another study.", now=timezone.now(), needs_all=False)
    assert "Of another study." not in text_of(sign_in(commented.lead).get(FEEDBACK))
