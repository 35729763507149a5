"""An annotator's browser is sent nothing that tells a check from another dialogue."""

import html
import re

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Assignment, Candidate, Dialogue, Item
from annotation.services.claiming import claim_seat
from qualification.checks.services.inserting import insert_checks
from tests.cast import Cast
from tests.factories import make_batch
from tests.qualification.checks.factories import CheckPlanFactory, make_checks

pytestmark = pytest.mark.django_db
TOKEN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SECRETS = re.compile(r"""(name="csrfmiddlewaretoken" value=|csrftoken=|nonce[-=]"?)"?[\w-]+""")
NUMBERS = re.compile(r"\d+")
WORDS = ("check", "gold", "attention", "known")


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    batch = make_batch(cast.study, 6, position=3, key="six")
    make_checks(cast.study, 1)
    make_checks(cast.study, 1, kind="attention")
    CheckPlanFactory(study=cast.study, gold_percent=10, attention_percent=10)
    insert_checks(cast.study, by=None, now=timezone.now())
    Dialogue.objects.filter(study=cast.study).update(turns=[{"speaker": "A", "text": "zzturn"}])
    Candidate.objects.filter(dialogue__study=cast.study).update(text="zzresponse")
    return claim_seat(cast.annotator, batch, now=timezone.now())


def shape_of(page: str) -> str:
    """A page without tokens, numbers and the texts of dialogues, which these tests have made the same."""
    return NUMBERS.sub("0", SECRETS.sub("secret", TOKEN.sub("token", html.unescape(page))))


def middle_positions(assignment: Assignment, *, is_check: bool) -> list[int]:
    """Neither the first nor the last dialogue: those lack a link backward or forward."""
    items = Item.objects.filter(batch=assignment.batch)
    places = sorted(set(items.values_list("position", flat=True)))
    return sorted(set(items.filter(is_check=is_check, position__in=places[1:-1]).values_list("position", flat=True)))


@pytest.mark.parametrize("address", ["/work/{token}/{position}/", "/work/{token}/{position}/1/"])
def test_the_pages_of_a_check_and_of_another_dialogue_differ_in_their_texts_only(
    cast: Cast, assignment: Assignment, address: str
):
    client = Client()
    client.force_login(cast.annotator.user)

    def shapes(is_check: bool) -> set[str]:
        urls = [
            address.format(token=assignment.token, position=position)
            for position in middle_positions(assignment, is_check=is_check)
        ]
        answers = [client.get(url) for url in urls]
        assert {answer.status_code for answer in answers} == {200}
        return {shape_of(f"{answer.headers} {answer.content.decode()}") for answer in answers}

    checks, others = shapes(True), shapes(False)
    assert checks
    assert checks == others
    assert len(others) == 1


def test_no_page_of_the_work_says_that_there_are_checks(cast: Cast, assignment: Assignment):
    client = Client()
    client.force_login(cast.annotator.user)
    urls = ["/work/", f"/work/{assignment.token}/submit/", f"/work/{assignment.token}/"]
    urls += [f"/work/{assignment.token}/{position}/{step}/" for position in range(8) for step in (1, 5)]
    pages = [client.get(url, follow=True).content.decode() for url in urls]

    visible = [re.sub(r"<[^>]*>", " ", page).lower() for page in pages]
    assert not [word for page in visible for word in WORDS if re.search(rf"\b{word}s?\b", page)]
    marked = [re.findall(r"(?:is|data|class)[-_](?:check|gold|attention)\w*", page) for page in pages]
    assert not any(marked)


def test_the_progress_bar_counts_checks_like_all_others(cast: Cast, assignment: Assignment):
    client = Client()
    client.force_login(cast.annotator.user)

    page = client.get(f"/work/{assignment.token}/0/1/").content.decode()

    assert f'data-steps="{8 * 3 * 4}"' in page
