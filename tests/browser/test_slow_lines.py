"""A page that arrives in parts shows the same as one that arrives at once."""

import pytest

from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, step
from tests.browser.slow_line import slow_line
from tests.shipped import Work

pytestmark = pytest.mark.django_db(transaction=True)
ANSWER = b'<div class="option">'


@pytest.mark.parametrize("n_first", [1, 5, 6])
def test_every_answer_is_drawn_when_some_arrive_after_the_others(open_screen, live_server, n_first: int):
    work = Work("dialogue-questionnaire-1.0", 1)
    page = begin(open_screen(work.participant.user, width=375, height=740), work.assignment)
    answers = step(page).locator("fieldset[data-active] .choice")
    at_once = [each.bounding_box() for each in answers.all()]
    assert len(at_once) == 7
    with slow_line(live_server.url, ANSWER, n_first) as line:
        page.goto(page.url.replace(live_server.url, line.url), wait_until="commit")
        page.wait_for_function("n => document.querySelectorAll('.option').length === n", arg=n_first)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        line.go.set()
        wait_for_step(page)
        assert [each.bounding_box() for each in answers.all()] == at_once
