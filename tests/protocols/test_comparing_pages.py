"""Two versions beside each other: what changes what is measured, and what is wording."""

import pytest
from django.urls import reverse

from protocols.models import Option, ProtocolVersion
from protocols.services import (
    new_draft,
    store_bundle,
)
from tests.protocols.conftest import NOW
from tests.protocols.pages import text_of


def changed(version, **criterion):
    draft = new_draft(version, version_name="1.1", now=NOW)
    draft.criteria.update(**criterion)
    return draft


def compare(client, a="small@1.0", b="small@1.1"):
    return text_of(client.get(reverse("protocol_compare"), {"a": a, "b": b}))


def test_a_change_of_the_question_changes_what_is_measured(staff, frozen):
    changed(frozen, question="Does it suit?")
    page = compare(staff)
    assert "<strong>1 change affects what is measured</strong>" in page
    assert "<del>fit</del>" in page
    assert "<ins>suit</ins>" in page
    assert "Changes what is measured</h4>" in page
    assert "Wording only</h4>" not in page


def test_a_change_of_the_name_is_wording(staff, frozen):
    changed(frozen, name="Fitness", definition="New.")
    page = compare(staff)
    assert "<strong>What is measured stays the same: 2 wording changes.</strong>" in page
    assert "Questions, answers and scales are the same" in page
    assert "Changes what is measured</h4>" not in page


def test_changes_are_grouped_by_question_option_and_example(staff, frozen):
    draft = changed(frozen, scale="ordinal")
    Option.objects.filter(criterion__version=draft, key="yes").update(label="Sure", value=1)
    draft.criteria.get().examples.update(why="x")
    draft.criteria.get().options.get(key="no").explanations.update(text="It tires.")
    ProtocolVersion.objects.filter(pk=draft.pk).update(welcome="Hello", translations={"it": {"name": "Piccolo"}})
    page = compare(staff)
    for heading in ("The protocol as a whole", "Settings and texts", "Translation: it", "The question itself",
                    "Option: Sure (yes)", "Option: No (no)", "Example: A greeting"):  # fmt: skip
        assert heading in page, heading
    assert "Explanations › dull › text" in page


def test_unchanged_questions_are_folded(staff, small):
    small["criteria"].append(small["criteria"][0] | {"key": "tone", "name": "Tone", "question": "Is it kind?"})
    version, _ = store_bundle(small, publish=True, now=NOW)
    new_draft(version, version_name="1.1", now=NOW).criteria.filter(key="tone").update(question="Is it warm?")
    page = compare(staff)
    folded = page[page.index("Unchanged: 1 question") :]
    assert "Does it fit?" in folded
    assert "Does it fit?" not in page[: page.index("Unchanged: 1 question")]


def test_questions_that_came_went_and_moved_are_told(staff, small):
    more = [small["criteria"][0] | {"key": key, "name": key, "question": f"{key}?"} for key in ("b", "c")]
    store_bundle(small | {"criteria": small["criteria"] + more}, publish=True, now=NOW)
    added = more[0] | {"key": "d", "name": "d"}
    store_bundle(small | {"version": "1.1", "criteria": [more[0], *small["criteria"], added]}, publish=True, now=NOW)
    page = compare(staff)
    for kind in ("added", "removed", "moved"):
        assert f'<span class="badge">{kind}</span>' in page
    assert "Everything" in page


def test_titles_with_dots_and_quotes_that_repeat_are_told_apart(staff, small):
    example = small["criteria"][0]["examples"][0] | {"title": 'A "dotted. title'}
    small["criteria"][0]["examples"] = [example, example]
    version, _ = store_bundle(small, publish=True, now=NOW)
    draft = new_draft(version, version_name="1.1", now=NOW)
    draft.criteria.get().examples.filter(position=2).update(why="Because.")
    assert "Example: A &quot;dotted. title #2" in compare(staff)


def test_the_same_twice_differs_in_nothing(staff, frozen):
    assert "Identical except for the key and the version" in compare(staff, b="small@1.0")


def test_a_draft_with_faults_can_be_compared(staff, frozen):
    changed(frozen, question="")
    assert "1 change affects" in compare(staff)


@pytest.mark.parametrize("query", [{"a": "small@1.0"}, {"a": "small@1.0", "b": "none@1"}, {"a": "\x00", "b": "@"}])
def test_versions_that_do_not_exist_can_be_chosen_again(staff, frozen, query):
    answer = staff.get(reverse("protocol_compare"), query)
    assert answer.status_code == 404
    assert "<select" in text_of(answer)
