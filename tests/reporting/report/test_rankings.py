"""The ranking of a study that compares: from the rows themselves, on the page, in every file and as a figure."""

import csv
import io
import json
import re
from dataclasses import replace
from itertools import product
from uuid import uuid4
from xml.etree import ElementTree

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Candidate, Rating
from annotation.selectors.comparisons import pairs_of_kind
from annotation.services.agreement import rebuild_study, refresh_batch
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from measures.preferences.comparisons import Comparisons
from measures.preferences.ranking import rank
from parley.numbers import number
from protocols.answers import Given
from reporting.exports.formats import write_export
from reporting.report.build import build_report, plain_report
from reporting.report.downloads import as_csv
from reporting.report.latex import as_latex
from reporting.report.methods import methods
from reporting.report.pictures import ranking_picture, ranks_picture
from reporting.report.ranking_words import answers_sentence, thin_pairs
from tests.clock import NOW as THEN
from tests.comparing import deal, make_compared, make_compared_dialogues, make_scenarios, make_study, sides_of
from tests.factories import MembershipFactory, make_annotator
from tests.working import record

pytestmark = pytest.mark.django_db
NOW = timezone.now()
OUTCOMES = {"much-left": 1, "left": 1, "equal": 0, "right": -1, "much-right": -1, "bad": 2}
# Keys of the options, as each person presses them in turn: all kinds of answers, both bad and unsure among them.
PRESSED = ("12344671234", "21415421262", "43212151432", "24162514123", "13242156421", "42213415241")


def make_answered(*, lengths=(4, 1, 7, 2, 6, 3, 5)):
    """Six people over eight dialogues with three sources, of which the first is mostly preferred."""
    study = make_study(8, 3, seats=6, seed=5)
    for at, each in enumerate(study_texts(study)):
        each.text = f"{'word ' * lengths[at % len(lengths)]}{at:02}."
        each.save()
    Candidate.objects.filter(dialogue__key="d7", source__key__in=["model-b", "model-c"]).update(text="Same.")
    answer(study)
    return study


def answer(study, *, name="person"):
    (batch,) = deal(study)
    best = study.sources.get(key="model-a").pk
    for person, keys in enumerate(PRESSED):
        work = claim_seat(make_annotator(study, f"{name}-{person}"), batch, now=THEN)
        for at, item in enumerate(batch.items.order_by("pk")):
            code = keys[at % len(keys)]
            if code in "12" and sides_of(work)[item.pk][1] == best:
                code = str(6 - int(code))
            record(work, Submission(item.token, "better", Given(code), uuid4()), now=THEN)
    refresh_batch(batch.pk, now=THEN)


def study_texts(study):
    return Candidate.objects.filter(dialogue__study=study).order_by("dialogue__position", "source__position")


def page_of(study):
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    return client.get(reverse("report", args=[study.slug])).content.decode()


def by_hand(study):
    """The comparisons from the rows, by side, with the sources numbered by their position."""
    rows = []
    sources = [source.pk for source in study.sources.order_by("position")]
    candidates = dict(Candidate.objects.filter(dialogue__study=study).values_list("pk", "source_id"))
    for rating in Rating.objects.filter(item__is_check=False).select_related("option", "item", "assignment"):
        if rating.option.key not in OUTCOMES:
            continue
        first, second = (sources.index(candidates[each]) for each in rating.item.shown)
        outcome = OUTCOMES[rating.option.key]
        if rating.is_swapped:
            first, second, outcome = second, first, -outcome if outcome != 2 else 2
        rows.append((first, second, outcome, rating.assignment.participant_id, rating.item.dialogue_id))
    left, right, outcome, annotator, dialogue = np.array(rows).T
    return Comparisons.of(3, left, right, outcome, annotator=annotator, cluster=dialogue)


@pytest.fixture
def answered():
    return make_answered()


def test_the_ranking_is_that_of_the_rows_by_side(answered):
    (found,) = build_report(answered, now=NOW).rankings
    expected = rank(by_hand(answered), seed=5)
    keys = ["model-a", "model-b", "model-c"]
    rows = {row.source: row for row in found.sources}
    assert found.sources[0].source == "model-a"
    for each in expected.sources:
        row = rows[keys[each.source]]
        assert row.strength.value == pytest.approx(each.strength.value, abs=1e-9)
        assert (row.strength.low, row.strength.high) == pytest.approx((each.strength.low, each.strength.high), abs=1e-9)
        assert row.win_rate.value == pytest.approx(each.win_rate.value, abs=1e-9)
        assert (row.best_rank, row.worst_rank) == (each.best_rank, each.worst_rank)
        assert row.strength_at_equal_length.low < row.strength_at_equal_length.value < row.strength_at_equal_length.high
    model = found.model
    assert (model.answers, model.both_bad) == (expected.n, expected.n_both_bad)
    assert model.both_bad > 0
    assert model.other == Rating.objects.filter(option__key="unsure").count() > 0
    assert (model.annotators, model.conversations, model.identical) == (6, 8, 1)
    assert model.tie.value == pytest.approx(expected.tie.value)
    assert model.side.value == pytest.approx(1 / (1 + np.exp(-expected.side_bias.value)))
    assert len(found.pairs) == 3


def test_page_files_and_figure_have_the_same_numbers(answered):
    client = Client()
    client.force_login(MembershipFactory(study=answered, role="lead").user)
    report = build_report(answered, now=NOW)
    (found,) = report.rankings
    page = client.get(reverse("report", args=[answered.slug])).content.decode()
    assert "Ranking of sources" in page
    assert "Davidson" in page
    best = found.sources[0]
    assert f"{best.strength.value:.2f}" in page
    assert f"{100 * best.win_rate.value:.0f} %" in page
    rows = list(csv.DictReader(io.StringIO(as_csv(report, "rankings"))))
    assert [float(row["strength"]) for row in rows] == [row.strength.value for row in found.sources]
    assert {"win_rate", "win_rate_low", "elo", "best_rank", "worst_rank"} <= set(rows[0])
    pairs = list(csv.DictReader(io.StringIO(as_csv(report, "win_rates"))))
    assert sum(int(row["both_bad"]) for row in pairs) == found.model.both_bad
    (model,) = csv.DictReader(io.StringIO(as_csv(report, "preference_models")))
    assert (model["model"], int(model["answers"])) == ("davidson", found.model.answers)
    assert json.loads(json.dumps(plain_report(report)))["rankings"][0]["sources"][0]["source"] == "model-a"
    for ending, figure in product(("svg", "png"), ("ranking", "ranks")):
        answer = client.get(reverse(f"report_figure_{ending}", args=[answered.slug, figure]))
        assert answer.status_code == 200
    assert "Model A" in client.get(reverse("report_figure_svg", args=[answered.slug, "ranking"])).content.decode()


def test_the_methods_name_the_model_and_every_answer_left_out(answered):
    report = build_report(answered, now=NOW)
    said = " ".join(report.methods)
    model = report.rankings[0].model
    assert "Davidson's (1970) extension of the Bradley-Terry model" in said
    assert (
        f"the ranking uses {model.answers} answers; {model.both_bad} that call both bad and {model.other} others"
        in said
    )
    best = report.rankings[0].sources[0]
    (row,) = [line for line in as_latex(report).splitlines() if line.startswith("Better & Model A & ")]
    assert f"{best.strength.value:+.2f}" in row
    assert f"[{best.strength.low:+.2f}, {best.strength.high:+.2f}]" in row


def test_strengths_at_equal_length_are_shown_with_their_intervals(answered):
    (found,) = build_report(answered, now=NOW).rankings
    best = found.sources[0].strength_at_equal_length
    page = page_of(answered)
    assert re.search(rf"\{best.value:+.2f}\s*<span", page)
    assert "a text twice as long changes the log odds" in page
    assert "Strengths at equal length are not shown" not in page


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ("", "not all texts are known, so their lengths are not either"),
        ("Of one length.", "the two texts of every pair are of the same length"),
    ],
)
def test_without_lengths_there_is_a_dash_and_the_reason(answered, texts, why):
    study_texts(answered).update(text=texts)
    (found,) = build_report(answered, now=NOW).rankings
    assert found.sources[0].strength.value is not None
    assert {row.strength_at_equal_length.value for row in found.sources} == {None}
    page = page_of(answered)
    assert f"Strengths at equal length are not shown. Undefined: {why}." in page
    assert page.count(f'<span title="Undefined: {why}.">–</span>') == 3


def test_strengths_at_equal_length_are_withheld_where_the_effect_of_length_is_not_known():
    study = make_answered(lengths=(5,))
    study_texts(study).filter(dialogue__key="d0", source__key="model-b").update(
        text="One longer text than all of these."
    )
    (found,) = build_report(study, now=NOW).rankings
    assert (found.model.length.value, found.model.length_reason) == (None, "uncertain_length")
    assert "not shown. Undefined: the answers do not tell well enough what length does." in page_of(study)


def test_a_source_that_always_wins_has_no_strength_and_the_page_says_why():
    study = make_compared()
    (found,) = build_report(study, now=NOW).rankings
    reasons = {row.source: row.reason for row in found.sources}
    assert reasons["model-a"] == "never_lost"
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = client.get(reverse("report", args=[study.slug])).content.decode()
    assert "it never lost, so its strength has no upper bound" in page


def test_whole_dialogues_are_ranked_too():
    study = make_compared_dialogues()
    (found,) = build_report(study, now=NOW).rankings
    assert {row.source for row in found.sources} == set(study.sources.values_list("key", flat=True))
    assert found.model.answers + found.model.both_bad + found.model.left_out > 0
    assert next(row.reason for row in found.sources if row.source == "model-a") == "never_lost"


def test_a_ranking_over_scenarios_counts_scenarios():
    study = make_scenarios(8, 3, seats=6, seed=5)
    answer(study)
    page = page_of(study)
    assert "(annotators: 6, scenarios: 8)" in page
    assert "conversations: " not in page.split('id="t-rankings"')[1].split("</section>")[0]
    assert "Standard errors were clustered on annotators and scenarios" in page


def test_a_ranking_of_responses_counts_dialogues_that_are_conversations_of_their_own(answered):
    page = page_of(answered)
    assert "(annotators: 6, dialogues: 8)" in page
    assert "Standard errors were clustered on annotators and dialogues" in page


def test_sources_that_were_never_compared_directly_say_so_and_the_pairs_that_differ_are_listed(answered):
    direct = pairs_of_kind(answered.pk, "main")
    left_out = {source.pk for source in answered.sources.filter(key__in=["model-b", "model-c"])}
    Rating.objects.filter(item__in=[pk for pk, pair in direct.items() if set(pair) == left_out]).update(is_active=False)
    rebuild_study(answered, now=NOW)
    report = build_report(answered, now=NOW)
    (found,) = report.rankings
    (indirect,) = [pair for pair in found.pairs if pair.is_indirect]
    assert (indirect.source_a, indirect.source_b, indirect.answers) == ("model-b", "model-c", 0)
    page = " ".join(page_of(answered).split())
    assert page.count("not compared directly</span>") == 2
    assert "These intervals hold one by one and are not corrected for the number of pairs." in page
    differing = [pair for pair in found.pairs if pair.differs]
    by_rank = {row.source: (row.best_rank, row.worst_rank) for row in found.sources}
    for pair in found.pairs:
        better, worse = pair.better_and_worse
        assert pair.differs or by_rank[better][1] >= by_rank[worse][0]
    said = (
        "Pairs that differ, all at once with 95 per cent confidence: Model A over" if differing else "No pair differs"
    )
    assert said in page


def test_a_ranking_without_ties_and_degrees_is_not_called_an_extension(answered):
    report = build_report(answered, now=NOW)
    assert "Degrees of preference were collapsed." in " ".join(methods(report))
    (found,) = report.rankings
    report.rankings = [replace(found, model=replace(found.model, model="bradley_terry", has_degrees=False))]
    said = " ".join(methods(report))
    assert "were ranked by the Bradley-Terry model (Bradley and Terry 1952); there are no ties." in said
    assert "Davidson's (1970)" not in said
    assert "collapsed" not in said
    assert "Davidson" not in as_latex(report).split("tab:rankings")[0].split(r"\caption{")[-1]


def test_latex_has_the_interval_of_the_win_rate_and_the_answers(answered):
    report = build_report(answered, now=NOW)
    row = report.rankings[0].sources[0]
    rate = row.win_rate
    (line,) = [line for line in as_latex(report).splitlines() if line.startswith("Better & Model A & ")]
    assert rf"{rate.value:.0%}".replace("%", r"~\%") in line
    assert f"[{rate.low:.0%}, {rate.high:.0%}]".replace("%", r"~\%") in line
    ranks = sorted({row.best_rank, row.worst_rank})
    assert line.endswith(rf" & {' to '.join(map(str, ranks))} & {row.answers} \\[0pt]")


def test_a_study_without_comparisons_has_no_ranking(he_report):
    assert he_report.rankings == []


@pytest.mark.parametrize(("make", "units"), [(make_compared, "dialogues"), (make_compared_dialogues, "scenarios")])
def test_the_rule_names_what_the_intervals_are_about(make, units: str):
    page = " ".join(page_of(make()).split())
    assert f"95 per cent intervals for pairs of other {units} and for other annotators" in page


def test_the_command_finds_in_the_exported_file_what_the_report_says(tmp_path):
    study = make_answered(lengths=(4,))
    with (tmp_path / "long.csv").open("wb") as file:
        write_export(study, "long-csv", {}, file)
    [found] = build_report(study, now=NOW).rankings
    columns = {"left": "first_source", "right": "second_source", "winner": "role", "swapped": "is_swapped"}
    options = [f"--{name}={column}" for name, column in columns.items()]
    out = io.StringIO()
    call_command(
        "rank", str(tmp_path / "long.csv"), *options, "--annotator", "annotator", "--cluster", "conversation",
        "--where", "is_counted=true", "--json", stdout=out, stderr=io.StringIO(),
    )  # fmt: skip
    told = json.loads(out.getvalue())
    shown = {row.source: row for row in found.sources}
    assert told["n"] == found.model.answers
    for row in told["sources"]:
        assert row["strength"] == pytest.approx(shown[row["source"]].strength.value, rel=1e-6)
        assert (row["low"], row["high"]) == pytest.approx(
            (shown[row["source"]].strength.low, shown[row["source"]].strength.high), rel=1e-6
        )


def test_latex_has_the_win_rates_of_every_pair_with_their_answers(answered):
    report = build_report(answered, now=NOW)
    text = as_latex(report).split(r"\label{tab:winrates1}")[1].split(r"\end{longtable}")[0]
    pair = report.rankings[0].pairs[0]
    for rate in (pair.win_rate, pair.win_rate.of_the_other):
        ends = f"[{rate.low:.0%}, {rate.high:.0%}]".replace("%", r"~\%")
        assert rf"{{\scriptsize {ends}}}\\[0pt]{{\scriptsize n {pair.answers}}}" in text


def test_the_chart_prints_the_intervals_and_has_a_line_at_one_half(answered):
    report = build_report(answered, now=NOW)
    drawn = str(ranking_picture(report))
    rate = report.rankings[0].sources[0].win_rate
    assert f"{number(rate.value, '.0%')} [{number(rate.low, '.0%')}, {number(rate.high, '.0%')}]" in drawn
    assert "50 %: wins as many as it loses" in drawn


def test_the_chart_of_ranks_has_the_ranks_of_the_table_and_says_what_they_are(answered):
    report = build_report(answered, now=NOW)
    (found,) = report.rankings
    root = ElementTree.fromstring(str(ranks_picture(report)))
    texts = [text.strip() for text in root.itertext() if text.strip()]
    said = next(text for text in texts if text.startswith("Lines show the ranks"))
    assert "for all sources at once with 95 per cent confidence" in said
    for row in found.sources:
        best, worst = row.best_rank, row.worst_rank
        name = {each.key: each.name for each in report.sources}[row.source]
        assert texts[texts.index(name) + 1] == (f"{best}" if best == worst else f"{best}–{worst}")
    ticks = texts[texts.index("Better") + 1 :][: len(found.sources)]
    assert ticks == [str(rank) for rank in range(1, len(found.sources) + 1)], "no halves of a rank"


def test_there_is_no_chart_of_ranks_where_no_source_has_one(answered):
    report = build_report(answered, now=NOW)
    (found,) = report.rankings
    unknown = [replace(row, best_rank=None, worst_rank=None) for row in found.sources]
    report.rankings = [replace(found, sources=unknown)]
    assert ranks_picture(report) == ""


def thinned(found, answers: int):
    """The ranking as if the first pair had so few answers, and the second had all gone one way."""
    first, second, *others = found.pairs
    few = replace(first, answers=answers, both_bad=0)
    return replace(found, pairs=[few, replace(second, is_one_way=True), *others])


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (0, "Never compared directly, so that their win rates come through other sources: Model A and Model B."),
        (4, "With fewer than 5 direct answers: Model A and Model B (4)."),
    ],
)
def test_pairs_without_answers_and_with_few_are_named(answered, answers, said):
    report = build_report(answered, now=NOW)
    (found,) = report.rankings
    names = {each.key: each.name for each in report.sources}
    one_way = "The test of transitivity leaves out pairs that were always answered the same way: Model A and Model C."
    assert list(thin_pairs(thinned(found, answers), names)) == [said, one_way]
    assert list(thin_pairs(found, names)) == []
    assert not any(pair.is_one_way for pair in found.pairs)


def test_identical_texts_are_named_only_where_there_are_any(answered):
    (found,) = build_report(answered, now=NOW).rankings
    assert found.model.identical > 0
    assert f"{found.model.identical} pair" in answers_sentence(found, "Better")
    without = answers_sentence(replace(found, model=replace(found.model, identical=0)), "Better")
    assert without.endswith("others are left out.")
