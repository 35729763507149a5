"""What a file leaves out is named on the import page, and what it names is said."""

import pytest

from tests.annotation.import_pages import GOOD, RATINGS, lines, send, text_after_import
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(client, cast: Cast):
    client.force_login(cast.researcher)
    return cast.researcher


# --- new sources -----------------------------------------------------------------------------------
def test_new_sources_are_named_before_and_after_an_import(client, researcher, cast: Cast):
    known = cast.study.sources.first().key
    content = lines(GOOD | {"candidates": [{"source": name, "text": "So."} for name in (known, "modle_b", "<b>")]})
    preview = send(client, content, route="study_import_preview").content.decode()
    assert "New sources: modle_b, &lt;b&gt;" in preview
    send(client, content)
    assert '<dt>New sources</dt><dd>2: <span dir="auto">modle_b, &lt;b&gt;</span></dd>' in text_after_import(client)
    assert "New sources:" not in send(client, content, route="study_import_preview").content.decode()


def test_the_first_ten_new_sources_are_named(client, researcher):
    content = lines(GOOD | {"candidates": [{"source": f"m{n}", "text": "So."} for n in range(1, 13)]})
    send(client, content)
    assert '12: <span dir="auto">m1, m2, m3, m4, m5, m6, m7, m8, m9, m10</span>, …</dd>' in text_after_import(client)


def test_sources_that_ratings_create_are_named(client, researcher):
    content = b"rater,dialogue,model,criterion,answer\nr1,x,modle,appropriateness,Appropriate\n"
    form = {"kind": "ratings", "create_missing": "on"}
    assert "New sources: modle" in send(client, content, "r.csv", "study_import_preview", **form).content.decode()
    send(client, content, "r.csv", **form)
    assert '1: <span dir="auto">modle</span></dd>' in text_after_import(client)


# --- one criterion of the whole file ---------------------------------------------------------------


@pytest.fixture
def rated(cast: Cast) -> bytes:
    """A file without a column of criteria."""
    candidate = cast.batch.items.first().candidate
    return f"rater,dialogue,item,answer\nr1,{candidate.dialogue.key},{candidate.key},Appropriate\n".encode()


def test_a_file_without_criteria_is_told_where_to_name_one(client, researcher, rated):
    said = "if all rows answer one criterion, choose it as “Criterion of the whole file”"
    text = send(client, rated, "r.csv", "study_import_preview", kind="ratings").content.decode()
    assert "criterion" in text
    assert said in text
    send(client, rated, "r.csv", kind="ratings")
    assert said in text_after_import(client)


def test_the_criterion_of_the_form_is_that_of_the_whole_file(client, researcher, cast: Cast, rated):
    form = {"kind": "ratings", "criterion": "Appropriateness"}
    text = send(client, rated, "r.csv", "study_import_preview", **form).content.decode()
    assert "no column has a recognised name" not in text
    send(client, rated, "r.csv", **form)
    assert "<dt>New ratings</dt><dd>1</dd>" in text_after_import(client)
    rating = cast.batch.ratings.get()
    assert (rating.criterion.key, rating.option.label) == ("appropriateness", "Appropriate")


@pytest.mark.parametrize(
    ("content", "criterion", "said"),
    [
        (RATINGS, "appropriateness", "each row names its criterion in the column &#x27;criterion&#x27;"),
        ("rater,item,answer\nr1,c1,Appropriate\n", "charm", "&#x27;charm&#x27; is not in the protocol: use "),
    ],
)
def test_a_criterion_of_the_form_that_cannot_hold_is_refused(client, researcher, content, criterion, said):
    form = {"kind": "ratings", "criterion": criterion}
    assert said in send(client, content.encode(), "r.csv", "study_import_preview", **form).content.decode()
    send(client, content.encode(), "r.csv", **form)
    assert said in text_after_import(client)
