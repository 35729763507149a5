"""Read a step posted as a plain form, and rebuild the step if something is wrong."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace

from django.http import QueryDict

from annotation.services.rating import Submission
from annotation.steps import AskedCriterion, ItemOnScreen, SavedAnswer, Step
from protocols.answers import Given

LONGEST_CODE = 8
NO_FORM = uuid.UUID(int=0)
Answers = Mapping[str, SavedAnswer]  # by the names of the questions
Errors = Mapping[str, Mapping[str, str]]


def posted_answers(step: Step, data: QueryDict) -> dict[str, SavedAnswer]:
    """Return answers by question name. Only fields of the chosen option count, not a hidden text of another one."""
    return {question.name: _answer(question, data) for _, question in step.questions}


def _answer(question: AskedCriterion, data: QueryDict) -> SavedAnswer:
    """Return the answer. Where reasons can be ticked, a text counts only if “Other” is ticked."""
    name = question.name
    option = data.get(f"{name}-option", "")[:LONGEST_CODE]
    chosen = question.criterion.option(option)
    is_other = f"{name}-other-{option}" in data
    is_written = is_other or not (chosen and chosen.explanations)
    return SavedAnswer(
        option=option,
        explanations=frozenset(data.getlist(f"{name}-explanations-{option}")),
        free_text=data.get(f"{name}-text-{option}", "") if is_written else "",
        is_other=is_other,
        options=frozenset(data.getlist(f"{name}-options")),
        turns=frozenset(int(turn) for turn in data.getlist(f"{name}-turns") if turn.isdecimal() and len(turn) < 6),
    )


def asked_now(step: Step, answers: Answers) -> Iterator[tuple[ItemOnScreen, AskedCriterion]]:
    """Yield the questions that are asked given the posted answers: a dependent one by what was chosen above it."""
    for part in step.parts:
        codes = {question.criterion.key: answers[question.name].option for question in part.questions}
        for question in part.questions:
            parent, _, wanted = question.when.partition(":")
            if codes[parent] in wanted.split(",") if parent in codes else question.is_asked:
                yield part, question
            else:
                codes[question.criterion.key] = ""  # counts as none: what depends on it is not asked either


def is_empty(answer: SavedAnswer) -> bool:
    return not (answer.option or answer.options or answer.turns)


def submission(part: ItemOnScreen, question: AskedCriterion, answer: SavedAnswer, data: QueryDict) -> Submission:
    """Return the submission. Its key is made from form and answer: a double press is one answer, a change another."""
    chosen = [sorted(each) for each in (answer.explanations, answer.options, answer.turns)]
    said = f"{question.name}|{answer.option}|{chosen}|{answer.free_text}"
    return Submission(
        item=part.item.token,
        criterion=question.criterion.key,
        given=Given(
            answer.option,
            tuple(answer.explanations),
            answer.free_text,
            other=answer.is_other,
            options=tuple(answer.options),
            turns=tuple(answer.turns),
        ),
        client_key=uuid.uuid5(form_key(data), said.encode("utf-8", "replace").decode()),
        protocol=data.get("protocol", "")[:12],
    )


def form_key(data: QueryDict) -> uuid.UUID:
    try:
        return uuid.UUID(data.get("form_key", ""))
    except ValueError:
        return NO_FORM


def with_errors(step: Step, answers: Answers, errors: Errors) -> Step:
    """Return the step as the annotator left it, with errors beside their fields. Questions with errors are asked."""
    parts = []
    for part in step.parts:
        questions = []
        for each in part.questions:
            found = errors.get(each.name, {})
            is_asked = each.is_asked or bool(found)
            questions.append(replace(each, answer=answers[each.name], errors=found, is_asked=is_asked))
        parts.append(replace(part, questions=tuple(questions)))
    return replace(step, parts=tuple(parts))
