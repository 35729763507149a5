"""Ratings by the API: of a comparison, both sources and which one the answer prefers."""

from uuid import uuid4

import pytest

from annotation.models import Rating, Source
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from tests.api import Api
from tests.clock import NOW
from tests.comparing import deal, make_study, sides_of
from tests.factories import UserFactory, make_annotator
from tests.working import record

pytestmark = pytest.mark.django_db


def test_the_answer_to_a_comparison_names_both_sources_and_the_preferred_one():
    study = make_study(2, 2)
    (batch,) = deal(study)
    work = claim_seat(make_annotator(study, "person"), batch, now=NOW)
    sides = sides_of(work)
    for item in batch.items.all():
        record(work, Submission(item.token, "better", Given("1"), uuid4()), now=NOW)
    owner = study.memberships.create(user=UserFactory(), role="owner").user
    rows = Api(owner).get("api_ratings", study.slug).json()["results"]
    items = Rating.objects.order_by("pk").values_list("item", flat=True)
    left = [Source.objects.get(pk=sides[item][0]).key for item in items]
    assert [row["preferred"] for row in rows] == left
    assert {(row["first_source"], row["second_source"]) for row in rows} == {("model-a", "model-b")}
    assert [row["is_swapped"] for row in rows] == [source == "model-b" for source in left]
    assert [row["conversation"] for row in rows] == [row["dialogue"] for row in rows]
