"""Who checks labels without seeing them does not read them elsewhere: single answers have a right of their own."""

import io
import json
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.access import RIGHTS, Right
from annotation.models import Rating
from annotation.services.claiming import claim_seat
from tests.api import Api
from tests.cast import Cast
from tests.clock import NOW
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
SAID = "It talks about the weather."


@pytest.fixture
def written(cast: Cast) -> Cast:
    """A study with one negative answer that is explained in words."""
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, option=1)
    answer = assignment.ratings.filter(criterion__key="contextualization", option__role="negative").first()
    assert answer is not None
    Rating.objects.filter(pk=answer.pk).update(free_text=SAID)
    return cast


def got(user: User, name: str, *args: object):
    client = Client()
    client.force_login(user)
    return client.get(reverse(name, args=["wellbeing", *args]))


def texts_of_book(answer) -> str:
    with ZipFile(io.BytesIO(answer.content)) as book:
        return book.read("xl/sharedStrings.xml").decode()


def test_all_who_watch_read_single_answers_but_the_controller():
    without = {role for role, rights in RIGHTS.items() if Right.WATCH in rights and Right.READ not in rights}
    assert without == {"controller"}
    assert not {role for role, rights in RIGHTS.items() if Right.READ in rights and Right.WATCH not in rights}


def test_a_controller_has_no_exports_and_no_link_to_them(written: Cast):
    assert got(written.controller, "exports").status_code == 403
    assert reverse("exports", args=["wellbeing"]) not in got(written.controller, "report").content.decode()
    assert reverse("exports", args=["wellbeing"]) in got(written.observer, "report").content.decode()
    assert (
        Api(written.controller).ask("POST", "api_exports", "wellbeing", data={"format": "long-csv"}).status_code == 403
    )


def test_a_controller_has_no_ratings_through_the_api(written: Cast):
    assert Api(written.controller).ask("GET", "api_ratings", "wellbeing").status_code == 403
    assert Api(written.observer).ask("GET", "api_ratings", "wellbeing").status_code == 200


@pytest.mark.usefixtures("unprinted")
@pytest.mark.parametrize("name", ["report", "report_html", "report_pdf", "report_json", "report_latex"])
def test_a_report_for_a_controller_holds_no_text_of_an_answer(written: Cast, name: str):
    assert SAID not in got(written.controller, name).content.decode(errors="replace")


def test_others_read_the_texts_in_the_report_as_before(written: Cast):
    for name in ("report", "report_html"):
        assert SAID in got(written.observer, name).content.decode()
    assert len(json.loads(got(written.observer, "report_json").content)["negative_texts"]) == 1
    assert SAID in texts_of_book(got(written.observer, "report_xlsx"))
    assert SAID not in texts_of_book(got(written.controller, "report_xlsx"))


def test_a_controller_cannot_fetch_the_table_of_texts_and_is_not_offered_it(written: Cast):
    assert got(written.controller, "report_table", "negative_texts", "csv").status_code == 403
    assert got(written.controller, "report_table", "negatives", "csv").status_code == 200
    place = reverse("report_table", args=["wellbeing", "negative_texts", "csv"])
    assert place not in got(written.controller, "report").content.decode()
    assert SAID in got(written.observer, "report_table", "negative_texts", "csv").content.decode()


def test_a_report_through_the_api_holds_no_text_of_an_answer_for_a_controller(written: Cast):
    for user, is_read in ((written.controller, False), (written.observer, True)):
        report = Api(user).ask("GET", "api_study_report", "wellbeing").json()
        assert (SAID in json.dumps(report), bool(report["negative_texts"])) == (is_read, is_read)
