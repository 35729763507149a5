"""The strip's data and the review before submitting: everything of one's own, nothing of others, and a way to each."""

from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings

from annotation.models import Assignment, Batch, Rating
from annotation.selectors.item_states import ALPHABET, State, item_states, strip_of
from annotation.selectors.work import dialogue_page
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from tests.annotation.test_skipping import events, st
from tests.annotation.work_pages import sign_in, text_of
from tests.factories import make_annotator
from tests.marking import SKIPPING, be_unsure, flag, make_skipping_batch, take_back
from tests.working import record

pytestmark = pytest.mark.django_db


def begin(batch: Batch, name: str = "ann") -> Assignment:
    claimed = claim_seat(make_annotator(batch.study, name), batch, now=timezone.now())
    return Assignment.objects.select_related("batch__study__protocol_version", "participant").get(pk=claimed.pk)


@pytest.fixture
def begun(db: None) -> Assignment:
    return begin(make_skipping_batch())


@pytest.fixture
def client(begun: Assignment) -> Client:
    return sign_in(begun.participant.user)


def answer(assignment: Assignment, item, criterion: str, option: str = "1", text: str = "") -> None:
    record(assignment, Submission(item.token, criterion, Given(option, (), text), uuid4()), now=timezone.now())


def submit_url(assignment: Assignment) -> str:
    return reverse("submit", args=[assignment.token])


# --- the states --------------------------------------------------------------------------------------
def as_on_the_pages(assignment: Assignment) -> dict[str, tuple]:
    """From the steps of every dialogue, one after another."""
    found: dict[str, tuple] = {}
    for position in sorted(set(assignment.batch.items.values_list("position", flat=True))):
        page = dialogue_page(assignment, position)
        by_item: dict = {}
        for step in page.steps:
            for part, question in step.questions:
                by_item.setdefault(part.item.token, []).append((part.number, step.number, question))
        for token, questions in by_item.items():
            wanted = [each.answer.is_saved for *_, each in questions if each.is_asked]
            is_done = all(wanted)
            state = State.DONE if is_done else State.PARTLY if any(wanted) else State.OPEN
            found[str(token)] = (position, questions[0][0], state, [number for _, number, _ in questions])
    return found


@pytest.fixture(scope="module", params=["at_the_end", "between"])
def kept(keep, request: pytest.FixtureRequest) -> Assignment:
    """The question about the dialogue comes after those about its responses, or between them."""
    *others, whole = SKIPPING["criteria"]
    criteria = [*others, whole] if request.param == "at_the_end" else [*others[:2], whole, *others[2:]]
    name = f"kept-{request.param}"
    return keep(lambda: begin(make_skipping_batch(protocol=name, criteria=criteria), name))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(taken=st.lists(events, min_size=1, max_size=20))
def test_states_are_those_of_the_pages_after_any_answers_and_flags(kept: Assignment, taken: list):

    with transaction.atomic():
        items = list(kept.batch.items.order_by("position", "pk"))
        for name, at, *rest in taken:
            if name == "answer":
                key, option = ("whole", rest[1] or "1") if items[at].unit == "dialogue" else rest
                answer(kept, items[at], key, option)
            else:
                (flag if name == "flag" else take_back)(kept, items[at])
        wanted = as_on_the_pages(kept)
        found = {each.token: (each.position, each.number, each.state) for each in item_states(kept)}
        assert found == {token: facts[:3] for token, facts in wanted.items()}
        assert [list(steps) for steps in jumps_of(kept).values()] == [facts[3] for facts in ordered(wanted, found)]
        transaction.set_rollback(True)


def jumps_of(assignment: Assignment) -> dict[tuple[int, int], list[int]]:
    """{(position, place of the item): the steps that ask about it}, as the strip says."""
    strip = strip_of(assignment)
    return {
        (position, at): steps
        for position, shape, letters, *_ in strip["screens"]
        for at, (_unit, steps) in enumerate(strip["shapes"][shape][: len(letters)])
    }


def ordered(wanted: dict, found: dict) -> list:
    return [wanted[token] for token in found]


def test_a_letter_says_what_was_marked_and_changed(begun: Assignment, client: Client):
    item = begun.batch.items.filter(unit="dialogue").order_by("position").first()
    answer(begun, item, "whole", "1")
    answer(begun, item, "whole", "2")
    be_unsure(begun, item)
    flag(begun, item)
    strip = client.get(reverse("work_items", args=[begun.token])).json()
    position, _shape, letters = strip["screens"][0]
    assert position == item.position
    assert ALPHABET.index(letters[-1]) == State.DONE + 4 + 8 + 16
    assert letters[:-1] == "AA"


def test_the_strip_names_no_row_and_no_token_and_says_nothing_of_others(begun: Assignment, client: Client):
    other = begin(begun.batch, "other")
    for item in begun.batch.items.all():
        flag(other, item)
        be_unsure(other, item)
    data = client.get(reverse("work_items", args=[begun.token]))
    assert {letter for _, _, letters in data.json()["screens"] for letter in letters} == {"A"}
    assert not any(str(item.token) in data.text for item in begun.batch.items.all())
    assert sign_in(other.participant.user).get(reverse("work_items", args=[begun.token])).status_code == 404


def test_the_strip_takes_the_same_queries_for_any_batch(begun: Assignment, django_assert_num_queries):
    with django_assert_num_queries(2):
        strip_of(begun)
    for item in begun.batch.items.filter(unit="response"):
        answer(begun, item, "fit", "2")
        flag(begun, item)
    with django_assert_num_queries(2):
        strip_of(begun)


# --- the review --------------------------------------------------------------------------------------
def test_the_review_shows_every_answer_with_reasons_and_what_is_missing(begun: Assignment, client: Client):
    first, second = begun.batch.items.filter(unit="response", position=begun.batch.items.first().position)
    answer(begun, first, "fit", "2")
    answer(begun, first, "why", "1")
    be_unsure(begun, second)
    flag(begun, second, "other", "An advert")
    page = text_of(client.get(submit_url(begun)))
    assert "no answer yet" in page
    assert ">No</strong>" in page
    assert "flagged: Something else" in page
    assert "An advert" in page
    assert first.candidate.text in page
    assert "You can change any answer until you submit." in page


def test_filters_leave_the_items_they_name(begun: Assignment, client: Client):
    first, second, *_ = begun.batch.items.filter(unit="response").order_by("position", "pk")
    for option in "12":
        answer(begun, first, "clear", option)
    be_unsure(begun, second)
    assert shown(client, begun, mark="changed") == {str(first.token)}
    assert shown(client, begun, mark="unsure") == {str(second.token)}
    assert shown(client, begun, mark="flagged") == set()
    assert len(shown(client, begun, mark="missing")) == 6
    assert len(shown(client, begun, criterion="whole")) == 2
    assert shown(client, begun, criterion="why") == set(), "nobody is asked it"
    answer(begun, second, "fit", "2")
    assert shown(client, begun, criterion="why", mark="missing") == {str(second.token)}
    assert len(shown(client, begun, criterion="nonsense", mark="<script>")) == 6


def shown(client: Client, assignment: Assignment, **query: str) -> set[str]:
    return {each.state.token for each in client.get(submit_url(assignment), query).context["items"]}


def test_an_answer_leads_to_its_question_and_back_to_where_one_was(begun: Assignment, client: Client):
    item = begun.batch.items.filter(unit="response").order_by("pk").first()
    answer(begun, item, "fit")
    page = client.get(submit_url(begun), {"criterion": "fit"})
    line = next(each for each in page.context["items"] if each.state.pk == item.pk)
    url = reverse("rate", args=[begun.token, item.position, line.answers[0].step]) + "?review=criterion%3Dfit"
    assert url in page.content.decode()
    screen = client.get(url)
    assert "Back to the review" in screen.content.decode()
    step = dialogue_page(begun, item.position).steps[line.answers[0].step - 1]
    assert step.part.item.token == item.token
    saved = client.post(url, {"fit-option": "2", "form_key": str(uuid4())})
    assert saved.url == f"{submit_url(begun)}?criterion=fit#d-{item.position}"
    assert Rating.objects.get().option.key == "no"


def test_the_way_back_is_never_an_address_from_elsewhere(begun: Assignment, client: Client):
    item = begun.batch.items.first()
    url = reverse("rate", args=[begun.token, item.position, 1])
    for given_ in ("https://evil.example/", "//evil.example", "page=9999999&mark=x&next=//evil", "criterion=%00"):
        saved = client.post(f"{url}?{'review=' + given_}", {"fit-option": "1", "form_key": str(uuid4())})
        assert saved.url.startswith(submit_url(begun))
        assert "evil" not in saved.url


def test_a_long_batch_is_shown_in_pages_with_the_same_number_of_queries():
    n_queries = []
    for n_dialogues in (2, 12):
        long = begin(make_skipping_batch(n_dialogues, version=f"1.{n_dialogues}"), f"ann-{n_dialogues}")
        client = sign_in(long.participant.user)
        client.get(submit_url(long))
        with CaptureQueriesContext(connection) as queries:
            page = client.get(submit_url(long))
        n_queries.append(len(queries))
    assert (len(page.context["items"]), page.context["page"].paginator.num_pages) == (25, 2)
    assert n_queries[0] == n_queries[1]
    assert len(client.get(submit_url(long), {"page": 2}).context["items"]) == 11


def test_hostile_texts_stay_text(begun: Assignment, client: Client):
    item = begun.batch.items.filter(unit="response").first()
    item.candidate.text = "<script>alert(1)</script>"
    item.candidate.save()
    flag(begun, item, "other", "<img src=x onerror=alert(1)>")
    page = client.get(submit_url(begun)).content.decode()
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page
