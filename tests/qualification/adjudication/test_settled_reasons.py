"""A settled label keeps the reasons, marked turns and other answers that were given together with it."""

import json
import re
from importlib import import_module

import pytest
from django.test import Client
from django.urls import reverse

from qualification.adjudication.selectors.disagreements import settled_labels
from qualification.models import Disagreement
from reporting.exports.diqad import readme_of, split_records
from reporting.exports.options import ExportOptions
from reporting.predictions.table import Compared, Comparison
from reporting.report.build import build_report
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.migrating import run_sql
from tests.qualification.adjudication.settled import pair, predict, settle_second  # noqa: F401 - a fixture
from tests.shipped import Work

pytestmark = pytest.mark.django_db
OPTIONS = ExportOptions(criterion="score", train=100, validation=0)


def records_of(work: Work) -> dict[str, dict]:
    records, _summary = split_records(work.study, OPTIONS, lambda n: None)
    rows = [json.loads(line) for _part, line in records]
    return {row["dialogue"]: row for row in rows}


def test_the_data_set_has_the_reasons_turns_and_answers_of_the_settled_label(pair: tuple[Work, Work]):  # noqa: F811
    work, _other = pair
    settle_second(work)
    first, second, third = (records_of(work)[item.dialogue.key] for item in work.items("dialogue"))
    assert (first["label"], first["reason"], first["decided_by"]) == (1, "less proactive", "re_rating")
    assert (second["label"], second["decided_by"]) == (2, "adjudicated")
    assert [text.split(":")[0] for text in second["turns"].split("#!#")] == ["1", "2"]
    assert (third["label"], third["decided_by"]) == (2, "agreement")
    assert {row["answers"]["knowledge"] for row in (first, second, third)} == {0}


def test_the_readme_says_how_labels_became_final(pair: tuple[Work, Work]):  # noqa: F811
    work, _other = pair
    settle_second(work)
    records, summary = split_records(work.study, OPTIONS, lambda n: None)
    list(records)
    readme = readme_of(work.study, OPTIONS, summary)
    assert "agreement: 1 items, all votes are equal" in readme
    assert "re_rating: 1 items, both agreed at the re-rating" in readme
    assert "adjudicated: 1 items, a trainer settled it" in readme


def test_a_label_that_nobody_gave_keeps_no_reasons(pair: tuple[Work, Work]):  # noqa: F811
    work, _other = pair
    assert not settle_second(work, "0").answers.exists()
    assert records_of(work)[work.items("dialogue")[1].dialogue.key]["reason"] == ""


def test_a_trainer_reads_what_is_kept_with_the_label(pair: tuple[Work, Work], client: Client):  # noqa: F811
    work, _other = pair
    client.force_login(MembershipFactory(study=work.study, role="trainer").user)
    page = client.get(reverse("adjudication", args=[work.study.slug]), {"state": "settled"}).text
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    kept = text[text.index("Kept with the label") :]
    assert kept.count("less proactive") == 2
    assert kept.count("Outside knowledge") == 2
    assert "incomplete" not in kept


def test_the_report_counts_final_labels_and_how_they_became_final(pair: tuple[Work, Work]):  # noqa: F811
    work, _other = pair
    settle_second(work)
    row = next(row for row in build_report(work.study, now=NOW).final_labels if row.criterion == "score")
    assert {each.option: each.items for each in row.labels} == {"2": 2, "1": 1, "0": 0}
    ways = ("agreement", "majority", "re_rating", "adjudicated", "replaced")
    assert [getattr(row, name) for name in ways] == [1, 0, 1, 1, 0]
    assert row.unanimous == 1 - row.single_vote
    assert (row.items, row.labelled, row.tied) == (3, 3, 0)


def compared_in(work: Work) -> Compared:
    comparison = Comparison(work.study)
    return comparison.whole(comparison.metrics[0], work.spec.by_key["score"])


def test_two_settled_items_count_in_the_comparison_of_predictions(pair: tuple[Work, Work]):  # noqa: F811
    """Without their settled labels, both are tied: one vote each."""
    work, _other = pair
    predict(work, "1", "2", "2")
    settle_second(work)
    compared = compared_in(work)
    assert (compared.n_labels, compared.left_out, compared.estimates["accuracy"].value) == (3, {}, 1.0)
    assert compared.estimates["pearson"].value == pytest.approx(1.0)

    Disagreement.objects.update(state="adjudication")
    compared = compared_in(work)
    assert (compared.n_labels, compared.left_out) == (1, {"tied": 2})


def test_the_migration_finds_what_was_answered_with_labels_settled_before_it(pair: tuple[Work, Work]):  # noqa: F811
    work, _other = pair
    settle_second(work)
    kept = {key: sorted(label.answers) for key, label in settled_labels(work.study).items()}
    for row in Disagreement.objects.all():
        row.answers.clear()
    migration = import_module("qualification.migrations.0005_settled_reasons")
    run_sql(migration.SECOND_LOOKS + migration.FIRST_LOOKS)
    assert {key: sorted(label.answers) for key, label in settled_labels(work.study).items()} == kept
