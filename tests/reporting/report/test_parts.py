"""A report made part by part: the same numbers, and no more work than the part takes."""

import pytest

from annotation.models import Study
from annotation.services.agreement import rebuild_study
from reporting.report import inputs
from reporting.report.build import PARTS, build_report, open_report
from reporting.report.downloads import as_csv
from tests.clock import NOW

OF_STORED_FIGURES = ("majority", "votes", "options", "errors", "pairs", "comments", "excluded_batches")


def test_every_part_alone_is_that_of_the_whole_report(scale_study: Study):
    whole = build_report(scale_study, now=NOW)
    for name in PARTS:
        assert getattr(open_report(scale_study, now=NOW), name) == getattr(whole, name), name


def test_a_part_that_does_not_exist_is_no_part(scale_study: Study):
    assert not hasattr(open_report(scale_study, now=NOW), "nothing")


@pytest.mark.parametrize("table", OF_STORED_FIGURES)
def test_a_table_of_stored_figures_reads_no_answers(scale_study: Study, monkeypatch, table: str):
    monkeypatch.setattr(inputs, "study_votes", lambda *_: pytest.fail("it has read all answers"))
    as_csv(open_report(scale_study, now=NOW), table)


@pytest.mark.parametrize(("table", "n"), [("comments", 1), ("majority", 4), ("pairs", 5), ("overall", 10)])
def test_a_table_takes_the_queries_of_its_part(scale_study: Study, django_assert_num_queries, table: str, n: int):
    rebuild_study(scale_study, now=NOW)
    study = Study.objects.get(pk=scale_study.pk)
    with django_assert_num_queries(n):
        as_csv(open_report(study, now=NOW), table)
