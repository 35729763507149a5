"""What stands around a question: who speaks, which step it is, and which keys are of use."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Candidate
from tests.shipped import Work

pytestmark = pytest.mark.django_db


def html_of(client: Client, work: Work, position: int) -> str:
    client.force_login(work.participant.user)
    return client.get(reverse("rate", args=[work.assignment.token, position, 1])).text


def test_a_set_names_its_speaker_and_a_collection_is_part_of_no_dialogue(client: Client):
    work = Work("persona-quality-1.0", n_sources=2)
    Candidate.objects.filter(source__study=work.study).update(speaker="S2")
    of_set = html_of(client, work, 1).partition("Responses by one author to this dialogue, to rate together")[2]
    assert of_set.partition("</figcaption>")[0].endswith(">S2</b>")
    of_models = html_of(client, work, work.items("model")[0].position)
    assert "step 1 of 2" in of_models
    assert "of this dialogue" not in of_models


def test_a_set_of_several_speakers_names_none(client: Client):
    work = Work("persona-quality-1.0", n_sources=1)
    for number, candidate in enumerate(Candidate.objects.filter(source__study=work.study)):
        Candidate.objects.filter(pk=candidate.pk).update(speaker=f"S{number}")
    of_set = html_of(client, work, 1).partition("Responses by one author to this dialogue, to rate together")[2]
    assert "<b" not in of_set.partition("</figcaption>")[0]


def test_a_key_that_the_label_says_is_not_printed_twice(client: Client):
    scale = html_of(client, Work("persona-quality-1.0", n_sources=1), 1)
    assert '<kbd class="in-label">3</kbd>' in scale
    assert '<kbd aria-hidden="true">3</kbd>' not in scale


def test_a_key_stands_beside_a_label_in_words(client: Client):
    named = html_of(client, Work("he-protocol-1.0", n_sources=1), 1)
    assert '<kbd aria-hidden="true">3</kbd>' in named
