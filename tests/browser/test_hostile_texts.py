"""Imported texts are hostile until shown otherwise: markup, scripts and control marks stay text on every page."""

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.importing import DialogueOptions, import_dialogues
from annotation.models import Batch, Study
from annotation.services.agreement import sweep
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat
from tests.cast import Cast, make_cast
from tests.factories import StudyFactory, make_annotator
from tests.factories_protocols import make_he_version
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)

MARKUP = "<img src=x onerror='window.hit=1'><script>window.hit=1</script><b>bold</b>{{ 7|add:7 }} &lt;i&gt;"
TURNED = "\u202egnirts desrever\u202c and \u2066isolated\u2069 שלום مرحبا"
LONG = "a long tail of words " * 2_500  # over 50,000 characters
SOURCE = '"><script>window.hit=1</script>'


def hostile_line() -> str:
    turns = [("<script>window.hit=1</script>", MARKUP), ("B", TURNED), ("A", LONG), ("B", "x" * 50_000)]
    return json.dumps(
        {
            "dialogue_id": "<svg onload=window.hit=1>",
            "batch": "1",
            "history": [{"speaker": speaker, "text": text} for speaker, text in turns],
            "candidates": [{"source": SOURCE, "text": MARKUP}, {"source": "ground_truth", "text": TURNED}],
        }
    )


@pytest.fixture
def cast(tmp_path: Path) -> Cast:
    cast = make_cast()
    study = StudyFactory(slug="hostile", name=MARKUP, description=MARKUP, protocol_version=make_he_version())
    study.memberships.create(user=cast.lead, role="owner")
    file = tmp_path / "hostile.jsonl"
    file.write_text(hostile_line() + "\n")
    import_dialogues(study, file, options=DialogueOptions(), now=timezone.now())
    make_batches(study, by="given", now=timezone.now())
    Batch.objects.filter(study=study).update(status="open")
    return cast


def test_the_rating_screen_shows_hostile_texts_as_they_are(cast: Cast, open_screen):
    study = Study.objects.get(slug="hostile")
    annotator = make_annotator(study, "reader")
    assignment = claim_seat(annotator, study.batches.get(), now=timezone.now())
    screen = open_screen(annotator.user)
    page = screen.go(f"/work/{assignment.token}/")
    history = page.locator(".rate-context")
    for text in ("<script>window.hit=1</script>", MARKUP, "gnirts desrever"):
        expect(history).to_contain_text(text)
    page.keyboard.press("M")  # long ones are folded
    assert len(history.inner_text()) > 100_000
    assert page.locator(".rate-context b, .rate-context img, .candidate b").count() == 0
    assert page.evaluate("window.hit") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("route", ["study", "study_import", "study_batches", "study_people", "board", "report"])
def test_the_pages_of_the_study_show_hostile_names_as_they_are(cast: Cast, open_screen, route: str):
    study = Study.objects.get(slug="hostile")
    rate_everything(
        claim_seat(make_annotator(study, "reader"), study.batches.get(), now=timezone.now()), now=timezone.now()
    )
    sweep(now=timezone.now())
    page = open_screen(cast.lead).go(reverse(route, args=["hostile"]))
    expect(page.locator("h1")).to_contain_text("<script>window.hit=1</script>")
    if route in ("board", "report"):
        expect(page.locator("main")).to_contain_text(SOURCE)
    assert page.evaluate("window.hit") is None


def test_the_pdf_of_hostile_names_fetches_nothing(cast: Cast):
    study = Study.objects.get(slug="hostile")
    rate_everything(
        claim_seat(make_annotator(study, "reader"), study.batches.get(), now=timezone.now()), now=timezone.now()
    )
    client = Client()
    client.force_login(cast.lead)
    assert client.get(reverse("report_pdf", args=["hostile"])).content.startswith(b"%PDF-")
