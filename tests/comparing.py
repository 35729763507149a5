"""A protocol that compares two candidates, a study that uses it, and what is read off it."""

from collections import Counter
from uuid import uuid4

from annotation.models import Candidate, Dialogue
from annotation.selectors.comparisons import pairs_of_batch
from annotation.services.agreement import refresh_batch
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from protocols.services import store_bundle
from tests.clock import NOW
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory, make_annotator
from tests.working import record

COMPARED = {
    "bundle": 1,
    "protocol": "pairs",
    "name": "Pairs",
    "version": "1.0",
    "unit": "comparison",
    "mode": "comparative",
    "order": "item_first",
    "guidelines_short": "Read both.",
    "guidelines": "Read both, then choose.",
    "criteria": [
        {
            "key": "better",
            "name": "Better",
            "question": "Which response is better?",
            "options": [
                {"key": "much-left", "label": "Much better on the left", "role": "left"},
                {"key": "left", "label": "Better on the left", "role": "left"},
                {"key": "equal", "label": "Both are equal", "role": "equal"},
                {"key": "right", "label": "Better on the right", "role": "right"},
                {"key": "much-right", "label": "Much better on the right", "role": "right"},
                {"key": "bad", "label": "Both are bad", "role": "both_bad"},
                {"key": "unsure", "label": "I don't know", "role": "unsure"},
            ],
            "examples": [
                {
                    "title": "A greeting",
                    "history": [{"speaker": "A", "text": "Good morning!"}],
                    "candidates": [{"text": "Good morning, did you sleep well?"}, {"text": "No."}],
                    "option": "much-left",
                    "why": "The left one answers, the right one does not.",
                }
            ],
        }
    ],
}


def make_study(n_dialogues=4, n_sources=3, *, seats=3, version=None, **fields):
    """A study that compares; its dialogues and candidates are there, and nothing is dealt."""
    version = version or store_bundle(COMPARED, publish=True, now=NOW)[0]
    study = StudyFactory(protocol_version=version, seats=seats, **fields)
    sources = [
        SourceFactory(study=study, key=f"model-{letter}", name=f"Model {letter.upper()}", position=place)
        for place, letter in enumerate("abcdefgh"[:n_sources])
    ]
    for number in range(n_dialogues):
        add_dialogue(study, sources, f"d{number}", number)
    return study


def add_dialogue(study, sources, key, position, **fields):
    dialogue = DialogueFactory(study=study, key=key, position=position, **fields)
    for source in sources:
        CandidateFactory(dialogue=dialogue, source=source, key=source.key, text=f"An answer to {key}, no. {source.pk}.")
    return dialogue


def make_scenarios(n_scenarios=4, n_sources=3, **fields):
    """A study whose whole dialogues are compared: one of each source in each scenario; nothing is dealt."""
    study = make_study(0, n_sources, **fields)
    for number in range(n_scenarios):
        for source in study.sources.all():
            add_whole(study, source, number)
    return study


def add_whole(study, source, number, **fields):
    key, letter = f"w{number}-{source.key}", source.key[-1]
    turns = [
        {"speaker": "User", "text": f"Question {number}?"},
        {"speaker": "Bot", "text": f"Answer {number}, told in the {letter} way."},
    ]
    values = {"key": key, "conversation": key, "scenario": f"s{number}", "turns": turns} | fields
    return DialogueFactory(study=study, source=source, position=study.dialogues.count(), **values)


def deal(study, *, size=100, **how):
    batches = make_batches(study, by="size", size=size, now=NOW, **how)
    for batch in batches:
        batch.status = batch.Status.OPEN
        batch.save()
    return batches


def sides_of(assignment):
    """{item: (source on the left, source on the right)} as the annotator sees it, without repetitions."""
    pairs = pairs_of_batch(assignment.batch_id)
    swapped = set(assignment.swapped)
    return {item: pair[::-1] if item in swapped else pair for item, pair in pairs.items()}


def leanings(assignments):
    found = Counter()
    for assignment in assignments:
        for left, right in sides_of(assignment).values():
            found[left] += 1
            found[right] -= 1
    return found


def press(work, item, code):
    record(work, Submission(item.token, "better", Given(code), uuid4()), now=NOW)


def prefer(work, item, source_id):
    """Press the side on which the source stands."""
    left, _right = sides_of(work)[item.pk]
    press(work, item, "2" if left == source_id else "4")


def make_compared(**fields):
    """Three people over three dialogues and three sources: all prefer model A, and two press left otherwise."""
    study = make_study(3, 3, **fields)
    Candidate.objects.filter(dialogue__key="d2", source__key__in=["model-b", "model-c"]).update(text="Same.")
    return rate_compared(study)


def make_compared_dialogues(**fields):
    """The same answers as make_compared has, about whole dialogues in three scenarios."""
    study = make_scenarios(3, 3, **fields)
    same = Dialogue.objects.filter(scenario="s2", source__key__in=["model-b", "model-c"])
    same.update(turns=[{"speaker": "User", "text": "Same?"}, {"speaker": "Bot", "text": "Same."}])
    return rate_compared(study)


def rate_compared(study):
    (batch,) = deal(study, repeat_percent=50)
    best = study.sources.get(key="model-a").pk
    for at in range(3):
        work = claim_seat(make_annotator(study, f"person-{at}"), batch, now=NOW)
        for item in batch.items.filter(is_check=False):
            if best in sides_of(work)[item.pk]:
                prefer(work, item, best)
            else:
                press(work, item, ("2", "2", "3")[at])
        for item in batch.items.filter(is_check=True).select_related("repeats"):
            press(work, item, "2")
    refresh_batch(batch.pk, now=NOW)
    return study
