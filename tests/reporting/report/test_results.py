"""The results paragraph says what the tables say: each mean, what differs, and why nothing is tested."""

import re
from dataclasses import replace
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Membership, Study
from parley.numbers import number
from reporting.report.build import Report, build_report
from reporting.report.rankings import RankedSource
from reporting.report.results import results
from tests.factories import UserFactory
from tests.reporting.report.test_rankings import make_answered

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def said_of(report: Report) -> str:
    return " ".join(report.results)


def page_of(study: Study) -> str:
    client = Client()
    client.force_login(Membership.objects.create(study=study, user=UserFactory(), role="owner").user)
    return client.get(reverse("report", args=[study.slug])).text


def test_every_mean_stands_there_with_its_interval_and_every_pair_that_differs(overlapping: Study):
    report = build_report(overlapping, now=NOW)
    said, names = said_of(report), {each.key: each.name for each in report.sources}
    pairs = [pair for row in report.comparisons for pair in row.pairs]
    differing = [pair for pair in pairs if pair.is_significant]
    assert 0 < len(differing) < len(pairs)
    for mean in (mean for row in report.comparisons for mean in row.means):
        ends = f"(95 % interval {number(mean.limits.low)} to {number(mean.limits.high)})"
        assert f"{number(mean.mean)} for {names[mean.source]} {ends}" in said
    for pair in differing:
        better, worse = pair.source_a, pair.source_b
        if pair.difference < 0:
            better, worse = worse, better
        assert f"{names[better]} above {names[worse]} by {number(abs(pair.difference))}" in said
    assert said.count(" above ") == len(differing)
    assert in_one_line(said) in in_one_line(unescape(page_of(overlapping)))


def in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_a_study_whose_intervals_are_withheld_says_why_and_tests_nothing(scale_study: Study):
    scale_study.participants.exclude(pk=scale_study.participants.first().pk).update(status="excluded")
    scale_study.batches.get().seats.exclude(assignment__participant=scale_study.participants.first()).delete()
    said = said_of(build_report(scale_study, now=NOW))
    assert "No interval: a single annotator" in said
    assert "differ" not in said.replace("No interval", "")


def place(row: RankedSource, source: str) -> str:
    low, high = number(row.win_rate.low), number(row.win_rate.high)
    ranks = f"rank {row.best_rank}" if row.best_rank == row.worst_rank else f"ranks {row.best_rank} to {row.worst_rank}"
    return f"{source} (win rate {number(row.win_rate.value)}, 95 % interval {low} to {high}; {ranks})"


def test_a_ranking_is_told_in_its_order_with_the_pairs_that_differ():
    report = build_report(make_answered(), now=NOW)
    (found,) = report.rankings
    pairs = [replace(pair, differs=at == 0) for at, pair in enumerate(found.pairs)]
    ranking = replace(found, pairs=pairs)
    report.rankings = [ranking]
    names = {each.key: each.name for each in report.sources}
    order = ", ".join(place(row, names[row.source]) for row in ranking.sources)
    said = " ".join(results(report))
    assert f"Compared on Better, the sources ranked from best to worst: {order}." in said
    for pair in ranking.differing:
        better, worse = pair.better_and_worse
        assert f"{names[better]} over {names[worse]}" in said
    undecided = "; ".join(f"{names[pair.source_a]} and {names[pair.source_b]}" for pair in pairs[1:])
    assert undecided
    assert f"These did not: {undecided}." in said
    assert said.endswith("The intervals hold for new annotators and new dialogues like these.")
