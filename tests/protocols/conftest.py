import copy
from datetime import UTC, datetime

import pytest
from django.test import Client

from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.factories import UserFactory

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SMALL = {
    "bundle": 1,
    "protocol": "small",
    "name": "Small protocol",
    "version": "1.0",
    "criteria": [
        {
            "key": "fit",
            "name": "Fit",
            "question": "Does it fit?",
            "options": [
                {"key": "yes", "label": "Yes", "role": "positive"},
                {
                    "key": "no",
                    "label": "No",
                    "role": "negative",
                    "asks": "explanation",
                    "explanations": [{"key": "dull", "text": "It bores.", "sub_dimension": "Dullness"}],
                },
            ],
            "examples": [
                {
                    "title": "A greeting",
                    "history": [{"speaker": "A", "text": "Hello"}],
                    "candidates": [{"text": "Hello there", "option": "yes", "why": "It greets back."}],
                }
            ],
        }
    ],
}


@pytest.fixture
def small():
    return copy.deepcopy(SMALL)


@pytest.fixture(scope="session")
def he_bundle():
    return load_bundle(BUILTIN / "he-protocol-1.0.yaml")


@pytest.fixture
def frozen(db, small):
    """A published version."""
    return store_bundle(small, publish=True, now=NOW)[0]


@pytest.fixture
def draft(db, small):
    return store_bundle(small, publish=False, now=NOW)[0]


def by_key(doc):
    return {criterion["key"]: criterion for criterion in doc["criteria"]}


def in_order(criterion, *names):
    return [tuple(option.get(name) for name in names) for option in criterion["options"]]


def visible_texts(doc):
    """Everything of a bundle an annotator may read: all but keys, roles, sub-dimensions, summary and citation."""
    yield from (doc[key] for key in ("welcome", "guidelines", "guidelines_short"))
    yield from doc.get("notices", [])
    for criterion in doc["criteria"]:
        yield from (criterion[key] for key in ("name", "question", "definition"))
        for option in criterion.get("options", []):
            yield option["label"]
            yield from (option[key] for key in ("definition",) if key in option)
            yield from option.get("conditions", [])
            yield from (each["text"] for each in option.get("explanations", []))
        for example in criterion.get("examples", []):
            yield example["title"]
            yield from example.get("facts", [])
            yield from (turn["text"] for turn in example["history"])
            yield from (example[key] for key in ("why",) if key in example)
            for candidate in example.get("candidates", []):
                yield from (candidate["text"], candidate["why"])


@pytest.fixture
def staff(db):
    client = Client(raise_request_exception=True)
    client.force_login(UserFactory(username="staff", is_staff=True))
    return client
