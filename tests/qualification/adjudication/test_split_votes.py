"""Trainers read the items on which not all annotators agree, with any number of seats."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, Study
from qualification.adjudication.selectors.split_votes import questions_of, split_cards, split_items
from qualification.adjudication.views.disagreements import CARDS
from tests.cast import Cast, make_cast
from tests.factories import MembershipFactory
from tests.qualification.acceptance.factories import (
    items_of,
    make_dialogue_batch,
    make_score_version,
    options_of,
    rate_batch,
)

# Three votes on each of five items: all agree, one differs, all differ, one differs, all agree.
VOTES = ("111", "112", "012", "221", "000")


@pytest.fixture
def cast(db: None) -> Cast:
    cast = make_cast(protocol_version=make_score_version(), seats=3)
    rate(cast, "a", VOTES)
    return cast


def rate(cast: Cast, key: str, votes: tuple[str, ...]) -> None:
    batch = make_dialogue_batch(cast.study, key, len(votes), n_seats=3)
    rate_batch(batch, cast.annotators, [said[0] for said in votes])
    options = options_of(cast.study)
    for at, person in enumerate(cast.annotators):
        own = batch.ratings.filter(assignment__participant=person)
        for item, said in zip(items_of(batch), votes, strict=True):
            own.filter(item=item).update(option=options[said[at]])


@pytest.fixture
def trainer(cast: Cast, client: Client) -> Client:
    client.force_login(MembershipFactory(study=cast.study, role="trainer", user__username="trainer").user)
    return client


def cards_of(study: Study) -> list:
    return split_cards(study, split_items(study, questions_of(study), limit=10))


def test_the_most_split_items_come_first_with_their_votes(cast: Cast):
    found = [(card.item.dialogue.key, card.votes, round(card.share, 2)) for card in cards_of(cast.study)]
    assert found[0][:1] + found[0][2:] == ("a-2", 1.0)
    assert sorted(found[0][1]) == [("Score 0", 1), ("Score 1", 1), ("Score 2", 1)]
    assert found[1:] == [
        ("a-1", (("Score 1", 2), ("Score 2", 1)), 0.67),
        ("a-3", (("Score 2", 2), ("Score 1", 1)), 0.67),
    ]


def test_each_vote_is_named_by_its_pseudonym(cast: Cast):
    said = {each.annotator: each.answer for each in cards_of(cast.study)[0].said}
    assert said == {who.pseudonym: f"Score {key}" for who, key in zip(cast.annotators, "012", strict=True)}


def test_work_that_is_not_submitted_is_not_read(cast: Cast):
    Assignment.objects.filter(participant=cast.annotators[2]).update(status="active")
    assert [card.item.dialogue.key for card in cards_of(cast.study)] == ["a-2"]
    assert len(cards_of(cast.study)[0].said) == 2


def test_a_trainer_reads_them_page_by_page(cast: Cast, trainer: Client):
    rate(cast, "b", ("012",) * CARDS)
    address = reverse("split_votes", args=["wellbeing"])
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", trainer.get(address).text))
    assert "Page 1 of 2" in page
    assert "100 % of annotator pairs disagree" in page
    assert not re.search(r"Ground truth|Model [AB]", page)
    last = trainer.get(address, {"page": 2, "criterion": "score"})
    assert last.text.count("case-card") == 3


def test_the_page_asks_the_database_as_often_for_ten_as_for_one(cast: Cast, trainer: Client):
    counts = []
    trainer.get(reverse("split_votes", args=["wellbeing"]))  # what a process reads once
    for key in "bc":
        with CaptureQueriesContext(connection) as queries:
            trainer.get(reverse("split_votes", args=["wellbeing"]))
        counts.append(len(queries))
        rate(cast, key, ("012",) * 4)
    assert len(set(counts)) == 1


def test_annotators_and_controllers_do_not_read_them(cast: Cast, client: Client):
    for user in (cast.annotator.user, cast.controller):
        client.force_login(user)
        assert client.get(reverse("split_votes", args=["wellbeing"])).status_code == 403
