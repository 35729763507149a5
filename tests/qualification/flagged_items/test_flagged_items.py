"""What the team sees of flagged items, who sees it, and what settling them does."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ActivityLog, Assignment, Item, Rating
from qualification.activity.labels import sentence_of
from qualification.flagged_items.selectors import cards_of, flagged_items
from tests.annotation.work_pages import sign_in, text_of
from tests.cast import Cast
from tests.factories import take_seat
from tests.marking import be_unsure, flag, mark_of, take_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def item(cast: Cast) -> Item:
    return cast.batch.items.order_by("pk").first()


@pytest.fixture
def works(cast: Cast) -> list[Assignment]:
    return [take_seat(annotator, cast.batch) for annotator in cast.annotators]


@pytest.fixture
def lead(cast: Cast) -> Client:
    return sign_in(cast.lead)


def address(name: str, cast: Cast, *more: object) -> str:
    return reverse(name, args=[cast.study.slug, *more])


def test_flags_stand_by_item_with_reasons_words_and_pseudonyms(cast: Cast, lead: Client, works, item):
    flag(works[0], item, "broken", "The end is missing.")
    flag(works[1], item, "broken")
    flag(works[2], item, "personal", "A phone number")
    page = text_of(lead.get(address("quality", cast)))
    assert page.count(f'id="flagged-{item.token}"') == 1
    assert "The text is broken · 2" in page
    assert "3 annotators" in page
    for said in ("The end is missing.", "A phone number", *(each.pseudonym for each in cast.annotators)):
        assert said in page


def test_what_is_taken_back_and_what_is_only_unsure_is_not_listed(cast: Cast, lead: Client, works, item):
    flag(works[0], item)
    take_back(works[0], item)
    be_unsure(works[1], item)
    assert not flagged_items(cast.study, is_open=True).exists()
    assert "There are no flagged items to settle." in text_of(lead.get(address("flagged_items", cast)))


def test_the_list_refreshes_when_something_is_new_and_else_says_nothing(cast: Cast, lead: Client, works, item):
    url = address("flagged_fragment", cast)
    stamp = lead.get(url).context["flag_stamp"]
    assert lead.get(url, {"v": stamp}).status_code == 204
    flag(works[0], item)
    changed = lead.get(url, {"v": stamp})
    assert (changed.status_code, str(item.token) in text_of(changed)) == (200, True)
    assert lead.get(url, {"v": changed.context["flag_stamp"]}).status_code == 204


def test_a_lead_settles_the_flags_of_an_item_with_a_note_which_is_logged(cast: Cast, lead: Client, works, item):
    flag(works[0], item, "other", "An advert")
    upto = cards_of([item])[0].upto
    answer = lead.post(address("flagged_item", cast, item.token), {"note": "Left in, it is real.", "upto": upto})
    assert answer.status_code == 302
    mark = mark_of(works[0], item)
    assert (mark.seen_by, mark.seen_note) == (cast.lead, "Left in, it is real.")
    assert not flagged_items(cast.study, is_open=True).exists()
    line = ActivityLog.objects.get(verb="item_flag_seen")
    assert (line.actor, line.object, line.details["n"]) == (cast.lead, item.dialogue.key, 1)
    assert "Left in, it is real." in sentence_of(line)
    assert not Rating.objects.exists()
    assert "Left in, it is real." in text_of(lead.get(address("flagged_item", cast, item.token)))


def test_a_flag_that_came_after_the_page_was_opened_stays_open(cast: Cast, lead: Client, works, item):
    flag(works[0], item)
    upto = cards_of([item])[0].upto
    flag(works[1], item, "offensive")
    lead.post(address("flagged_item", cast, item.token), {"note": "Seen.", "upto": upto})
    assert mark_of(works[0], item).seen_at is not None
    assert mark_of(works[1], item).seen_at is None


def test_a_flag_that_changes_after_it_was_settled_is_open_again(cast: Cast, lead: Client, works, item):
    flag(works[0], item)
    lead.post(address("flagged_item", cast, item.token), {"note": "Seen.", "upto": cards_of([item])[0].upto})
    flag(works[0], item, "personal")
    assert list(flagged_items(cast.study, is_open=True)) == [item]


def test_settling_twice_is_refused_and_says_why(cast: Cast, lead: Client, works, item):
    flag(works[0], item)
    body = {"note": "Seen.", "upto": cards_of([item])[0].upto}
    lead.post(address("flagged_item", cast, item.token), body)
    again = lead.post(address("flagged_item", cast, item.token), body | {"note": "Again."}, follow=True)
    assert "have been settled or taken back since" in text_of(again)
    assert mark_of(works[0], item).seen_note == "Seen."


def test_settling_needs_a_note(cast: Cast, lead: Client, works, item):
    flag(works[0], item)
    answer = lead.post(address("flagged_item", cast, item.token), {"note": " ", "upto": 10**6})
    assert answer.status_code == 422
    assert mark_of(works[0], item).seen_at is None


def test_the_page_shows_the_dialogue_and_not_its_source(cast: Cast, lead: Client, works, item):
    flag(works[0], item)
    page = text_of(lead.get(address("flagged_item", cast, item.token)))
    assert item.candidate.text in page
    assert "You told me about the exam in June." in page
    assert item.source.name not in page


def test_an_item_that_nobody_flagged_is_not_found(cast: Cast, lead: Client, works, item):
    be_unsure(works[0], item)
    assert lead.get(address("flagged_item", cast, item.token)).status_code == 404


def test_who_checks_labels_blind_sees_how_many_flags_there_are_and_none_of_them(cast: Cast, works, item):
    flag(works[0], item, "other", "An advert")
    page = text_of(sign_in(cast.controller).get(address("quality", cast)))
    assert "1 flagged item to settle" in page
    assert "An advert" not in page
    assert str(item.token) not in page


def test_an_observer_sees_flags_and_cannot_settle_them(cast: Cast, works, item):
    flag(works[0], item, "other", "An advert")
    observer = sign_in(cast.observer)
    page = text_of(observer.get(address("flagged_item", cast, item.token)))
    assert "An advert" in page
    assert "Settle the flags" not in page
    assert observer.post(address("flagged_item", cast, item.token), {"note": "x", "upto": 9}).status_code == 403


def test_the_number_of_queries_does_not_grow_with_the_flags(cast: Cast, works, django_assert_num_queries):
    items = list(cast.batch.items.order_by("pk"))
    flag(works[0], items[0])
    with django_assert_num_queries(2):
        cards_of(items[:1])
    for work in works:
        for each in items:
            flag(work, each)
    with django_assert_num_queries(2):
        assert len(cards_of(items)) == len(items)


def test_hostile_words_stay_text(cast: Cast, lead: Client, works, item):
    flag(works[0], item, "other", "<script>alert(1)</script>")
    assert "<script>alert(1)" not in lead.get(address("quality", cast)).content.decode()
