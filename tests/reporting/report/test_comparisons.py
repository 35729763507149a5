"""Sources are compared on all ratings of any design, and what is on the page can be computed from the exported file."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags
from scipy import stats

from annotation.models import Rating, Study
from measures.mixed.design import Ratings
from measures.mixed.sources import SourceComparison, compare_sources
from parley.numbers import number
from reporting.exports.formats import write_export
from reporting.report.build import Report, build_report
from reporting.report.comparisons import Unequal
from reporting.report.downloads import as_csv
from reporting.report.model_pictures import differences_picture
from reporting.report.model_sentences import model_sentences
from reporting.report.model_words import warnings_of
from tests.factories import MembershipFactory
from tests.he_study import SOURCES, he_ratings, he_rows, load_he_study
from tests.reporting.report.conftest import TEAM, overlapping_rows

pytestmark = pytest.mark.django_db
NOW = timezone.now()
ALONE = he_rows()[0]["annotator"]


def of_export(study: Study, criterion: str) -> SourceComparison:
    """The model of what a reader finds in the exported file."""
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    rows = [
        row
        for row in csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig")))
        if row["criterion"] == criterion and row["is_counted"] == "true"
    ]
    codes = {name: np.unique([row[name] for row in rows], return_inverse=True)[1] for name in ("annotator", "dialogue")}
    source = np.array([SOURCES.index(row["source"]) for row in rows])
    value = np.array([float(row["role"] == "positive") for row in rows])
    dialogue = codes["dialogue"]
    return compare_sources(
        Ratings(source, codes["annotator"], dialogue, dialogue, value), len(SOURCES), bounds=(0.0, 1.0)
    )


def cells_of(page: str, label: str) -> dict[str, list[str]]:
    """{name of a row: texts of its cells} of a table on the page."""
    table = page.split(f'aria-label="{label}"')[1].split("</table>", maxsplit=1)[0]
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', table, re.DOTALL)
    return {
        " ".join(strip_tags(name).split()): [
            " ".join(strip_tags(cell.replace("<", " <")).split())
            for cell in re.findall(r"<td[^>]*>(.*?)</td>", cells, re.DOTALL)
        ]
        for name, cells in rows
    }


def test_overlapping_teams_with_gaps_lose_no_answer_and_the_page_has_the_numbers_of_the_exported_file(
    overlapping: Study, client: Client
):
    report = build_report(overlapping, now=NOW)
    found = next(row for row in report.comparisons if row.criterion == "appropriateness")
    n = sum(row["criterion"] == "appropriateness" for row in overlapping_rows())
    assert (found.n_ratings, found.n_annotators, found.n_conversations, found.unused) == (n, TEAM, 42, [])
    wanted = of_export(overlapping, "appropriateness")
    client.force_login(MembershipFactory(study=overlapping, role="owner").user)
    page = client.get(reverse("report", args=[overlapping.slug])).text
    names = {each.key: each.name for each in report.sources}
    means = cells_of(page, "Table of means")
    for mean, row in zip(wanted.means, found.means, strict=True):
        estimate = mean.estimate
        assert (row.mean, row.limits.low, row.limits.high) == pytest.approx(
            (estimate.value, estimate.low, estimate.high), rel=1e-6
        )
        shown = means[names[row.source] + (" reference" if row.source == SOURCES[0] else "")][0]
        ends = f"{number(estimate.low)} to {number(estimate.high)}"
        assert shown == f"{number(estimate.value)} {row.letters} {ends} n {estimate.n_ratings}"
    differences = cells_of(page, "Differences: Appropriateness")
    for each in wanted.differences:
        shown = differences[f"{names[SOURCES[each.first]]} minus {names[SOURCES[each.second]]}"]
        estimate = each.estimate
        ends = f"{number(estimate.low, '+.2f')} to {number(estimate.high, '+.2f')}"
        assert shown[0] == f"{number(estimate.value, '+.2f')} {ends}"
        assert shown[3:5] == [number(each.effect, "+.2f"), number(each.degrees_of_freedom, ".1f")]


def test_unsure_answers_to_a_question_with_shares_are_counted(he_report):
    for found in he_report.comparisons:
        asked = Rating.objects.filter(criterion__key=found.criterion, item__batch__study__slug="he")
        assert found.n_unsure_not_positive == asked.filter(option__role="unsure").count() > 0
    row = next(csv.DictReader(io.StringIO(as_csv(he_report, "ratings_used").removeprefix("\ufeff"))))
    assert int(row["n_unsure_not_positive"]) == he_report.comparisons[0].n_unsure_not_positive


def test_every_mean_and_difference_is_that_of_the_model_on_the_file(he_report):
    for found in he_report.comparisons:
        wanted = compare_sources(he_ratings(found.criterion), len(SOURCES), bounds=(0.0, 1.0))
        assert found.score == "positive_share"
        assert found.is_binary
        assert [mean.source for mean in found.means] == found.sources == list(SOURCES)
        assert [mean.mean for mean in found.means] == pytest.approx([m.estimate.value for m in wanted.means])
        assert [pair.p for pair in found.pairs] == pytest.approx([d.p_value for d in wanted.differences], rel=1e-5)
        assert [pair.p_holm for pair in found.pairs] == pytest.approx(
            [d.adjusted_p for d in wanted.differences], rel=1e-5
        )
        assert {each.effect for each in found.effects} == {each.effect for each in wanted.effects}


def test_letters_say_what_differs(he_report):
    for found in he_report.comparisons:
        letters = {mean.source: set(mean.letters) for mean in found.means}
        for pair in found.pairs:
            assert (not letters[pair.source_a] & letters[pair.source_b]) is pair.is_significant
        best = max(found.means, key=lambda mean: mean.mean)
        assert "a" in best.letters


def test_sources_are_equivalent_where_the_difference_is_inside_of_the_margin_that_the_study_named(he_report, he_study):
    assert {(pair.equivalence.margin, pair.equivalence.p) for row in he_report.comparisons for pair in row.pairs} == {
        (None, None)
    }
    Study.objects.filter(pk=he_study.pk).update(equivalence_margin=30.0)
    report = build_report(Study.objects.get(pk=he_study.pk), now=NOW)
    pairs = [pair for row in report.comparisons for pair in row.pairs]
    assert {round(pair.equivalence.margin, 12) for pair in pairs} == {0.3}
    for pair in pairs:
        t = (abs(pair.difference) - 0.3) / pair.limits.standard_error
        assert pair.equivalence.p == pytest.approx(stats.t.cdf(t, pair.limits.degrees_of_freedom))
        assert pair.equivalence.p <= pair.equivalence.p_holm
    assert {pair.is_equivalent for pair in pairs} == {True, False}
    assert "against a margin: Appropriateness ±0.30" in " ".join(report.methods)


def test_scales_are_compared_by_their_scores(scale_study: Study):
    for each in build_report(scale_study, now=NOW).comparisons:
        given = Rating.objects.filter(criterion__key=each.criterion).values_list("item__source__key", "option__value")
        values = {source: [value for key, value in given if key == source] for source in each.sources}
        assert each.score == "mean_score"
        # Every source was rated by the same people on the same dialogues, so the weights are equal.
        assert [mean.mean for mean in each.means] == pytest.approx([np.mean(values[key]) for key in each.sources])
        assert {mean.limits.interval_note for mean in each.means} == {"unreliable"}, "four dialogues"


def test_one_annotator_has_means_and_beside_them_the_reason_why_there_is_no_interval(db: None, client: Client):
    study = load_he_study(now=NOW, slug="alone", rows=[row for row in he_rows() if row["annotator"] == ALONE])
    found = build_report(study, now=NOW).comparisons
    assert {row.withheld for row in found} == {"single_annotator"}
    for pair in (pair for row in found for pair in row.pairs):
        assert (pair.p, pair.p_holm, pair.effect, pair.limits.low) == (None, None, None, None)
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.get(reverse("report", args=[study.slug])).text
    cells = [cell for row in cells_of(page, "Table of means").values() for cell in row]
    assert cells
    assert all(re.match(r"\d\.\d\d no interval: one annotator n \d+$", cell) for cell in cells), cells
    assert "a single annotator, or one for each source, says nothing about other annotators" in page
    assert "figures/differences" not in page
    assert "Mean scores, without intervals." in page
    assert "Mean scores with 95 per cent intervals" not in page


def test_the_methods_name_the_model_so_that_it_can_be_cited(he_report):
    text = " ".join(he_report.methods)
    assert "by a linear mixed model with a fixed effect of source and crossed random effects of annotator" in text
    assert "(Baayen, Davidson and Bates 2008)" in text
    assert "Satterthwaite's degrees of freedom" in text
    assert "Holm's method (1979)" in text
    assert "linear probability model" in text


def test_the_tables_are_files_of_their_own(he_report):
    rows = list(csv.DictReader(io.StringIO(as_csv(he_report, "means").removeprefix("\ufeff"))))
    assert len(rows) == 20
    assert {"mean", "low", "high", "n_ratings", "letters", "interval_note"} <= rows[0].keys()
    variances = list(csv.DictReader(io.StringIO(as_csv(he_report, "variances").removeprefix("\ufeff"))))
    assert {row["effect"] for row in variances if row["sd"]} >= {"annotator", "conversation", "residual"}
    used = list(csv.DictReader(io.StringIO(as_csv(he_report, "ratings_used").removeprefix("\ufeff"))))
    assert {(row["n_ratings"], row["n_unused"], row["weighting"]) for row in used} == {("1470", "0", "model")}


def test_a_warning_stands_once_with_the_criteria_it_is_about_and_only_where_there_is_an_interval(overlapping: Study):
    rows = [replace(row, warnings=["annotators_unknown"]) for row in build_report(overlapping, now=NOW).comparisons]
    first, *others = rows
    nothing = [replace(mean, limits=replace(mean.limits, low=None, high=None)) for mean in first.means]
    (found,) = warnings_of([replace(first, means=nothing), *others], {}).items()
    assert "the intervals are too narrow" in found[0]
    assert found[1] == [row.criterion for row in others] != []


def test_the_legend_of_differences_names_the_p_that_makes_a_ring(he_report):
    names = {"sources": {each.key: each.name for each in he_report.sources}}
    names["criteria"] = {each.key: each.name for each in he_report.criteria}
    picture = differences_picture(he_report.comparisons, names)
    assert "difference, p at most .05 after Holm" in picture
    assert "difference, p above .05 after Holm" in picture


def test_annotators_estimated_to_like_all_sources_alike_are_named_beside_the_table_and_in_the_methods(
    overlapping: Study,
):
    first, *others = build_report(overlapping, now=NOW).comparisons
    rows = [replace(first, warnings=["annotator_source_zero"], n_annotators=2), *others]
    (of,) = [of for said, of in warnings_of(rows, {}).items() if "estimated as 0, from 2 annotators." in said]
    assert of == [first.criterion]
    names = {row.criterion: row.criterion for row in rows}
    said = " ".join(model_sentences(rows, names, {}, has_dialogues_as_units=False))
    assert "the variance of annotator × source was estimated as 0. That the intervals hold for new annotators" in said


def test_the_warning_comes_exactly_where_the_variance_is_0(overlapping: Study, he_report: Report):
    rows = [*build_report(overlapping, now=NOW).comparisons, *he_report.comparisons]
    for row in rows:
        at_zero = any(each.effect == "annotator_source" and each.sd == 0 for each in row.effects)
        assert ("annotator_source_zero" in row.warnings) is at_zero


def test_shares_that_differ_too_much_for_one_variance_are_warned_of_with_the_names_of_the_sources(overlapping: Study):
    first, *others = build_report(overlapping, now=NOW).comparisons
    unequal = Unequal(12.5, ["Plain", "Sharp"], ["Mild"])
    rows = [replace(first, warnings=["unequal_variances"], unequal=unequal), *others]
    wanted = "too narrow for Plain and Sharp and too wide for Mild"
    [(warning, of)] = [found for found in warnings_of(rows, {}).items() if wanted in found[0]]
    assert of == [first.criterion]
    assert "Odds ratios do not assume equal variances: they are below the differences" in warning
    names = {row.criterion: row.criterion for row in rows}
    said = " ".join(model_sentences(rows, names, {}, has_dialogues_as_units=False))
    assert f"{first.criterion}: The shares differ so much that one variance does not suit all sources" in said
    assert wanted in said


def test_the_sources_that_are_named_are_those_of_the_model(he_report):
    for row in he_report.comparisons:
        wanted = compare_sources(he_ratings(row.criterion), len(SOURCES), bounds=(0.0, 1.0)).unequal_variances
        assert ("unequal_variances" in row.warnings) is (wanted is not None) is (row.unequal is not None)
        if wanted:
            names = {each.key: each.name for each in he_report.sources}
            assert row.unequal.too_narrow == [names[SOURCES[at]] for at in wanted.too_narrow]
            assert row.unequal.too_wide == [names[SOURCES[at]] for at in wanted.too_wide]
    assert any(row.unequal for row in he_report.comparisons)
