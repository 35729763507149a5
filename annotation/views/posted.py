"""A step posted as a plain form: what it says, and what it becomes when something is wrong."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from django.http import QueryDict

from annotation.services.rating import Submission
from annotation.steps import Question, SavedAnswer, Step

LONGEST_CODE = 8
NO_FORM = uuid.UUID(int=0)


def posted_answers(step: Step, data: QueryDict) -> dict[str, SavedAnswer]:
    """By criterion key. Only what belongs to the chosen option counts: a hidden text of another one does not."""
    return {question.criterion.key: _answer(question.criterion.key, data) for question in step.questions}


def _answer(key: str, data: QueryDict) -> SavedAnswer:
    option = data.get(f"{key}-option", "")[:LONGEST_CODE]
    codes = frozenset(data.getlist(f"{key}-explanations-{option}"))
    return SavedAnswer(option, codes, data.get(f"{key}-text-{option}", ""))


def submission(step: Step, key: str, answer: SavedAnswer, data: QueryDict) -> Submission:
    """The key comes from the form and the answer: a double press is one answer, a changed one is another."""
    said = f"{key}|{answer.option}|{sorted(answer.explanations)}|{answer.free_text}"
    return Submission(
        item=step.item.token,
        criterion=key,
        option=answer.option,
        explanations=tuple(answer.explanations),
        free_text=answer.free_text,
        client_key=uuid.uuid5(_form_key(data), said.encode("utf-8", "replace").decode()),
    )


def _form_key(data: QueryDict) -> uuid.UUID:
    try:
        return uuid.UUID(data.get("form_key", ""))
    except ValueError:
        return NO_FORM


def with_errors(step: Step, answers: Mapping[str, SavedAnswer], errors: Mapping[str, Mapping[str, str]]) -> Step:
    """The same step as the annotator left it, each sentence beside its field."""
    questions = tuple(_with_errors(question, answers, errors) for question in step.questions)
    return replace(step, questions=questions)


def _with_errors(
    question: Question, answers: Mapping[str, SavedAnswer], errors: Mapping[str, Mapping[str, str]]
) -> Question:
    key = question.criterion.key
    return replace(question, answer=answers[key], errors=errors.get(key, {}))
