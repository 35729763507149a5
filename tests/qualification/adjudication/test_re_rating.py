"""A trainer settles a label once, and what comes of it."""

import json

import pytest

from annotation.models import ActivityLog
from annotation.services.refusals import Refused
from qualification.adjudication.selectors.disagreements import adjudication_counts, settled_labels
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.adjudication.services.re_rating import settle
from qualification.models import Disagreement
from reporting.exports.diqad import split_records
from reporting.exports.options import ExportOptions
from reporting.report.build import build_report
from tests.clock import NOW
from tests.factories import MembershipFactory, ParticipantFactory, take_seat
from tests.qualification.adjudication.conftest import AdjudicatedStudy, looks_of


def settled(adjudicated: AdjudicatedStudy, found: Disagreement, key: str) -> Disagreement:
    return settle(found, option=adjudicated.option(key), note=" It is dull. ", by=adjudicated.trainer, now=NOW)


def test_a_trainer_settles_a_label_and_it_is_logged(adjudicated: AdjudicatedStudy):
    found = settled(adjudicated, adjudicated.disagreed(), "0")
    found.refresh_from_db()
    assert (found.state, found.how, found.option.key, found.note) == ("settled", "adjudicated", "0", "It is dull.")
    assert (found.settled_by, found.settled_at) == (adjudicated.trainer, NOW)
    line = ActivityLog.objects.get(verb="adjudicated")
    assert (line.actor, line.details["option"]) == (adjudicated.trainer, "0")


def test_a_second_trainer_is_told_that_it_is_settled(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed()
    settled(adjudicated, found, "0")
    with pytest.raises(Refused, match="Already settled by trainer: Score 0"):
        settle(found, option=adjudicated.option("1"), note="", by=adjudicated.cast.lead, now=NOW)
    assert Disagreement.objects.get().option.key == "0"


def test_who_has_rated_the_batch_cannot_settle_it(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed()
    lead = ParticipantFactory(study=adjudicated.cast.study, user=adjudicated.cast.lead)
    found.item.batch.seats.create(number=3)
    take_seat(lead, found.item.batch)
    with pytest.raises(Refused, match="yourself"):
        settle(found, option=adjudicated.option("1"), note="", by=adjudicated.cast.lead, now=NOW)


def test_an_answer_of_another_question_is_refused(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed()
    other = MembershipFactory().study.protocol_version.criteria.first().options.first()
    with pytest.raises(Refused, match="not an answer to this question"):
        settle(found, option=other, note="", by=adjudicated.trainer, now=NOW)


def test_settled_without_the_re_rating_nobody_has_to_look_again(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(["1", "1"], ["2", "1"])
    sweep_disagreements(now=NOW)
    settled(adjudicated, Disagreement.objects.get(), "1")
    assert sweep_disagreements(now=NOW) == (0, 0)
    assert [look.private_batch.status for look in looks_of(batch)] == ["closed", "closed"]


def test_the_data_set_has_the_settled_label_and_the_votes_of_the_first_look(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed("1", "2")
    options = ExportOptions(criterion="score", train=100, validation=0)

    def labels() -> dict[str, object]:
        records, _summary = split_records(adjudicated.cast.study, options, lambda n: None)
        rows = [json.loads(line) for _part, line in records]
        return {row["dialogue"]: (row["label"], row["votes"]) for row in rows}

    key = found.item.dialogue.key
    assert key not in labels()  # tied
    settled(adjudicated, found, "0")
    assert labels()[key] == (0, {"1": 1, "2": 1})


def test_an_item_settled_as_excluded_is_left_out_of_the_data_set(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed("1", "2")
    settled(adjudicated, found, "private")
    records, summary = split_records(adjudicated.cast.study, ExportOptions(criterion="score"), lambda n: None)
    assert len(list(records)) == 1
    assert summary.outcomes["excluded"] == 1


def test_the_report_counts_what_was_settled_how(adjudicated: AdjudicatedStudy):
    assert build_report(adjudicated.cast.study, now=NOW).adjudication is None
    settled(adjudicated, adjudicated.disagreed(key="a"), "0")
    adjudicated.disagreed(key="b")
    batch = adjudicated.finish(["1", "1"], ["2", "1"], key="c")
    sweep_disagreements(now=NOW)
    for number in (0, 1):
        adjudicated.look(batch, number, {0: "2"})
    sweep_disagreements(now=NOW)
    found = build_report(adjudicated.cast.study, now=NOW).adjudication
    assert found == {
        "batches": 3,
        "items": 6,
        "items_with_disagreement": 3,
        "labels": 6,
        "labels_agreed_at_first": 3,
        "by_criterion": [
            {"criterion": "score", "disagreements": 3, "re_rating": 1, "adjudicated": 1, "replaced": 0, "open": 1}
        ],
    }
    assert len(settled_labels(adjudicated.cast.study)) == 2
    assert adjudication_counts(adjudicated.cast.study).n_items_disagreed == 3
