"""A step that nobody has touched is made once. What is kept shows the same as what is made anew, and nobody else's."""

import re
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.templatetags import questions
from protocols.selectors import builtin_bundles
from tests.shipped import Work

pytestmark = pytest.mark.django_db
OWN = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"|name="form_key" value="[^"]+"')


def fragment(work: Work, position: int, language: str = "en") -> str:
    """As the browser fetches it; what is drawn anew for each request is left out, and so is white space."""
    client = Client(headers={"accept-language": language})
    client.force_login(work.participant.user)
    response = client.get(reverse("rate_dialogue", args=[work.assignment.token, position]))
    assert response.status_code == 200
    html = response.text
    return re.sub(r"\s+", " ", OWN.sub("", html)).replace("> <", "><")


def anew(monkeypatch, work: Work, position: int, language: str = "en") -> str:
    with monkeypatch.context() as patched:
        patched.setattr(questions, "_is_stored", lambda context: False)
        return fragment(work, position, language)


@pytest.fixture(autouse=True)
def nothing_kept():
    questions._kept.clear()
    yield
    questions._kept.clear()
    translation.activate("en")


@pytest.mark.parametrize("bundle", [path.stem for path in builtin_bundles()])
def test_a_kept_step_is_the_step(monkeypatch, bundle: str):
    work = Work(bundle, n_sources=2)
    for position in sorted(set(work.batch.items.values_list("position", flat=True))) * 2:
        assert fragment(work, position) == anew(monkeypatch, work, position)


def test_each_step_is_about_its_own_item():
    work = Work("dialogue-hit-1.0", n_sources=2)
    first, second = (fragment(work, position) for position in (1, 2))
    for position, shown in enumerate((first, second), start=1):
        tokens = work.batch.items.filter(position=position).values_list("token", flat=True)
        assert set(re.findall('data-item="([^"]+)"', shown)) == set(map(str, tokens))
    assert "\0" not in first + second


def test_a_form_key_is_drawn_for_each_request():
    work = Work("he-protocol-1.0", n_sources=2)
    client = Client()
    client.force_login(work.participant.user)
    url = reverse("rate_dialogue", args=[work.assignment.token, 1])
    keys = [set(re.findall('name="form_key" value="([^"]+)"', client.get(url).text)) for _ in range(2)]
    assert all(len(each) == 1 and UUID(*each) for each in keys)
    assert keys[0] != keys[1]


def test_each_language_has_its_own(monkeypatch):
    work = Work("he-protocol-1.0", n_sources=2)
    shown = [fragment(work, 1, language) for language in ("en", "it", "en", "it")]
    assert shown[0] == shown[2] != shown[1] == shown[3]
    assert shown[1] == anew(monkeypatch, work, 1, "it")


def test_an_answered_step_shows_its_answer_and_no_other_does():
    work = Work("three-point-coherence-1.0", n_sources=2)
    fragment(work, 1)
    criterion = work.spec.criteria[0]
    option = next(each for each in criterion.options if each.asks == "nothing")
    work.answer(next(each for each in work.items("response") if each.position == 1), criterion.key, option.key)
    assert fragment(work, 1).count("data-answered") == 1
    assert "data-answered" not in fragment(work, 2)
