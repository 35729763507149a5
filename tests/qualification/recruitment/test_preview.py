"""What Mechanical Turk shows to somebody who only looks: what the work is, nothing of the material, and no trace."""

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from annotation.models import Candidate, Dialogue, Source, Study
from qualification.models import Recruitment
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory
from tests.qualification.factories_checks import make_checks
from tests.qualification.factories_recruitment import open_for

pytestmark = pytest.mark.django_db
LOOKING = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT", "turkSubmitTo": "https://www.mturk.com"}


@pytest.fixture
def recruitment(study: Study) -> Recruitment:
    """Its material says what can be looked for in a page."""
    source = SourceFactory(study=study, key="source-secret", name="Source Secret")
    dialogue = DialogueFactory(study=study, turns=[{"speaker": "A", "text": "Words of the dialogue"}])
    CandidateFactory(dialogue=dialogue, source=source, text="Words of the response")
    make_checks(study, 1, kind="attention")
    return open_for(study, provider="mturk")


def door(recruitment: Recruitment) -> str:
    return reverse("enter", args=[recruitment.study.join_token, "mturk"])


def material_of(study: Study) -> set[str]:
    sources = Source.objects.filter(study=study).values_list("key", "name")
    turns = [turn["text"] for each in Dialogue.objects.filter(study=study) for turn in each.turns]
    texts = Candidate.objects.filter(dialogue__study=study).values_list("text", flat=True)
    return {word for names in sources for word in names} | {*turns, *texts}


def rows() -> dict[str, int]:
    """Of every table there is, sessions and the log among them."""
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def test_the_preview_tells_the_work_and_nothing_of_the_material(client, recruitment):
    material = material_of(recruitment.study)
    assert {"Words of the dialogue", "Words of the response", "Source Secret"} < material
    page = client.get(door(recruitment), LOOKING).content.decode()

    assert "Crowd study" in page
    assert "This is a preview" in page
    assert "Read the dialogue, then judge the response" in page
    assert not [text for text in material if text in page]


def test_the_preview_stores_nothing_and_opens_no_session(recruitment):
    before, client = rows(), Client()
    assert client.get(door(recruitment), LOOKING | {"workerId": "A1WORKER"}).status_code == 200

    assert rows() == before
    assert "sessionid" not in client.cookies


def test_nobody_enters_from_the_preview(client, recruitment):
    before = rows()
    client.get(door(recruitment), LOOKING)
    answer = client.post(door(recruitment), {"agree": "on", "shown": ""} | LOOKING)

    assert answer.status_code == 400
    assert rows() == before
