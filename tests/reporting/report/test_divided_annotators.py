"""A study in which one source was rated by other people, and imported: what its report must not keep from a reader."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from annotation.models import Assignment, Rating, Study
from annotation.services.agreement import sweep
from parley.numbers import number
from reporting.report.build import Report, build_report
from reporting.report.downloads import as_csv, as_json
from reporting.report.latex import latex_tables
from reporting.report.shown import agreement
from reporting.report.shown.frames import Frames
from tests.factories import MembershipFactory
from tests.he_study import SOURCES, he_rows, load_he_study
from tests.reporting.report.test_comparisons import cells_of

pytestmark = pytest.mark.django_db
NOW = timezone.now()
OWN = SOURCES[3]  # the source that others rated


def divided_rows() -> list[dict[str, str]]:
    """Answers about three sources to one question. One source, hardly ever appropriate, has annotators of its own."""
    rng, kept = np.random.default_rng(5), []
    for row in he_rows():
        if row["criterion"] != "appropriateness" or row["source"] not in SOURCES[1:4]:
            continue
        is_low = row["source"] == OWN
        is_positive = rng.random() < (0.08 if is_low else 0.85)
        name = f"other-{row['annotator']}" if is_low and not row["annotator"].endswith("1") else row["annotator"]
        kept.append(row | {"annotator": name, "answer": "Appropriate" if is_positive else "Not appropriate"})
    return kept


@pytest.fixture(scope="module")
def make_divided(shared: Callable[..., Callable[[], Study]]) -> Callable[[], Study]:
    def make() -> Study:
        study = load_he_study(now=NOW, slug="divided", rows=divided_rows(), seats=8)
        Assignment.objects.filter(batch__study=study).update(is_imported=True)
        sweep(now=NOW)
        return study

    return shared(make)


@pytest.fixture
def divided(make_divided: Callable[[], Study], db: None) -> Study:
    return make_divided()


@pytest.fixture
def report(divided: Study) -> Report:
    return build_report(divided, now=NOW)


def page_of(study: Study, name: str = "report") -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    return client.get(reverse(name, args=[study.slug])).text


def in_one_line(page: str) -> str:
    return " ".join(strip_tags(page).split())


def test_differences_say_how_many_annotators_rated_both_sources_and_warn_where_they_are_few(
    divided: Study, report: Report
) -> None:
    (row,) = report.comparisons
    people = {(pair.source_a, pair.source_b): pair.shared for pair in row.pairs}
    rated = {source: {each["annotator"] for each in divided_rows() if each["source"] == source} for source in SOURCES}
    for (a, b), shared in people.items():
        assert (shared.a, shared.b, shared.both) == (len(rated[a]), len(rated[b]), len(rated[a] & rated[b]))
    few = people[SOURCES[1], OWN]
    names = {each.key: each.name for each in report.sources}
    page = page_of(divided)
    cells = cells_of(page, "Differences: Appropriateness")
    assert f"{few.both} of {few.a} and {few.b}" in cells[f"{names[SOURCES[1]]} minus {names[OWN]}"]
    warned = f"Annotators of each, and of both: {names[SOURCES[1]]} ({few.a}) and {names[OWN]} ({few.b}): {few.both};"
    said = "Few annotators rated both sources of a pair, so a difference between them can be one between annotators."
    assert row.warnings[-1] == "few_shared_annotators"
    assert f"{said} {warned}" in in_one_line(page.split('id="t-means"')[1].split("</section>")[0])
    assert f"{said} {warned}" in " ".join(report.methods)
    (first, *_rest) = csv.DictReader(io.StringIO(as_csv(report, "comparisons").removeprefix("\ufeff")))
    assert {first[f"annotators_{each}"] for each in ("a", "b", "both")} == {str(len(rated[SOURCES[1]]))}


def test_a_source_that_everybody_rated_is_not_warned_of(he_report: Report) -> None:
    assert not any("few_shared_annotators" in row.warnings for row in he_report.comparisons)


def test_agreement_that_comes_from_differences_between_sources_is_told_beside_the_table_and_in_the_methods(
    divided: Study, report: Report
) -> None:
    names = {each.key: each.name for each in report.sources}
    (row,) = report.agreement_overall
    own = [f"{names[each.source]} {number(each.pooled)}" for each in report.agreement]
    assert max(each.pooled for each in report.agreement) < row.fleiss_kappa - 0.1
    said = (
        f"For Appropriateness, Fleiss' kappa on each source alone is clearly lower: {own[0]}, {own[1]} and {own[2]}. "
        "The value over all sources contains the differences between them."
    )
    assert said in " ".join(report.methods)
    section = in_one_line(page_of(divided).split('id="t-agreement"')[1].split("</section>")[0]).replace("&#x27;", "'")
    assert said in section
    assert "Differences between sources raise these values: compare them with agreement by source." in section


def test_agreement_that_is_as_high_on_each_source_has_no_such_sentence(he_report: Report) -> None:
    assert "on each source alone" not in " ".join(he_report.methods)


def test_seats_of_a_study_that_was_collected_elsewhere_were_not_planned_and_items_without_answers_are_counted(
    divided: Study,
) -> None:
    first = Rating.objects.filter(item__batch__study=divided).order_by("item").first()
    Rating.objects.filter(item=first.item).update(is_active=False)
    divided.batches.update(ratings_version=2)
    sweep(now=NOW)
    found = build_report(divided, now=NOW)
    said = " ".join(found.methods)
    assert "are missing" not in said
    assert found.material.items_without_answers == 1
    assert "1 further item has no answer." in said
    assert said.startswith("Imported answers were read by version")
    (votes,) = [row for row in found.checklist if row.key == "votes_per_sample"]
    assert "planned" not in votes.lines[0]
    assert votes.lines[0].startswith("Annotators per item: ")


def test_the_results_say_which_sources_are_equivalent_and_for_whom_intervals_hold(divided: Study) -> None:
    Study.objects.filter(pk=divided.pk).update(equivalence_margin=20.0)
    divided.refresh_from_db()
    found = build_report(divided, now=NOW)
    (same,) = [pair for row in found.comparisons for pair in row.pairs if pair.is_equivalent]
    names = {each.key: each.name for each in found.sources}
    said = " ".join(found.results)
    assert f"Within ±0.20, these were equivalent: {names[same.source_a]} and {names[same.source_b]} (p " in said
    assert "Equivalence within ±0.20 was not shown for any other pair." in said
    assert said.endswith("The intervals hold for new annotators and new dialogues like these.")
    printed = latex_tables(found)["equivalence"]
    assert printed.count(r"\pm") + printed.count("±0.20") == 3
    assert printed.count("{\\scriptsize equivalent}") == 1
    Study.objects.filter(pk=divided.pk).update(equivalence_margin=1.0)
    divided.refresh_from_db()
    none = " ".join(build_report(divided, now=NOW).results)
    assert "No pair was shown to be equivalent within ±0.01." in none


def test_means_of_pairs_say_how_many_items_they_use_and_how_many_pairs_are_undefined(
    divided: Study, report: Report
) -> None:
    rows = {row.coefficient: row for row in report.agreement_further}
    cohen = rows["cohen_kappa_mean"]
    assert cohen.n_items == rows["all_agree_share"].n_items > 0
    assert {each["n_undefined"] for each in json.loads(as_json(report))["agreement_further"]} >= {cohen.n_undefined}
    assert cohen.n_undefined > 0
    shown = cells_of(page_of(divided), "Further coefficients")
    cell = next(texts[0] for name, texts in shown.items() if name.startswith("Cohen"))
    assert cell.endswith(f"{cohen.n_pairs} of {cohen.n_pairs + cohen.n_undefined} pairs")
    assert "Further coefficients" in page_of(divided, "report_html")


def test_the_items_of_alpha_stand_beside_those_of_kappa_where_they_are_others(scale_study: Study) -> None:
    found = build_report(scale_study, now=NOW)
    assert {row.alpha_n_items for row in found.agreement_overall} == {row.n_items for row in found.agreement_overall}
    found.agreement_overall = [replace(row, alpha_n_items=5) for row in found.agreement_overall]
    last = [line[-1] for line in agreement.overall(Frames(found)).lines]
    assert [[line.text for line in cell.lines] for cell in last] == [["alpha: 5"]] * 2
