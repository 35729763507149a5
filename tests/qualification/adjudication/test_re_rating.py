"""A trainer settles a label once, and what comes of it."""

import json

import pytest

from annotation.models import ActivityLog
from annotation.services.refusals import Refused
from qualification.adjudication.selectors.disagreements import confirmed_counts, settled_labels
from qualification.adjudication.services.disagreements import sweep_confirming
from qualification.adjudication.services.re_rating import settle
from qualification.models import Disagreement
from reporting.exports.diqad import split_records
from reporting.exports.options import ExportOptions
from reporting.report.build import build_report
from tests.clock import NOW
from tests.factories import MembershipFactory, ParticipantFactory, take_seat
from tests.qualification.adjudication.conftest import Confirming, looks_of


def settled(confirming: Confirming, found: Disagreement, key: str) -> Disagreement:
    return settle(found, option=confirming.option(key), note=" It is dull. ", by=confirming.trainer, now=NOW)


def test_a_trainer_settles_a_label_and_it_is_logged(confirming: Confirming):
    found = settled(confirming, confirming.disagreed(), "0")
    found.refresh_from_db()
    assert (found.state, found.how, found.option.key, found.note) == ("settled", "adjudicated", "0", "It is dull.")
    assert (found.settled_by, found.settled_at) == (confirming.trainer, NOW)
    line = ActivityLog.objects.get(verb="adjudicated")
    assert (line.actor, line.details["option"]) == (confirming.trainer, "0")


def test_a_second_trainer_is_told_that_it_is_settled(confirming: Confirming):
    found = confirming.disagreed()
    settled(confirming, found, "0")
    with pytest.raises(Refused, match="settled already, by trainer: Score 0"):
        settle(found, option=confirming.option("1"), note="", by=confirming.cast.lead, now=NOW)
    assert Disagreement.objects.get().option.key == "0"


def test_who_has_rated_the_batch_cannot_settle_it(confirming: Confirming):
    found = confirming.disagreed()
    lead = ParticipantFactory(study=confirming.cast.study, user=confirming.cast.lead)
    found.item.batch.seats.create(number=3)
    take_seat(lead, found.item.batch)
    with pytest.raises(Refused, match="yourself"):
        settle(found, option=confirming.option("1"), note="", by=confirming.cast.lead, now=NOW)


def test_an_answer_of_another_question_is_refused(confirming: Confirming):
    found = confirming.disagreed()
    other = MembershipFactory().study.protocol_version.criteria.first().options.first()
    with pytest.raises(Refused, match="no answer to this question"):
        settle(found, option=other, note="", by=confirming.trainer, now=NOW)


def test_settled_without_the_second_look_nobody_has_to_look_again(confirming: Confirming):
    batch = confirming.finish(["1", "1"], ["2", "1"])
    sweep_confirming(now=NOW)
    settled(confirming, Disagreement.objects.get(), "1")
    assert sweep_confirming(now=NOW) == (0, 0)
    assert [look.private_batch.status for look in looks_of(batch)] == ["closed", "closed"]


def test_the_data_set_has_the_settled_label_and_the_votes_of_the_first_look(confirming: Confirming):
    found = confirming.disagreed("1", "2")
    options = ExportOptions(criterion="score", train=100, validation=0)

    def labels() -> dict[str, object]:
        records, _summary = split_records(confirming.cast.study, options, lambda n: None)
        rows = [json.loads(line) for _part, line in records]
        return {row["dialogue"]: (row["label"], row["votes"]) for row in rows}

    key = found.item.dialogue.key
    assert key not in labels()  # tied
    settled(confirming, found, "0")
    assert labels()[key] == (0, {"1": 1, "2": 1})


def test_an_item_settled_as_excluded_is_left_out_of_the_data_set(confirming: Confirming):
    found = confirming.disagreed("1", "2")
    settled(confirming, found, "private")
    records, summary = split_records(confirming.cast.study, ExportOptions(criterion="score"), lambda n: None)
    assert len(list(records)) == 1
    assert summary.outcomes["excluded"] == 1


def test_the_report_counts_what_was_settled_how(confirming: Confirming):
    assert build_report(confirming.cast.study, now=NOW)["confirmed"] is None
    settled(confirming, confirming.disagreed(key="a"), "0")
    confirming.disagreed(key="b")
    batch = confirming.finish(["1", "1"], ["2", "1"], key="c")
    sweep_confirming(now=NOW)
    for number in (0, 1):
        confirming.look(batch, number, {0: "2"})
    sweep_confirming(now=NOW)
    found = build_report(confirming.cast.study, now=NOW)["confirmed"]
    assert found == {
        "batches": 3,
        "items": 6,
        "items_with_disagreement": 3,
        "labels": 6,
        "labels_agreed_at_first": 3,
        "by_criterion": [
            {"criterion": "score", "disagreements": 3, "second_look": 1, "adjudicated": 1, "replaced": 0, "open": 1}
        ],
    }
    assert len(settled_labels(confirming.cast.study)) == 2
    assert confirmed_counts(confirming.cast.study).n_items_disagreed == 3
