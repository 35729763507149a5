"""The board's weighted kappas, its pairs on strong judgements, and the words that a study chooses."""

from itertools import combinations
from statistics import mean

import pytest
from sklearn.metrics import cohen_kappa_score

from annotation.models import Rating, Study
from annotation.services.agreement import rebuild_study, sweep
from reporting.board.page import board_page
from reporting.board.rows import board_data
from reporting.board.tables import agreement_table
from tests.cast import Cast
from tests.he_study import he_rows
from tests.reporting.board.pages import NOW, board_url, fragment_url, rate, signed_in

pytestmark = pytest.mark.django_db
WEIGHTED = ("cohen_linear", "cohen_quadratic")


def offered(html: str) -> list[str]:
    form = html.partition('id="board-statistic"')[2].partition("</select>")[0]
    return [part.partition('"')[0] for part in form.split('<option value="')[1:]]


# --- weighted kappa ------------------------------------------------------------------------------------
@pytest.mark.parametrize("statistic", WEIGHTED)
def test_the_weighted_kappa_of_a_scale_is_the_mean_of_its_pairs(scale_study: Study, statistic: str):
    sweep(now=NOW)
    table = agreement_table(board_data(scale_study, {"criterion": "fluency", "statistic": statistic}))
    for row, source in zip(
        table.groups[0].rows, scale_study.sources.order_by("-is_reference", "position"), strict=True
    ):
        given = Rating.objects.filter(criterion__key="fluency", item__source=source).order_by("item")
        people = given.order_by("assignment").values_list("assignment", flat=True).distinct()
        answers = [list(given.filter(assignment=who).values_list("option__value", flat=True)) for who in people]
        weights = statistic.removeprefix("cohen_")
        pairs = [cohen_kappa_score(*both, labels=[5, 4, 3, 2, 1], weights=weights) for both in combinations(answers, 2)]
        assert (row.pooled.text, row.parts[0][1].text) == (f"{mean(pairs):.2f}".replace("-", "−"),) * 2
        assert any("3 pairs of annotators used" in line for line in row.pooled.lines)
        assert row.pooled.tone is row.parts[0][1].tone is None, "four items are too few for a colour"


def test_only_scales_with_an_order_offer_weighted_kappa(cast: Cast, scale_study: Study):
    rate(cast, 0, 1)
    lead = signed_in(cast.lead)
    assert not set(WEIGHTED) & set(offered(lead.get(board_url(cast)).text))
    assert board_data(cast.study, {"statistic": "cohen_linear"}).choice.statistic.key == "fleiss"
    assert [each.key for each in board_page(scale_study, {})["statistics"]][3:5] == list(WEIGHTED)


def test_the_same_answer_of_everybody_has_no_weighted_kappa_and_says_why(scale_study: Study):
    batch = scale_study.batches.get()
    first = Rating.objects.filter(batch=batch, criterion__key="fluency").first()
    Rating.objects.filter(batch=batch, criterion__key="fluency").update(option=first.option)
    rebuild_study(scale_study, now=NOW)
    table = agreement_table(board_data(scale_study, {"criterion": "fluency", "statistic": "cohen_linear"}))
    assert {row.pooled.text for row in table.groups[0].rows} == {"–"}
    assert "everybody gave the same answer" in table.groups[0].rows[0].pooled.why


# --- strong judgements of pairs --------------------------------------------------------------------------
def test_pairs_on_strong_judgements_leave_out_what_anybody_was_unsure_of(measured_he_study):
    rows = [row for row in he_rows() if row["batch"] == "2"]
    unsure = {(row["criterion"], row["candidate_id"]) for row in rows if row["answer"].lower() == "i don't know"}
    strong = [row for row in rows if (row["criterion"], row["candidate_id"]) not in unsure]
    # Criteria are pooled by the place of the answer: the yes of one and of another are the same.
    given = {
        (row["annotator"], row["criterion"], row["candidate_id"]): row["answer"].lower().startswith("not ")
        for row in strong
    }
    questions = sorted({key[1:] for key in given})
    pairs = board_page(measured_he_study, {"batch": "2"})["pairs"].pairs
    assert unsure
    for pair in pairs:
        first, second = ([given[who, *each] for each in questions] for who in (pair.first, pair.second))
        assert pair.strong.text == f"{cohen_kappa_score(first, second):.2f}".replace("-", "−")
        assert pair.strong_common.text == str(len(questions))


def test_the_list_of_pairs_has_both_kappas_where_somebody_can_be_unsure(cast: Cast, scale_study: Study):
    rate(cast, 0, 1)
    page = signed_in(cast.lead).get(fragment_url(cast)).text
    assert "Kappa, items nobody was unsure about" in page
    sweep(now=NOW)
    assert not board_page(scale_study, {})["pairs"].has_unsure


def test_pairs_without_a_strong_judgement_have_a_reason(cast: Cast):
    rate(cast, 0, 2)
    pair = board_page(cast.study, {})["pairs"].pairs[0]
    assert (pair.strong.text, pair.strong_common.text) == ("–", "0")
    assert "every item has at least one unsure answer" in pair.strong.why


# --- words -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("scale", "there", "not_there"),
    [
        ("landis_koch", "almost perfect", "reliable."),
        ("krippendorff", "reliable.", "almost perfect"),
        ("none", "", ", poor."),
    ],
)
def test_the_words_of_the_board_are_those_that_the_study_chose(cast: Cast, scale: str, there: str, not_there: str):
    rate(cast, 0, 1)
    Study.objects.filter(pk=cast.study.pk).update(word_scale=scale)
    page = signed_in(cast.lead).get(fragment_url(cast)).text
    assert there in page
    assert not_there not in page
