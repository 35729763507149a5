"""Panels stand beside the dialogue or above the response they belong to, as plain or formatted text, never as HTML."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.context import ContextPanel, context_of
from annotation.judges.prompts import target_of
from annotation.models import Assignment, Candidate, Dialogue, Item
from tests.annotation.work_pages import rate_url, sign_in, text_of
from tests.cast import Cast
from tests.factories import take_seat

HOSTILE = "<script>alert(1)</script> & <b>bold</b>"


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    Dialogue.objects.filter(study=cast.study).update(context=[{"title": "Source text", "text": HOSTILE}])
    for candidate in Candidate.objects.filter(dialogue__study=cast.study):
        candidate.context = [{"title": "Fact", "text": f"Fact of {candidate.pk}."}]
        candidate.save()
    return take_seat(cast.annotator, cast.batch)


@pytest.fixture
def client(cast: Cast) -> Client:
    return sign_in(cast.annotator.user)


def test_the_dialogue_s_panel_is_shown_and_its_html_is_inert(client: Client, assignment: Assignment):
    page = client.get(rate_url(assignment, assignment.batch.items.first().position)).text
    assert "Source text" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;" in page
    assert "<script>alert(1)" not in page


def test_each_response_has_its_own_panel_above_it(client: Client, assignment: Assignment):
    item = assignment.batch.items.order_by("position").first()
    page = client.get(rate_url(assignment, item.position)).text
    same_place = Item.objects.filter(batch=assignment.batch, position=item.position)
    for each in same_place.select_related("candidate"):
        place = rf'data-judged="{each.token}".*?{re.escape(each.candidate.text)}'
        judged = re.search(place, page, re.DOTALL)
        assert f"Fact of {each.candidate.pk}." in judged[0]


def test_facts_about_the_speaker_are_a_panel(cast: Cast):
    dialogue = Dialogue(metadata={"persona": ["I keep bees."]}, context=[{"title": "Fact", "text": "Bees count."}])
    assert context_of(dialogue) == (ContextPanel("", facts=("I keep bees.",)), ContextPanel("Fact", "Bees count."))


def test_a_judge_reads_what_annotators_read(cast: Cast, assignment: Assignment):
    candidate = Candidate.objects.filter(dialogue__study=cast.study).select_related("dialogue").first()
    target = target_of(candidate.dialogue, candidate)
    assert [panel.title for panel in (*target.context, *target.above)] == ["Source text", "Fact"]


def test_the_past_batch_shows_them_too(client: Client, assignment: Assignment):
    Assignment.objects.filter(pk=assignment.pk).update(status="submitted", submitted_at="2026-01-01T00:00Z")
    page = text_of(client.get(reverse("past_batch", args=[assignment.token])))
    assert "Source text" in page
    assert "Fact of" in page
