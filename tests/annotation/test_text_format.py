"""How a study shows its texts: chosen once, the same on every page, recorded, and never in an export."""

import json
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Batch, Candidate, Study
from annotation.selectors.texts import text_sample
from annotation.services.studies import update_study
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.factories import MembershipFactory
from tests.shipped import NOW, Work

pytestmark = pytest.mark.django_db
TYPED = "Use `sorted`:\n- **one**\n- two"
ITEMS = '<ul dir="auto"><li><strong>one</strong></li><li>two</li></ul>'


@pytest.fixture
def work() -> Work:
    work = Work("he-protocol-1.0", n_sources=1)
    Candidate.objects.filter(dialogue__study=work.study).update(text=TYPED)
    return work


def with_markdown(work: Work) -> Work:
    update_study(work.study, text_format="markdown", now=NOW)
    return work


def answer_something(work: Work) -> None:
    work.answer(work.items("response")[0], work.spec.criteria[0].key, work.spec.criteria[0].options[0].key)


def owner_of(work: Work, client: Client) -> Client:
    client.force_login(MembershipFactory(study=work.study, role="owner").user)
    return client


# --- choosing ------------------------------------------------------------------------------------------
def test_texts_are_shown_as_typed_unless_markdown_is_chosen(work: Work):
    assert Study.objects.get(pk=work.study.pk).text_format == "plain"


def test_the_format_is_fixed_with_the_first_answer_of_the_main_work(work: Work):
    answer_something(work)

    with pytest.raises(ValidationError, match="given to texts that were displayed differently"):
        update_study(work.study, text_format="markdown", now=NOW)
    update_study(work.study, text_format="plain", name="Another name", now=NOW)


def test_answers_of_a_pilot_do_not_fix_it(work: Work):
    Batch.objects.filter(study=work.study).update(kind=Batch.Kind.PILOT)
    answer_something(work)

    assert update_study(work.study, text_format="markdown", now=NOW).text_format == "markdown"


def test_an_unknown_format_is_refused_and_changes_nothing(work: Work):
    with pytest.raises(ValidationError, match="html"):
        update_study(work.study, text_format="html", now=NOW)
    assert Study.objects.get(pk=work.study.pk).text_format == "plain"


def test_the_api_tells_and_changes_the_format(client: Client, work: Work):
    url = f"/api/v1/studies/{work.study.slug}/"
    owner_of(work, client)

    assert client.get(url).json()["text_format"] == "plain"
    changed = client.patch(url, {"text_format": "markdown"}, content_type="application/json")
    assert (changed.status_code, changed.json()["text_format"]) == (200, "markdown")
    refused = client.patch(url, {"text_format": "html"}, content_type="application/json")
    assert (refused.status_code, "text_format" in refused.content.decode()) == (400, True)


def test_the_command_takes_a_format():
    store_bundle(load_bundle(BUILTIN / "he-protocol-1.0.yaml"), publish=True, now=NOW)
    call_command("create_study", "exam", protocol="he-protocol", text_format="markdown", stdout=StringIO())

    assert Study.objects.get(slug="exam").text_format == "markdown"


def test_the_settings_say_how_many_texts_look_like_markdown(client: Client, work: Work):
    page = owner_of(work, client).get(reverse("study_settings", args=[work.study.slug])).content.decode()

    assert "texts look like Markdown." in page
    assert TYPED in page
    assert ITEMS in page


def test_the_sample_names_no_source(work: Work):
    sample = text_sample(work.study)

    assert sample.texts[-1][1] == TYPED
    assert sample.n_like_markdown == Candidate.objects.filter(dialogue__study=work.study).count()


# --- the same everywhere -------------------------------------------------------------------------------
def test_annotators_read_formatted_texts_beside_the_question_and_in_the_dialogue(client: Client, work: Work):
    with_markdown(work)
    client.force_login(work.participant.user)

    page = client.get(reverse("rate_start", args=[work.assignment.token]), follow=True).content.decode()

    n_shown = page.count('<div class="text-raw" hidden>')
    assert page.count(ITEMS) == n_shown >= 2


def test_the_preview_of_an_import_shows_texts_as_the_study_will(client: Client, work: Work, tmp_path):
    with_markdown(work)
    record = {
        "dialogue_id": "new",
        "history": [{"speaker": "A", "text": TYPED}],
        "candidates": [{"source": "s", "text": TYPED}],
    }
    file = tmp_path / "new.jsonl"
    file.write_text(json.dumps(record) + "\n")
    with file.open("rb") as upload:
        page = owner_of(work, client).post(
            reverse("study_import_preview", args=[work.study.slug]),
            {"kind": "dialogues", "format": "", "file": upload},
        )

    assert page.content.decode().count(ITEMS) == 2


# --- recorded ------------------------------------------------------------------------------------------
def test_the_change_is_in_the_log_of_activity(work: Work):
    with_markdown(work)

    line = ActivityLog.objects.filter(study=work.study, verb="settings").get()
    assert line.details["changed"]["text_format"] == ["plain", "markdown"]


@pytest.mark.parametrize(("text_format", "words"), [("plain", "plain text"), ("markdown", "formatted Markdown")])
def test_the_report_says_how_texts_were_shown(client: Client, work: Work, text_format: str, words: str):
    update_study(work.study, text_format=text_format, now=timezone.now())
    answer_something(work)

    page = owner_of(work, client).get(reverse("report", args=[work.study.slug])).content.decode()

    assert "Presentation of texts" in page
    assert f"Dialogues and responses were shown as {words}" in page
