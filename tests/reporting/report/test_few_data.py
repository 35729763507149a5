"""A small study says in every file that its intervals are rough or missing, and what was left out."""

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from annotation.models import Rating, Source, Study
from measures.intervals import UNRELIABLE
from reporting.report.build import Report, build_report
from reporting.report.comparisons import Variance
from reporting.report.interval_words import TOO_FEW, counted_note, counted_short
from reporting.report.latex import as_latex
from reporting.report.model_pictures import means_picture
from reporting.report.model_sentences import model_sentences
from reporting.report.model_words import left_out_sentences, scale_sentences
from reporting.report.pivot import names_of
from reporting.report.resampled import OF_DIALOGUES
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def report(scale_study: Study) -> Report:
    return build_report(scale_study, now=NOW)


def table_of(text: str, label: str) -> str:
    return next(each for each in text.split(r"\begin{table") if f"tab:{label}}}" in each)


def page_of(study: Study) -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client.get(reverse("report", args=[study.slug])).text


def section(page: str, name: str) -> str:
    return " ".join(strip_tags(page.split(f'id="t-{name}"')[1].split("</section>", maxsplit=1)[0]).split())


def test_intervals_from_few_data_are_marked_in_latex_in_charts_and_in_the_methods(report: Report):
    text = as_latex(report)
    said = "Few data: with fewer than 3 annotators or 10 dialogues, an interval is rough."
    for label in ("means", "comparisons"):
        table = table_of(text, label)
        assert rf"\dag{{}} {said}" in table.split(r"\toprule")[0], "the caption explains the dagger"
        assert r"]\dag{}" in table.split(r"\midrule")[1]
    picture = means_picture(report.comparisons, names_of(report))
    assert picture.count("stroke-dasharray") == len([mean for row in report.comparisons for mean in row.means]) + 1
    assert "few data: a rough interval" in picture
    assert said in " ".join(report.methods)


def test_where_no_agreement_has_an_interval_nothing_claims_one(report: Report):
    methods = " ".join(report.methods)
    assert "bootstrap" not in methods
    assert "There are no intervals of agreement: there are fewer than 10 independent units" in methods
    caption = table_of(as_latex(report), "overall").split(r"\toprule")[0]
    assert "with 95" not in caption
    assert "There are no intervals of agreement" in caption


def test_the_note_of_a_missing_interval_names_what_is_counted(report: Report, scale_study: Study):
    row = replace(report.agreement_overall[0], interval_method=OF_DIALOGUES, n_units=6)
    assert counted_short(TOO_FEW, row) == "6 dialogues, 10 needed"
    assert counted_note(UNRELIABLE, replace(row, n_units=12)).startswith("Few data: 12 dialogues.")
    assert "no interval: 4 dialogues, 10 needed" in section(page_of(scale_study), "agreement")


def test_dialogues_are_called_dialogues_on_the_whole_page(scale_study: Study):
    page = page_of(scale_study)
    for name in ("means", "comparisons", "models"):
        assert "onversation" not in section(page, name), name
    assert "Dialogues" in section(page, "models")
    assert "dialogue × source" in section(page, "models")
    assert "dialogue: the same groups as dialogue" not in section(page, "models")


def test_the_scale_stands_below_the_means_and_no_share_is_explained_where_there_is_none(report: Report):
    said = scale_sentences(report.comparisons, {each.key: each.name for each in report.criteria})
    assert len(said) == 1
    assert said[0].endswith("mean on the scale from 1 to 5.")


def test_unsure_answers_that_count_as_not_positive_are_counted(report: Report):
    rows = [replace(report.comparisons[0], n_unsure_not_positive=2)]
    names = {each.key: each.name for each in report.criteria}
    said = f"{names[rows[0].criterion]}: 2 unsure answers count as not positive."
    assert said in scale_sentences(rows, names)
    assert any("2 unsure answers count as not positive." in each for each in sentences(rows, names))


def sentences(rows, names) -> list[str]:
    return list(model_sentences(rows, names, {}, has_dialogues_as_units=True))


def variance(effect: str, left_out: str | None = None, beside: str = "") -> Variance:
    return Variance("c", effect, None if left_out else 4, None if left_out else 0.5, None, left_out, beside)


def test_a_single_effect_is_not_called_crossed_and_annotators_who_always_agree_are_named(report: Report):
    effects = [variance("conversation"), variance("residual"), variance("annotator", "always_agree")]
    row = replace(report.comparisons[0], variances=effects)
    (model, left_out, agreeing, *_rest) = sentences([row], {row.criterion: "Coherence"})
    assert "crossed" not in model
    assert f"from all {row.n_ratings} ratings by a linear mixed model" in model
    assert "a random effect of dialogue, fitted" in model
    assert left_out == (
        "The model for Coherence leaves out: annotator: all annotators of an item always agree, so each item counts "
        "once."
    )
    assert "rests on this: they assume no variance between annotators" in agreeing


def test_items_that_count_once_have_no_plain_means_and_no_missing_intervals(report: Report):
    effects = [variance("residual"), variance("annotator", "always_agree"), variance("conversation", "not_identified")]
    said = sentences(
        [replace(report.comparisons[0], variances=effects)], {report.comparisons[0].criterion: "Coherence"}
    )
    assert said[0].startswith("For Coherence, all annotators of an item always agree in all ")
    assert "so each item of a source counts once: means of sources are means over items" in said[0]
    assert any("t intervals with Satterthwaite's degrees of freedom" in each for each in said)
    assert not any("without intervals" in each for each in said)


def test_each_criterion_has_a_model_of_its_own_ratings(report: Report):
    first = report.comparisons[0]
    other = replace(first, criterion="other", n_ratings=first.n_ratings + 1)
    names = {first.criterion: "Coherence", "other": "Fluency"}
    numbers = f"(Coherence: {first.n_ratings}; Fluency: {first.n_ratings + 1})"
    assert f"from all ratings of each criterion {numbers}" in sentences([first, other], names)[0]


def test_an_effect_of_items_that_are_the_dialogues_is_named_once(report: Report):
    effects = [variance("conversation"), variance("item", "same_groups", "conversation")]
    row = replace(report.comparisons[0], variances=effects)
    assert left_out_sentences(row, True) == []
    assert left_out_sentences(row, False) == [
        "dialogue: the same groups as conversation, whose variance stands for both"
    ]


def test_a_source_without_ratings_does_not_disappear(scale_study: Study):
    source = Source.objects.filter(study=scale_study).last()
    Rating.objects.filter(item__source=source).update(is_active=False)
    report = build_report(scale_study, now=NOW)
    assert report.unrated_sources == [source.name]
    said = f"No ratings: {source.name}."
    assert said in section(page_of(scale_study), "means")
    assert said in " ".join(report.methods)
    assert said in table_of(as_latex(report), "means")


def test_every_value_of_agreement_has_its_word_as_the_margins_have(scale_study: Study):
    table = section(page_of(scale_study), "agreement").split("Fleiss' kappa by source")[1]
    row = build_report(scale_study, now=NOW).agreement[0]
    assert re.search(rf"{row.mean:.2f}".replace("-", "−") + rf"\s+{row.word}; pooled", table)
