import copy
from datetime import UTC, datetime

import pytest

from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle

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
