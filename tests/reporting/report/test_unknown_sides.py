"""Where nobody knows the sides, the page, the methods and the files say what the ranking then assumes."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Rating, Study
from annotation.services.agreement import rebuild_study
from reporting.report.build import build_report, plain_report
from reporting.report.latex import as_latex
from tests.factories import MembershipFactory
from tests.reporting.report.test_rankings import make_answered

pytestmark = pytest.mark.django_db
NOW = timezone.now()
PARAMETER = "The model has a parameter for the side (Davidson and Beaver 1977)."
ASSUMED = "the model has no parameter for the side: it assumes that neither side is preferred."


@pytest.fixture
def compared() -> Study:
    return make_answered()


def without_sides(study: Study, ratings: list[int]) -> None:
    Rating.objects.filter(pk__in=ratings).update(is_swapped=None)
    rebuild_study(study, now=NOW)


def page_of(study: Study) -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    return " ".join(client.get(reverse("report", args=[study.slug])).text.split())


def side_of(page: str) -> str:
    """What the list below the ranking says of the side, without its explanation."""
    found = re.search(r"<li>(Side: .*?)</li>", page)
    assert found
    return found[1]


def test_without_sides_the_model_is_said_to_assume_that_neither_is_preferred(compared: Study) -> None:
    assert PARAMETER in page_of(compared)
    without_sides(compared, list(Rating.objects.values_list("pk", flat=True)))
    page = page_of(compared)
    assert PARAMETER not in page
    assert ASSUMED in page
    assert "not known where their file does not say which source stood on the left." in page
    said = side_of(page)
    assert said.startswith(
        "Side: Undefined: nobody knows which source stood on the left. The model assumes that neither"
    )
    assert "strengths and win rates contain this bias" in said
    assert "“manage.py rank” reads the sides from the file itself" in said
    assert "The strengths are free of it." not in page
    assert "If the model has a parameter for the side, that is the score with the sides even" in page
    explained = page.split('id="term-side_bias"')[1].split("</div>")[0]
    assert "Where they are not known, the model assumes that neither side is preferred" in explained


def test_the_files_say_the_same(compared: Study) -> None:
    without_sides(compared, list(Rating.objects.values_list("pk", flat=True)))
    report = build_report(compared, now=NOW)
    assert ASSUMED in as_latex(report)
    (model,) = (each["model"] for each in json.loads(json.dumps(plain_report(report)))["rankings"])
    assert (model["without_sides"], model["side"]) == (model["answers"], None)


def test_some_answers_without_sides_are_counted(compared: Study) -> None:
    pair = Rating.objects.filter(item__is_check=False, option__role__in=("left", "right", "equal")).first()
    without_sides(compared, [pair.pk])
    (ranking,) = build_report(compared, now=NOW).rankings
    assert ranking.model.without_sides == 1
    n = ranking.model.answers
    page = page_of(compared)
    assert f"the sides of 1 of {n} answers are not known: for them, the model assumes that neither side" in page
    assert f"Answers whose sides are not known: 1 of {n}." in side_of(page)
    assert "The strengths are free of it." not in page


def test_known_sides_are_taken_out(compared: Study) -> None:
    assert "The strengths are free of it." in side_of(page_of(compared))
