"""Votes that exclude an item are missing votes everywhere in the report, and are counted beside each figure."""

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Dialogue
from annotation.services.agreement import sweep
from measures.cohen import cohen_kappa
from reporting.board.pairs import board_pairs
from reporting.board.rows import board_data
from reporting.report.build import Report, build_report
from reporting.report.downloads import as_csv
from tests.factories import MembershipFactory
from tests.reporting.exports.conftest import diqad, make_shared_diqad  # noqa: F401 - fixtures
from tests.shipped import Work

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def work(diqad: Work) -> Work:  # noqa: F811 - the fixture
    """Four dialogues in two domains; two of three votes on the third exclude it."""
    for dialogue in Dialogue.objects.all():
        Dialogue.objects.filter(pk=dialogue.pk).update(metadata={"domain": ("law", "car")[dialogue.position % 2]})
    diqad.batch.ratings_version += 1
    diqad.batch.save()
    return diqad


@pytest.fixture
def report(work: Work) -> Report:
    return build_report(work.study, now=NOW)


def score_of(report: Report, table: str) -> Any:
    return next(row for row in getattr(report, table) if row.criterion == "score")


def test_majorities_and_ties_are_those_of_the_votes_on_the_scale(report: Report):
    row = score_of(report, "majority")
    assert (row.positive_items, row.items, row.ties) == (1, 4, 1)
    assert (row.excluding_votes, row.items_left_out) == (2, 0)


def test_shares_of_votes_leave_them_out_and_say_how_many(report: Report):
    row = score_of(report, "votes")
    assert (row.votes, row.excluding_votes, row.percent_positive) == (10, 2, 40.0)
    assert {option.label: option.votes for option in row.options} == {"2": 4, "1": 3, "0": 3}
    assert sum(option.percent for option in row.options) == pytest.approx(100)


def test_pairs_are_compared_on_the_scale(report: Report):
    pairs = [row for row in report.pairs if row.n_options == 3]
    assert {(row.n, row.n_left_out) for row in pairs} == {(3, 1)}
    by_hand = cohen_kappa([[1, 0, 0], [0, 1, 1], [0, 0, 0]]).value  # 2 and 2; 1 and 1; 1 and 0
    assert pairs[0].kappa == pytest.approx(by_hand)


def test_breakdowns_count_the_votes_on_the_scale(report: Report):
    rows = {row.value: row for row in report.breakdowns if row.criterion == "score" and row.value}
    assert sum(row.n_votes for row in rows.values()) == 10
    assert sorted(row.excluding_votes for row in rows.values()) == [0, 2]
    assert {row.n_items for row in rows.values()} == {2}


def test_the_distributions_still_show_them(report: Report):
    row = next(row for row in report.distributions if row.criterion == "score")
    assert {option.option: option.votes for option in row.options}["abandon"] == 2


def test_page_and_files_name_how_many_are_left_out(work: Work, report: Report, client: Client):
    client.force_login(MembershipFactory(study=work.study, role="lead").user)
    page = client.get(reverse("report", args=[work.study.slug])).text
    assert "2 excluding votes left out" in page
    assert "treat them as missing votes" in page
    for table, column in (("votes", "excluding_votes"), ("majority", "excluding_votes"), ("pairs", "n_left_out")):
        rows = list(csv.DictReader(io.StringIO(as_csv(report, table))))
        assert any(int(row[column]) for row in rows)


def test_the_mean_leaves_them_out_and_warns_with_the_reason(work: Work, report: Report, client: Client):
    row = next(row for row in report.comparisons if row.criterion == "score")
    assert (row.n_ratings, [(each.reason, each.n) for each in row.unused]) == (10, [("excluding", 2)])
    assert ([mean.source for mean in row.means], row.pairs, row.warnings) == ([None], [], ["answers_unused"])
    assert row.means[0].mean == pytest.approx(1.1, abs=0.15), "(4 x 2 + 3 x 1) / 10, weighted by the model"
    client.force_login(MembershipFactory(study=work.study, role="lead").user)
    page = client.get(reverse("report", args=[work.study.slug])).text
    assert "10 answers are used. 2 (16.7 %) are left out: 2 exclude the item." in page
    assert "All dialogues" in page


def test_the_board_compares_pairs_on_the_scale(work: Work):
    sweep(now=NOW)
    pairs = board_pairs(board_data(work.study, {"criterion": "score"}))
    assert {pair.n_items for pair in pairs.pairs} == {3}
    assert "1 common answer is left out: at least one of the two excludes the item." in pairs.pairs[0].common.lines
