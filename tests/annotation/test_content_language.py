"""The language of a protocol's texts: chosen for a study, apart from that of the pages."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from annotation.services.claiming import claim_seat
from annotation.services.moving import move_study
from annotation.services.studies import update_study
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.factories import MembershipFactory, make_annotator
from tests.shipped import NOW, Work

DIALOGUE_HIT = BUILTIN / "dialogue-hit-1.0.yaml"
ITALIAN = {
    "notices": [],
    "guidelines_short": "Leggi **tutto**.",
    "criteria": {"fluency": {"name": "Scorrevolezza", "question": "Quanto è scorrevole?"}},
}


def in_italian(**changes: object) -> dict:
    """A shipped protocol with some of its texts in Italian."""
    doc = load_bundle(DIALOGUE_HIT)
    texts = ITALIAN | {"criteria": {doc["criteria"][0]["key"]: ITALIAN["criteria"]["fluency"]}}
    texts["notices"] = ["Un avviso."] * len(doc["notices"])
    return {"translations": {"it": texts}} | changes


@pytest.fixture
def work(db) -> Work:
    return Work("dialogue-hit-1.0", n_sources=1, **in_italian())


@pytest.fixture
def rating(client: Client, work: Work):
    """The first page of the annotator's work, in a language of the pages."""
    client.force_login(work.participant.user)

    def page(language: str = "en") -> str:
        answer = client.get(
            reverse("rate_start", args=[work.assignment.token]), follow=True, headers={"accept-language": language}
        )
        return answer.content.decode()

    return page


def test_a_study_shows_the_main_language_unless_another_is_chosen(work: Work, rating):
    page = rating()

    assert "Scorrevolezza" not in page
    assert 'class="untranslated"' not in page


def test_annotators_read_the_language_of_the_study_whatever_that_of_the_pages(work: Work, rating):
    update_study(work.study, content_language="it", now=NOW)

    for language, save in (("en", "Save and continue"), ("it", "Salva e continua"), ("zh-CN", "保存")):
        page = rating(language)
        for text in ("Scorrevolezza", "Quanto è scorrevole?", "<strong>tutto</strong>", save):
            assert text in page
        assert f'<html lang="{language.replace("zh-CN", "zh-hans")}"' in page


def test_what_is_not_translated_is_marked_with_its_language(work: Work, rating):
    update_study(work.study, content_language="it", now=NOW)
    second = work.spec.criteria[1].name

    assert f'lang="en" title="Not translated: this is the text in the protocol&#x27;s main language.">{second}' in (
        rating()
    )


def test_the_guidelines_follow_too(client: Client, work: Work):
    update_study(work.study, content_language="it", now=NOW)
    client.force_login(work.participant.user)

    page = client.get(reverse("guidelines", args=[work.study.slug])).content.decode()

    assert "Quanto è scorrevole?" in page
    assert 'class="guidelines-text" lang="it"' in page


def test_answers_are_the_same_in_every_language(work: Work):
    item = work.items("response")[0]
    update_study(work.study, content_language="it", now=NOW)
    work.answer(item, work.spec.criteria[0].key, work.spec.criteria[0].options[0].key)

    assert work.study.batches.get().items.get(pk=item.pk).ratings.get().option_id == work.spec.criteria[0].options[0].id


# --- choosing ------------------------------------------------------------------------------------------
def test_a_language_the_protocol_lacks_is_refused_by_name(work: Work):
    with pytest.raises(ValidationError, match="Choose one of: en, it"):
        update_study(work.study, content_language="fr", now=NOW)


def test_the_language_is_fixed_with_the_first_answer(work: Work):
    work.answer(work.items("response")[0], work.spec.criteria[0].key, work.spec.criteria[0].options[0].key)

    with pytest.raises(ValidationError, match="a question in different words is a different question"):
        update_study(work.study, content_language="it", now=NOW)
    update_study(work.study, content_language="", name="Another name", now=NOW)


def test_the_settings_offer_the_languages_of_the_protocol(client: Client, work: Work):
    client.force_login(MembershipFactory(study=work.study, role="owner").user)
    url = reverse("study_settings", args=[work.study.slug])

    page = client.get(url).content.decode()

    assert '<option value="it">italiano</option>' in page
    assert '<option value="" selected>English</option>' in page


def test_a_study_whose_protocol_has_one_language_is_not_asked(client: Client, cast):
    client.force_login(cast.owner)

    page = client.get(reverse("study_settings", args=[cast.study.slug])).content.decode()

    assert 'name="content_language"' not in page


def test_a_move_to_a_version_without_the_language_goes_back_to_the_main_one(work: Work):
    update_study(work.study, content_language="it", now=NOW)
    bare = load_bundle(DIALOGUE_HIT) | {"version": "2.0"}
    version = store_bundle(bare, publish=True, now=NOW)[0]

    move_study(work.study, version, now=NOW)

    assert Study.objects.get(pk=work.study.pk).content_language == ""


def test_a_preview_shows_a_language_that_is_asked_for(client: Client, work: Work):
    client.force_login(MembershipFactory(user__is_staff=True).user)
    version = work.study.protocol_version
    url = reverse("protocol_preview", args=[version.protocol.slug, version.version])

    assert "Scorrevolezza" in client.get(url, {"language": "it"}).content.decode()
    assert "Scorrevolezza" not in client.get(url, {"language": "xx"}).content.decode()


# --- times ---------------------------------------------------------------------------------------------
def test_a_study_may_set_its_own_times(work: Work):
    protocol = work.study.protocol_version
    assert (work.study.minutes_expected, work.study.minutes_at_most) == (
        protocol.expected_minutes,
        protocol.max_minutes,
    )

    study = update_study(work.study, expected_minutes=7, max_minutes=20, now=NOW)

    assert (study.minutes_expected, study.minutes_at_most) == (7, 20)
    assignment = claim_seat(make_annotator(study, "ben"), study.batches.get(), now=NOW)
    assert assignment.seat.lease_expires_at - NOW == timedelta(minutes=20)


def test_a_batch_cannot_be_expected_to_take_longer_than_its_seat_is_held(work: Work):
    with pytest.raises(ValidationError, match="cannot exceed its maximum time of 20 minutes"):
        update_study(work.study, expected_minutes=30, max_minutes=20, now=NOW)
