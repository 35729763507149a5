"""Answers that were imported are told in the methods paragraph, with their files, in every file of the report."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ImportJob, Study
from annotation.services.claiming import claim_seat
from annotation.services.taking_back import take_back
from reporting.record.imports import import_sentences
from reporting.report.build import build_report, plain_report
from reporting.report.latex import as_latex
from tests.cast import Cast
from tests.factories import MembershipFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SAID = (
    "Of these, 2 answers were not given in Parley but imported from earlier_study.csv. Imported answers have no active "
    "times, so figures about time leave them out."
)


@pytest.fixture
def partly_imported(cast: Cast, tmp_path: Path) -> Study:
    """One person rates everything here, and two answers come from a file."""
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    first, second = cast.batch.items.order_by("pk")[:2]
    rows = [
        f"{item.dialogue.key},{item.candidate.key},r1,appropriateness,Appropriate,{cast.batch.key}"
        for item in (first, second)
    ]
    path = tmp_path / "earlier_study.csv"
    path.write_text("\n".join(["dialogue,item,annotator,criterion,value,batch", *rows]))
    call_command("import_ratings", cast.study.slug, str(path))
    return cast.study


def test_the_methods_say_how_many_answers_came_from_which_file(partly_imported: Study) -> None:
    report = build_report(partly_imported, now=NOW)
    assert report.imports == [{"file": "earlier_study.csv", "answers": 2, "has_times": False}]
    assert SAID in " ".join(report.methods)
    assert SAID in " ".join(json.loads(json.dumps(plain_report(report)))["methods"])
    latex = " ".join(as_latex(report).split())
    assert "Of these, 2 answers were not given in Parley but imported from earlier\\_study.csv." in latex


def test_the_page_says_it_too(partly_imported: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=partly_imported, role="owner").user)
    page = client.get(reverse("report", args=[partly_imported.slug])).text
    assert SAID in page.split('id="t-methods"')[1].split("</section>")[0]


def test_an_import_that_was_taken_back_is_not_told(partly_imported: Study) -> None:
    take_back(ImportJob.objects.get(study=partly_imported), by=None, now=NOW)
    report = build_report(partly_imported, now=NOW)
    assert report.imports == []
    assert "imported from" not in " ".join(report.methods)


def test_files_with_active_times_are_told_from_those_without() -> None:
    timed = {"file": "own.csv", "answers": 3, "has_times": True}
    said = list(import_sentences([timed, {"file": "b.csv", "answers": 1, "has_times": False}], 9))
    assert said == [
        "Of these, 4 answers were not given in Parley but imported from own.csv and b.csv.",
        "The answers from b.csv have no active times, so figures about time leave them out.",
    ]
    assert list(import_sentences([], 9)) == []
    many = [timed | {"file": f"{at}.csv"} for at in range(7)]
    assert "imported from 7 files." in next(iter(import_sentences(many, 99)))
    (first, *_rest) = import_sentences([timed], 3)
    assert first == "All answers were given elsewhere and imported from own.csv."
