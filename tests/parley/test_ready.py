"""A query whose SQL is kept says what the same query says when it is composed anew."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.models import Count, Q, QuerySet
from django.test.utils import CaptureQueriesContext

from annotation.access import OWN_ASSIGNMENT
from annotation.models import Membership
from parley.ready import Ready
from tests.cast import Cast
from tests.factories import take_seat

pytestmark = pytest.mark.django_db


def members(user: int) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user).select_related("study").order_by("pk")


def numbers(user: int) -> QuerySet:
    return Membership.objects.values("study").annotate(n=Count("pk", filter=~Q(user=user))).values("study", "n")


def test_rows_are_those_of_the_query_set_for_each_value(cast: Cast):
    ready = Ready(members, user=int)
    for person in (cast.owner, cast.annotator.user, cast.stranger, cast.owner):
        assert ready(user=person.pk) == list(members(person.pk))


def test_what_is_selected_with_a_row_is_there_without_another_query(cast: Cast):
    ready = Ready(members, user=int)
    row = ready(user=cast.owner.pk)[0]
    with CaptureQueriesContext(connection) as queries:
        assert row.study.slug == cast.study.slug
    assert not queries.captured_queries


def test_values_and_sums_are_read_too(cast: Cast):
    ready = Ready(numbers, user=int)
    for person in (cast.owner, cast.stranger):
        assert ready(user=person.pk) == list(numbers(person.pk))


def test_nothing_is_found_for_what_nobody_has(cast: Cast):
    assignment = take_seat(cast.annotator, cast.batch)
    assert OWN_ASSIGNMENT(token=uuid4(), user=cast.annotator.user.pk) == []
    assert OWN_ASSIGNMENT(token=assignment.token, user=cast.owner.pk) == []
    assert OWN_ASSIGNMENT(token=assignment.token, user=cast.annotator.user.pk) == [assignment]


def test_rows_of_one_call_are_not_those_of_another(cast: Cast):
    ready = Ready(members, user=int)
    first, second = ready(user=cast.owner.pk)[0], ready(user=cast.owner.pk)[0]
    first.study.name = "changed"
    assert second.study.name != "changed"


def test_rows_are_read_through_the_connection_of_the_moment(cast: Cast):
    """A thread in which an event loop runs has another one, which does not see what this test has not committed."""
    ready, own = Ready(members, user=int), connections["default"]
    assert len(ready(user=cast.owner.pk)) == 1
    connections["default"] = own.copy()
    try:
        assert ready(user=cast.owner.pk) == []
    finally:
        connection.close()
        connections["default"] = own
    assert len(ready(user=cast.owner.pk)) == 1


def test_a_value_that_the_query_does_not_use_is_an_error():
    with pytest.raises(TypeError, match="does not use token"):
        Ready(lambda user, token: members(user), user=int, token=UUID)(user=1, token=uuid4())


def test_sql_is_composed_once_in_each_thread():
    composed = []

    def compose(user: int) -> QuerySet[User]:
        composed.append(user)
        return User.objects.filter(pk=user)

    def twice(_: int) -> None:
        try:
            ready(user=1)
            ready(user=2)
        finally:
            connection.close()

    ready = Ready(compose, user=int)
    twice_here = [ready(user=number) for number in (1, 2, 3)]
    with ThreadPoolExecutor(1) as pool:
        list(pool.map(twice, range(2)))
    assert len(twice_here) == 3
    assert len(composed) == 2
