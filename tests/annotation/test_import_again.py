"""After an import that stored nothing, the form still has everything that was chosen but the file."""

import re

import pytest
from django.test import Client

from annotation.models import ImportJob
from tests.annotation.import_pages import GOOD, RATINGS, lines, page, send, text_after_import
from tests.cast import Cast
from tests.factories import ImportJobFactory, StudyFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def maker(client: Client, cast: Cast) -> Client:
    client.force_login(cast.researcher)
    return client


def next_form(client: Client, job_page: str, link: str) -> str:
    """The page behind the link of a finished import."""
    (address,) = re.findall(rf'href="([^"]+)">{link}</a>', job_page)
    return client.get(address).content.decode()


def test_a_failed_import_is_tried_again_with_what_was_chosen(maker: Client) -> None:
    chosen = {"map_annotator": "rater", "map_value": "answer", "criterion": "appropriateness", "sheet": "Main",
              "reference": "human", "format": "csv-ratings", "is_dry_run": "on"}  # fmt: skip
    send(maker, RATINGS.replace("d1,", "d404,").encode(), "r.csv", kind="ratings", **chosen)

    form = next_form(maker, text_after_import(maker), "Import again")

    assert "Everything that you chose for r.csv is kept. Only the file itself must be chosen again" in form
    assert re.search(r'value="ratings"[^>]*checked', form)
    assert re.search(r'name="map_annotator" value="rater"', form)
    assert re.search(r'name="map_value" value="answer"', form)
    assert re.search(r'<option value="appropriateness" selected>', form)
    assert re.search(r'name="sheet" value="Main"', form)
    assert re.search(r'name="reference" value="human"', form)
    assert re.search(r'<option value="csv-ratings" selected', form)
    assert re.search(r'name="is_dry_run"[^>]*checked', form)
    assert "<details open data-options>" in form


def test_a_dry_run_is_followed_by_the_import_itself(maker: Client) -> None:
    send(maker, lines(GOOD), is_dry_run="on", source="me", replace_unused="on")

    form = next_form(maker, text_after_import(maker), "Choose the file again to import it")

    assert not re.search(r'name="is_dry_run"[^>]*checked', form)
    assert re.search(r'name="replace_unused"[^>]*checked', form)
    assert re.search(r'name="source" value="me"', form)


def test_lists_of_predictions_and_roles_are_kept(cast: Cast, maker: Client) -> None:
    options = {"metrics": ["bleu", "judge=coherence"], "lower_is_better": ["nll"]}
    job = ImportJobFactory(study=cast.study, kind="predictions", status="failed", options=options)
    form = maker.get(page(), {"again": str(job.token)}).content.decode()
    assert re.search(r'name="metrics" value="bleu, judge=coherence"', form)
    assert re.search(r'name="lower_is_better" value="nll"', form)


@pytest.mark.parametrize("token", ["x", "00000000-0000-0000-0000-000000000000"])
def test_an_import_that_does_not_exist_leaves_the_form_as_it_is(maker: Client, token: str) -> None:
    assert "Everything that you chose" not in maker.get(page(), {"again": token}).content.decode()


def test_the_choices_of_another_study_are_not_shown(maker: Client) -> None:
    other = ImportJobFactory(study=StudyFactory(), status="failed", options={"source": "secret"})
    assert "secret" not in maker.get(page(), {"again": str(other.token)}).content.decode()


def test_a_form_with_a_mistake_asks_for_the_file_again(maker: Client) -> None:
    text = send(maker, lines(GOOD), format="csv-ratings", source="me").content.decode()
    assert "Everything else that you chose is kept. Choose the file itself again" in text
    assert not ImportJob.objects.exists()
