"""Behaviours by source and conversation, beside lme4 and counts over pairs; and the overlap of marked turns."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from parley.numbers import number
from protocols.answers import Given
from protocols.services import store_bundle
from reporting.chart_files.charts import FIGURES
from reporting.report.behaviour_words import _marked
from reporting.report.behaviours import Behaviour
from reporting.report.build import Report, build_report
from reporting.report.comparisons import Unequal
from reporting.report.downloads import as_csv
from reporting.report.latex import as_latex
from reporting.report.shown.frames import Frames
from reporting.report.shown.sources import behaviour_differences
from tests.annotation.importing.conftest import NOW, load, load_ratings
from tests.factories import MembershipFactory, StudyFactory, make_annotator
from tests.measures.mixed.reading import REFERENCE
from tests.measures.mixed.reading import study as ratings_of
from tests.optional import BEHAVIOURS, make_sheet_batch
from tests.sittings import sitting
from tests.working import record

NAME = "binary_unequal_loads"  # its values are the ticks of the first behaviour; the second is ticked by nobody


@pytest.fixture(scope="module")
def make_report(shared, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Report]:
    return shared(lambda: build_report(rated_study(tmp_path_factory.mktemp("ticks")), now=NOW))


@pytest.fixture
def report(make_report: Callable[[], Report], db: None) -> Report:
    return make_report()


def rated_study(folder: Path) -> Study:
    study = StudyFactory(slug="ticks", protocol_version=store_bundle(sitting([BEHAVIOURS]), publish=True, now=NOW)[0])
    dialogues, ratings = folder / "d.jsonl", folder / "r.csv"
    dialogues.write_text("\n".join(map(json.dumps, dialogue_lines())))
    ratings.write_text("\n".join(["dialogue,source,annotator,criterion,value,choices", *rating_lines()]))
    load(study, dialogues)
    load_ratings(study, ratings)
    return study


def dialogue_lines() -> Iterator[dict[str, Any]]:
    found = ratings_of(NAME)
    history = [{"speaker": "AB"[at % 2], "text": f"turn {at}."} for at in range(3)]
    for conversation, item in sorted(set(zip(found.conversation.tolist(), found.item.tolist(), strict=True))):
        sources = range(int(found.source.max()) + 1)
        candidates = [{"candidate_id": f"c{each}", "source": f"s{each}", "text": f"answer {each}."} for each in sources]
        key = {"dialogue_id": f"{conversation}-{item}", "conversation": f"conversation {conversation}"}
        yield key | {"history": history, "candidates": candidates}


def rating_lines() -> Iterator[str]:
    found = ratings_of(NAME)
    columns = (found.conversation, found.item, found.source, found.annotator, found.value)
    for conversation, item, source, annotator, value in zip(*(each.tolist() for each in columns), strict=True):
        yield f"{conversation}-{item},s{source},ann{annotator},behaviours,,{'ignores' if value else ''}"


def columns(part: str) -> dict[str, np.ndarray]:
    return dict(zip(REFERENCE[NAME]["columns"], np.array(REFERENCE[NAME][part]).T, strict=True))


def first(report: Report) -> Behaviour:
    found = report.behaviours[0]
    assert (found.criterion, found.option, found.label) == ("behaviours", "ignores", "Ignores")
    return found


def pairs_of_ticks() -> list[tuple[int, int]]:
    """The two answers of every pair of annotators of every response."""
    found = ratings_of(NAME)
    items: dict[tuple[int, ...], list[int]] = {}
    for row in zip(found.conversation, found.item, found.source, found.value, strict=True):
        items.setdefault(tuple(map(int, row[:3])), []).append(int(row[3]))
    return [pair for ticks in items.values() for pair in combinations(ticks, 2)]


# --- rates and differences ---------------------------------------------------------------------------
def test_rates_and_their_intervals_are_those_of_lme4(report: Report):
    means, theirs = first(report).rates.means, columns("means")
    np.testing.assert_allclose([each.mean for each in means], theirs["estimate"], atol=1e-4, rtol=0)
    np.testing.assert_allclose([each.limits.standard_error for each in means], theirs["error"], rtol=1e-4)
    np.testing.assert_allclose([each.limits.high for each in means], theirs["high"], atol=1e-3)


def test_differences_are_those_of_lmertest_and_corrected_by_holm(report: Report):
    pairs, theirs = first(report).rates.pairs, columns("differences")
    np.testing.assert_allclose([each.difference for each in pairs], theirs["estimate"], atol=1e-4, rtol=0)
    np.testing.assert_allclose([each.p for each in pairs], theirs["p"], atol=1e-4)
    ordered = sorted((float(p), at) for at, p in enumerate(theirs["p"]))
    wanted, highest = {}, 0.0
    for step, (p, at) in enumerate(ordered):
        highest = wanted[at] = max(highest, min(1.0, p * (len(ordered) - step)))
    assert [each.p_holm for each in pairs] == pytest.approx([wanted[at] for at in range(len(pairs))], abs=1e-3)


def test_the_rate_of_conversations_is_that_of_annotators_who_ticked_it_at_least_once(report: Report):
    found, values = first(report), ratings_of(NAME)
    once: dict[tuple[int, ...], int] = {}
    for row in zip(values.conversation, values.annotator, values.source, values.value, strict=True):
        key = tuple(map(int, row[:3]))
        once[key] = max(once.get(key, 0), int(row[3]))
    assert found.conversations is not None
    assert found.conversations.n_ratings == len(once)
    for mean in found.conversations.means:
        plain = np.mean([value for key, value in once.items() if f"s{key[2]}" == mean.source])
        assert mean.limits.low < plain < mean.limits.high
        assert mean.mean > next(each.mean for each in found.rates.means if each.source == mean.source)


def test_a_behaviour_that_nobody_ticks_has_a_rate_of_zero_and_says_why_it_has_no_interval(report: Report):
    found = report.behaviours[1]
    assert (found.option, found.ticked, found.n_answers) == ("repeats", 0, len(ratings_of(NAME)))
    assert {(each.mean, each.limits.interval_note) for each in found.rates.means} == {(0.0, "no_spread")}
    assert found.agreement.positive_reason == "no_variation"


# --- agreement ---------------------------------------------------------------------------------------
def test_positive_agreement_is_the_share_of_ticks_that_another_annotator_shares(report: Report):
    ticks = [pair for first, second in pairs_of_ticks() for pair in ((first, second), (second, first)) if pair[0]]
    assert first(report).agreement.positive_agreement == pytest.approx(np.mean([second for _first, second in ticks]))


def test_alpha_and_kappa_have_intervals_over_conversations(report: Report):
    found = first(report).agreement
    assert found.alpha.low < found.krippendorff_alpha < found.alpha.high
    assert found.fleiss.low < found.fleiss_kappa < found.fleiss.high
    assert found.n_items == len({row[:3] for row in zip(*(map(int, each) for each in (
        ratings_of(NAME).conversation, ratings_of(NAME).item, ratings_of(NAME).source)), strict=True)})  # fmt: skip


def test_the_overlap_of_marked_turns_is_the_mean_over_pairs_with_a_mark(client: Client, db: None):
    batch = make_sheet_batch(3)
    for name, marks in (("ann", ((1,), (1,), ())), ("bob", ((1,), (), ()))):
        work = claim_seat(make_annotator(batch.study, name), batch, now=NOW)
        for item, turns in zip(batch.items.order_by("pk"), marks, strict=True):
            record(work, Submission(item.token, "where", Given(turns=turns), uuid4()), now=NOW)
    (row,) = build_report(batch.study, now=NOW).turn_overlaps
    assert (row.criterion, row.source, row.jaccard) == ("where", None, (1 + 0) / 2)
    assert (row.n_pairs, row.n_items, row.n_neither) == (2, 2, 1)
    client.force_login(MembershipFactory(study=batch.study, role="owner").user)
    page = re.sub(r"\s+", " ", client.get(reverse("report", args=[batch.study.slug])).text)
    cells = page.split('id="t-overlaps"')[1].split("</section>")[0].split("<tbody>")[1]
    assert re.findall(r'<td class="number">([^<]+)</td>', cells) == ["0.50", "2", "2", "1"]


# --- where they are shown ----------------------------------------------------------------------------
def test_the_page_shows_rates_differences_agreement_and_a_figure_unfolded(report: Report, client: Client):
    study = Study.objects.get(slug="ticks")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = re.sub(r"\s+", " ", client.get(reverse("report", args=[study.slug])).text)
    section = page.split('id="t-behaviours"')[1].split("</section>")[0]
    mean = first(report).rates.means[0]
    assert f"{mean.mean:.2f}" in section
    assert "conversations: 0." in section
    for text in ("s0 minus s1", "Positive agreement", "Rates of the behaviours", "a linear probability model"):
        assert text in section, text
    assert "The mean of the mixed model for each behaviour, from 0 to 1" in section
    assert "Dots show the mean of the mixed model" in section
    assert "mean of the mixed model, 95 % interval" in section
    assert "can differ from the plain share" in section
    assert "show the share of answers" not in section
    assert "<details" not in section
    assert page.index('id="t-facts"') < page.index('id="t-behaviours"') < page.index('id="t-work"')


def test_the_table_of_differences_shows_the_side_of_zero_and_that_intervals_are_not_corrected(report: Report):
    pair = first(report).rates.pairs[0]
    near = replace(pair, limits=replace(pair.limits, low=0.00003, high=0.11))
    report.behaviours = [replace(first(report), rates=replace(first(report).rates, pairs=[near]))]
    drawn = behaviour_differences(Frames(report))
    table = render_to_string("reporting/report/_behaviour_differences.html", {"behaviour_differences": drawn})
    assert "+0.00003 to +0.11" in table
    assert "Intervals are not corrected for the number of comparisons" in table


def test_files_have_each_rate_difference_and_coefficient(report: Report):
    rows = {name: list(csv.DictReader(io.StringIO(as_csv(report, name)))) for name in (
        "behaviours", "behaviour_differences", "behaviour_agreement")}  # fmt: skip
    n_sources = int(ratings_of(NAME).source.max()) + 1
    assert len(rows["behaviours"]) == 3 * 2 * n_sources
    assert {row["unit"] for row in rows["behaviours"]} == {"answers", "conversations"}
    assert float(rows["behaviours"][0]["mean"]) == pytest.approx(first(report).rates.means[0].mean)
    assert rows["behaviour_differences"][0]["criterion"] == "behaviours.ignores"
    assert [row["option"] for row in rows["behaviour_agreement"]] == ["ignores", "repeats", "preaches"]


def test_latex_has_the_rates_and_the_agreement_with_their_intervals(report: Report):
    tables = {text.split("}")[0]: text for text in as_latex(report).split("label{tab:")}
    mean, found = first(report).rates.means[0], first(report).agreement
    rate = f"[{mean.limits.low:.2f}, {mean.limits.high:.2f}]".replace("[-", "[$-$")
    row = next(line for line in tables["behaviours"].splitlines() if line.startswith("Ignores & "))
    assert f"{mean.mean:.2f}" in row
    assert rate in row
    assert f"n {mean.limits.n_ratings}" in row
    alpha = f"[{found.alpha.low:.2f}, {found.alpha.high:.2f}]".replace("[-", "[$-$")
    (row,) = [line for line in tables["behaviouragreement"].splitlines() if line.startswith("Ignores & ")]
    assert f"{found.krippendorff_alpha:.2f}" in row
    assert alpha in row


def test_the_chart_is_a_file(report: Report):
    assert "Ignores" in FIGURES["behaviours"].draw(Study.objects.get(slug="ticks"), {})


# --- in words ----------------------------------------------------------------------------------------
def test_the_results_paragraph_has_the_rates_with_their_intervals_and_what_differs(report: Report):
    said, found = " ".join(report.results), first(report)
    for mean in found.rates.means:
        low, high = (number(each) for each in (mean.limits.low, mean.limits.high))
        assert f"{number(mean.mean)} for {mean.source} (95 % interval {low} to {high})" in said
    assert "The rate of “Ignores” was " in said
    differing = [pair for pair in found.rates.pairs if pair.is_significant]
    assert said.count(" above ") == len(differing)
    assert ("No two sources differed significantly" in said) is not differing


def test_the_methods_name_the_behaviours_whose_answers_do_not_vary(report: Report):
    text = " ".join(report.methods)
    silent = [row.label for row in report.behaviours if row.rates.withheld == "no_spread"]
    assert silent == ["Repeats", "Preaches"]
    assert "Repeats and Preaches: No interval: the answers do not vary within any source." in text
    assert "Alpha is undefined for Repeats and Preaches." in text
    assert "Alpha was 0." in text.replace(f"{report.behaviours[0].agreement.krippendorff_alpha:.2f}", "0.")
    assert "for the one behaviour that has it" in text


def test_the_checklist_has_the_agreement_on_each_behaviour(report: Report):
    (row,) = [row for row in report.checklist if row.key == "agreement"]
    kappa, alpha = (number(getattr(first(report).agreement, name)) for name in ("fleiss_kappa", "krippendorff_alpha"))
    assert row.status == "known"
    assert row.lines == [
        f"Behaviours, Ignores: Fleiss' kappa {kappa}, Krippendorff's alpha {alpha}.",
        "Behaviours, Repeats: agreement is undefined.",
        "Behaviours, Preaches: agreement is undefined.",
    ]


def test_shares_of_behaviours_that_differ_much_are_warned_of_in_the_methods(report: Report):
    rates = replace(first(report).rates, unequal=Unequal(6.04, ["s1", "s2"], ["s0"]))
    rows = [replace(first(report), rates=rates), *report.behaviours[1:]]
    said = " ".join(_marked(rows, of_dialogues=False))
    assert "Ignores: The shares differ so much" in said
    assert "the largest is 6.0 times the smallest. Intervals are too narrow for s1 and s2 and too wide for s0" in said
