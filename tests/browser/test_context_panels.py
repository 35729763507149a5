"""Context panels on the rating screen: open where there is room, and always above the response they belong to."""

import pytest
from playwright.sync_api import expect

from annotation.models import Candidate, Dialogue
from tests.browser.helpers import LOOKS
from tests.browser.rating import begin
from tests.cast import Cast
from tests.factories import take_seat

pytestmark = pytest.mark.django_db(transaction=True)


@LOOKS
def test_a_fact_is_read_above_its_response_and_an_article_beside_the_dialogue(
    open_screen, cast: Cast, width: int, scheme: str
):
    Dialogue.objects.filter(study=cast.study).update(context=[{"title": "Article", "text": "Bees live in colonies."}])
    for candidate in Candidate.objects.filter(dialogue__study=cast.study):
        candidate.context = [{"title": "Knowledge", "text": f"Fact about: {candidate.text}"}]
        candidate.save()
    screen = open_screen(cast.annotator.user, width=width, color_scheme=scheme)
    begin(screen, take_seat(cast.annotator, cast.batch))
    shown = screen.page.locator(".judged:visible")
    response = shown.locator(".turn.next p").inner_text()
    fact = shown.get_by_text(f"Fact about: {response}", exact=True)
    expect(fact).to_be_in_viewport(ratio=1)
    assert fact.bounding_box()["y"] < shown.locator(".turn.next").bounding_box()["y"]
    article = screen.page.get_by_text("Bees live in colonies.")
    if width < 1000:
        expect(article).to_be_hidden()
        screen.page.get_by_text("Article", exact=True).click()
    expect(article).to_be_in_viewport(ratio=1)
    assert screen.barriers() == ""
