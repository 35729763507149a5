"""Agreement in the report: weighted kappa, means of sources and criteria, pairs on strong judgements, the words."""

import csv
import io
from itertools import combinations, product
from statistics import mean, stdev
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from sklearn.metrics import cohen_kappa_score

from annotation.models import Rating, Study
from annotation.selectors.work import spec_of_assignment
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from measures.labels import WORD_SCALES
from reporting.board.rows import board_data
from reporting.report.build import Report, build_report
from reporting.report.downloads import as_csv, as_xlsx
from reporting.report.latex import as_latex
from reporting.report.shown.parts import interval
from reporting.study.plain import plain
from tests.cast import Cast
from tests.factories import MembershipFactory, StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish
from tests.he_study import expected, he_rows
from tests.working import rate_everything, record, submission

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def table(report: Report, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(report, name))))


def page_of_lead(study: Study, cast: Cast) -> str:
    client = Client()
    client.force_login(cast.lead)
    return client.get(reverse("report", args=[study.slug])).text


@pytest.fixture
def rated(cast: Cast) -> Cast:
    for at, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=at % 2)
    sweep(now=NOW)
    return cast


# --- weighted kappa ------------------------------------------------------------------------------------
def test_weighted_kappas_of_the_report_are_the_means_over_all_pairs(scale_study: Study):
    for row in build_report(scale_study, now=NOW).agreement_overall:
        given = Rating.objects.filter(criterion__key=row.criterion).order_by("item")
        people = given.order_by("assignment").values_list("assignment", flat=True).distinct()
        answers = [list(given.filter(assignment=who).values_list("option__value", flat=True)) for who in people]
        for weights in ("linear", "quadratic"):
            pairs = [
                cohen_kappa_score(*both, labels=[5, 4, 3, 2, 1], weights=weights) for both in combinations(answers, 2)
            ]
            assert getattr(row, f"cohen_{weights}").value == pytest.approx(mean(pairs))
        assert (row.n_pairs, row.cohen_linear.interval_note) == (3, "too_few_items")


def test_a_scale_without_an_order_has_a_reason_and_no_column(rated: Cast):
    report = build_report(rated.study, now=NOW)
    for row in report.agreement_overall:
        assert (row.cohen_linear.value, row.cohen_quadratic.reason) == (None, "no_order")
    assert "Weighted kappa, linear" not in page_of_lead(rated.study, rated)
    assert "quadratic" not in as_latex(report).split("tab:overall")[1].split(r"\midrule")[0]


def test_files_of_a_scale_have_the_weighted_kappas(scale_study: Study):
    report = build_report(scale_study, now=NOW)
    head = as_latex(report).split("tab:overall")[1].split(r"\midrule")[0]
    assert head.count(r"Weighted\\[0pt]kappa,") == 2
    linear = {row.criterion: row.cohen_linear.value for row in report.agreement_overall}
    assert {row["criterion"]: float(row["cohen_linear"]) for row in table(report, "overall")} == linear


# --- means of sources and criteria -----------------------------------------------------------------------
@pytest.mark.parametrize("by", ["source", "criterion"])
def test_each_source_and_criterion_has_mean_and_sd_of_its_row_or_column(he_report: Report, by: str):
    for row in table(he_report, f"agreement_by_{by}"):
        means = [each.mean for each in he_report.agreement if getattr(each, by) == row[by] and each.mean is not None]
        assert float(row["mean"]) == pytest.approx(mean(means))
        assert float(row["sd"]) == pytest.approx(stdev(means))
        assert row["word"] == WORD_SCALES["landis_koch"](mean(means))


def test_page_and_latex_have_a_column_of_sources_and_a_row_of_criteria(rated: Cast):
    report = build_report(rated.study, now=NOW)
    page, latex = page_of_lead(rated.study, rated), as_latex(report)
    assert '<th scope="col" class="number">Mean over the criteria</th>' in page
    assert '<th scope="row">Mean over the sources</th>' in page
    head, below = latex.partition("tab:agreement")[2].split(r"\midrule")[:2]
    assert r"Mean over\\[0pt]the\\[0pt]criteria" in head
    assert "Mean over the sources & " in below


# --- pairs -----------------------------------------------------------------------------------------------
def test_pairs_of_the_report_have_kappa_on_strong_judgements_with_its_items(he_report: Report):
    rows = [row for row in he_rows() if row["batch"] == "1"]
    unsure = {(row["criterion"], row["candidate_id"]) for row in rows if row["answer"].lower() == "i don't know"}
    strong = [row for row in rows if (row["criterion"], row["candidate_id"]) not in unsure]
    given = {
        (row["annotator"], row["criterion"], row["candidate_id"]): row["answer"].lower().startswith("not ")
        for row in strong
    }
    questions = sorted({key[1:] for key in given})
    for pair in (pair for pair in he_report.pairs if pair.batch == "1"):
        first, second = ([given[who, *each] for each in questions] for who in pair.annotators)
        assert pair.strong_kappa == pytest.approx(cohen_kappa_score(first, second))
        assert pair.strong_n == len(questions) < pair.n
    assert {"kappa", "n", "strong_kappa", "strong_n"} <= set(table(he_report, "pairs")[0])
    assert expected()["cohen_pairs_pooled"]


@pytest.fixture
def two_kinds(cast: Cast) -> Study:
    """A question with names and one with numbers, of which two are positive; one says 4 where the other says 5."""
    version = VersionFactory(order="item_first")
    for place, key in enumerate(("facts", "register")):
        criterion = CriterionFactory(version=version, key=key, name=key.title(), position=place)
        criterion.scale = "ordinal" if place else "nominal"
        criterion.save()
        for at in range(5 if place else 3):
            role, value = ("positive" if at > 2 or not place else "negative"), (at + 1 if place else None)
            OptionFactory(criterion=criterion, key=f"o{at}", label=f"{at + 1}", role=role, value=value, position=at)
    study = StudyFactory(slug="kinds", protocol_version=publish(version), seats=2)
    MembershipFactory(study=study, user=cast.lead, role="lead")
    batch = make_batch(study)
    for at in (0, 1):
        assignment = take_seat(make_annotator(study, f"two-{at}"), batch)
        for criterion, item in product(spec_of_assignment(assignment).criteria, batch.items.all()):
            chosen = criterion.options[-1 - at if criterion.key == "register" else at]
            record(assignment, submission(item.token, criterion.key, chosen), now=NOW)
    return study


def test_pairs_are_named_by_the_criteria_that_are_taken_together(two_kinds: Study, cast: Cast):
    report = build_report(two_kinds, now=NOW)
    assert [(row.criteria, row.n_options) for row in report.pairs] == [(["facts"], 3), (["register"], 5)]
    assert [row["criteria"] for row in table(report, "pairs")] == ["facts", "register"]
    page = page_of_lead(two_kinds, cast)
    assert "Pairs in batch 1: Facts (1)" in page
    assert "Pairs in batch 1: Register (1)" in page


def test_a_batch_whose_questions_have_different_answers_says_why_it_has_no_kappa(two_kinds: Study, cast: Cast):
    (row,) = build_report(two_kinds, now=NOW).batches
    assert (row.kappa_all_judgements, row.kappa_reason) == (None, "different_answers")
    assert "the questions have different options, so no kappa covers all of them" in page_of_lead(two_kinds, cast)


def test_votes_for_two_positive_options_make_an_item_positive_and_not_tied(two_kinds: Study):
    rows = [row for row in build_report(two_kinds, now=NOW).majority if row.criterion == "register"]
    assert [(row.percent, row.ties) for row in rows] == [(100.0, 0)] * 3


def test_several_positive_options_are_said_to_count_together_and_are_named(two_kinds: Study, cast: Cast):
    page = page_of_lead(two_kinds, cast)
    said = "if the positive options together have strictly more votes than every other option"
    for section in ("t-majority", "t-methods"):
        assert said in page.split(f'id="{section}"')[1].split("</section>")[0], section
    assert "The protocol names these options positive: " in page.split('id="t-methods"')[1].split("</section>")[0]
    assert "Register: 4, 5" in page.split('id="t-methods"')[1].split("</section>")[0]


def test_a_label_that_is_a_number_is_parted_from_how_often_it_was_given(two_kinds: Study, cast: Cast):
    page = page_of_lead(two_kinds, cast)
    assert "1:_0, 2:_0, 3:_0, 4:_2, 5:_2" in page.replace("\u00a0", "_")
    assert "4:_2_(50.00_%), 5:" in page.replace("\u00a0", "_")


def test_votes_wanted_are_those_of_the_batches_and_not_of_the_settings(two_kinds: Study):
    Study.objects.filter(pk=two_kinds.pk).update(seats=3)
    two_kinds.refresh_from_db()
    (row,) = [row for row in build_report(two_kinds, now=NOW).checklist if row.key == "votes_per_sample"]
    assert row.lines == ["Annotators per item: 2; planned: 2."]


# --- batches that are half done ----------------------------------------------------------------------------
@pytest.fixture
def half_done(cast: Cast) -> Cast:
    """One annotator is through, the second has begun, and says the opposite."""
    first, second, *_ = cast.annotators
    rate_everything(claim_seat(first, cast.batch, now=NOW), now=NOW, option=0)
    rate_everything(claim_seat(second, cast.batch, now=NOW), now=NOW, option=1, n=5)
    sweep(now=NOW)
    return cast


def kappa_by_gwet(study: Study, criterion: str, source: str) -> float | None:
    """Gwet 2014, chapter 2, written down slowly: single answers are in the shares, not in the observed agreement."""
    given = Rating.objects.filter(
        item__batch__study=study, criterion__key=criterion, item__candidate__source__key=source
    )
    items: dict[int, list[str]] = {}
    for item, option in given.values_list("item", "option__key"):
        items.setdefault(item, []).append(option)
    shared = [votes for votes in items.values() if len(votes) > 1]
    if not shared:
        return None
    observed = mean(mean(a == b for a, b in combinations(votes, 2)) for votes in shared)
    options = {vote for votes in items.values() for vote in votes}
    expected = sum(mean(votes.count(option) / len(votes) for votes in items.values()) ** 2 for option in options)
    return (observed - expected) / (1 - expected)


def test_items_with_one_vote_are_in_the_expected_agreement_of_report_and_board_alike(half_done: Cast):
    report, board = build_report(half_done.study, now=NOW), board_data(half_done.study, {})
    cells = board.cells[None]
    criteria = {each.key: each.id for each in board.choice.scope.criteria}
    sources = dict(half_done.study.sources.values_list("key", "pk"))
    compared = []
    for row in report.agreement:
        kappa = kappa_by_gwet(half_done.study, row.criterion, row.source)
        cell = cells[criteria[row.criterion], sources[row.source]].estimates["fleiss"]
        assert row.pooled == cell["value"] == (None if kappa is None else pytest.approx(kappa))
        compared.append((kappa, row.n_left_out))
    assert any(kappa is not None and kappa < -1 and n_left_out for kappa, n_left_out in compared)
    page = page_of_lead(half_done.study, half_done)
    assert "with one vote" in page
    assert "can be below −1" in page


# --- words -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scale", WORD_SCALES)
def test_the_words_of_the_study_and_their_source_are_in_every_file(rated: Cast, scale: str):
    Study.objects.filter(pk=rated.study.pk).update(word_scale=scale)
    rated.study.refresh_from_db()
    report = build_report(rated.study, now=NOW)
    sentence = report.rules["words"]
    assert {row["word_scale"] for row in table(report, "agreement_by_criterion")} == {scale}
    for row in report.agreement_by_criterion:
        assert row.word == WORD_SCALES[scale](row.mean)
    with ZipFile(io.BytesIO(as_xlsx(report))) as book:
        assert f">{scale}<" in book.read("xl/sharedStrings.xml").decode()
    named = {"landis_koch": "Landis and Koch (1977", "krippendorff": "Krippendorff (2004", "none": "no verbal scale"}[
        scale
    ]
    for text in (sentence, as_latex(report), page_of_lead(rated.study, rated)):
        assert named in text
    assert (report.study.word_scale, scale == "none") == (scale, not any(words_in(report)))


def words_in(report: Report) -> list[str]:
    rows = [*report.agreement, *report.agreement_overall, *report.agreement_by_source]
    return [value for row in rows for name, value in plain(row).items() if name.endswith("word") and value]


# --- words -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("word", "said"),
    [("fair", "0.21 to 0.50; at\u00a0least\u00a0fair"), ("poor", "0.21 to 0.50"), ("unreliable", "0.21 to 0.50")],
)
def test_a_lower_end_has_no_word_that_every_value_deserves(word: str, said: str):
    assert interval("0.21", "0.50", least=word).text == said


def test_items_without_a_majority_are_not_called_tied_as_those_that_are_not_positive(two_kinds: Study, cast: Cast):
    page = page_of_lead(two_kinds, cast)
    parts = {name: page.split(f'id="{name}"')[1].split("</section>")[0] for name in ("t-majority", "t-final-labels")}
    assert "tied and not positive" not in parts["t-majority"]  # 4 and 5 are positive together
    assert "Final labels count every option by itself" in parts["t-majority"]
    assert "0 excluded, 2 without a majority, 0 unsure" in parts["t-final-labels"]
    assert " tied" not in parts["t-final-labels"]
