"""2,000 broken bundles. Each is refused with sentences that name places, or happens to be valid; nothing else."""

import copy
import json
import random

import pytest

from protocols.bundles import InvalidBundle, canonical_json, complete_bundle, load_bundle, write_yaml
from protocols.linting import lint
from tests.protocols.generated import changed_somewhere, places

N_CHUNKS, CHUNK = 20, 100
FULL = {
    "bundle": 1,
    "protocol": "full",
    "name": "Full",
    "version": "1.0",
    "unit": "response",
    "reading_seconds": 5,
    "feedback_box": False,
    "changes": "All is new.",
    "notices": ["One.", "Two."],
    "guidelines": "## Why\n\n| a | b |\n|---|---|\n| c<br />d | e |\n",
    "criteria": [
        {
            "key": "fit",
            "name": "Fit",
            "short": "F",
            "question": "Does it fit?",
            "scale": "ordinal",
            "options": [
                {"key": "yes", "label": "Yes", "role": "positive", "value": 2, "conditions": ["It greets."]},
                {
                    "key": "no",
                    "label": "No",
                    "role": "negative",
                    "value": 1.5,
                    "asks": "explanation_required",
                    "words_min": 2,
                    "words_max": 50,
                    "explanations": [{"key": "dull", "text": "It bores.", "sub_dimension": "Dullness"}],
                },
                {"key": "broken", "label": "Cannot be read", "role": "excluding"},
            ],
            "examples": [
                {
                    "title": "A greeting",
                    "history": [{"speaker": "A", "text": "Hello"}, {"speaker": "B", "text": "你好"}],
                    "candidates": [{"text": "Hello there", "option": "yes", "why": "It greets back."}],
                    "rated_turn": 2,
                    "option": "no",
                    "why": "It is short.",
                }
            ],
        },
        {
            "key": "faults",
            "name": "Errors",
            "question": "Which faults has it?",
            "kind": "multiple",
            "required": False,
            "when": [{"criterion": "fit", "options": ["no"]}],
            "options": [{"key": "rude", "label": "Rude"}, {"key": "false", "label": "False"}],
        },
        {"key": "odd", "name": "Odd turns", "question": "Which turns are odd?", "kind": "turns", "unit": "dialogue"},
        {
            "key": "total",
            "name": "Total",
            "question": "What is it altogether?",
            "kind": "computed",
            "rules": [{"when": [{"criterion": "fit", "options": ["yes"]}], "option": "good"}, {"option": "bad"}],
            "options": [{"key": "good", "label": "Good"}, {"key": "bad", "label": "Bad"}],
        },
    ],
    "translations": {
        "it": {
            "name": "Tutto",
            "notices": ["Uno.", "Due."],
            "criteria": {"fit": {"question": "Va bene?", "options": {"no": {"explanations": {"dull": "Annoia."}}}}},
        }
    },
}


# --- ways to break a document --------------------------------------------------------------------------
JUNK = [
    None, True, False, 0, -1, 1.5, 10**30, -(10**300), 1e308, float("inf"), float("nan"), "", " ", "x" * 200_001, [],
    {}, [[]], {"a": {}}, "\x00", "\ud800", "\u202e", "\u2028", "\ufeff", "e\u0301" * 40, "👩‍👩‍👧", "no", "1.0", "it\n",
    "ſ", "İ",
]  # fmt: skip
KEYS = ["", "it\n", "\ud800", "key ", "criteria", "options", "value", "a.b", "'", "0"]


def put_junk(doc, chance):
    holder, key = chance.choice(list(places(doc)))
    holder[key] = copy.deepcopy(chance.choice(JUNK))


def add_key(doc, chance):
    holder, _ = chance.choice([place for place in places(doc) if isinstance(place[0], dict)])
    holder[chance.choice(KEYS)] = copy.deepcopy(chance.choice(JUNK))


def nest(doc, chance):
    holder, key = chance.choice(list(places(doc)))
    for _ in range(chance.choice([1, 2, 31, 400, 5000])):
        holder[key] = [holder[key]] if chance.random() < 0.5 else {"options": holder[key]}


def swap_parts(doc, chance):
    (one, a), (two, b) = chance.choices(list(places(doc)), k=2)
    one[a], two[b] = copy.deepcopy(two[b]), copy.deepcopy(one[a])


WAYS = [put_junk, add_key, swap_parts, changed_somewhere]


def broken_values(chance):
    doc = copy.deepcopy(FULL)
    for way in chance.choices(WAYS, k=chance.choice([1, 1, 2, 4])):
        way(doc, chance)
    if chance.random() < 0.2:
        nest(doc, chance)  # last: the other ways could not find their way through thousands of levels
    return doc


# --- ways to break a text ------------------------------------------------------------------------------
SNIPPETS = [
    b"&a ", b"*a", b"!!python/name:os.system ", b"!<x> ", b"? ", b"- ", b": ", b"%YAML 9.9\n---\n", b"%TAG ! !\n",
    b"---\n", b"...\n", b"\t", b"|9\n", b">-\n", b"'", b'"', b'"\\UFFFFFFFF"', b'"\\U00110000"', b'"\\xd8"',
    b'"\\ud800"', b"{", b"}", b"[" * 40, b"[" * 3000, b"9" * 5000, b"1e999", b"-0", b"0x10", b".inf", b"<<: ", b"=",
    b"~", b"\x00", b"\xff\xfe", b"\x85", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"#", b"@", b"`", b",", b"extends: x\n",
    b"without: [a]\n", b"\r", b"NaN", b"\\u0000",
]  # fmt: skip
TEXTS = [write_yaml(FULL).encode(), json.dumps(FULL, ensure_ascii=False).encode(), json.dumps(FULL, indent=1).encode()]


def broken_bytes(chance):
    data = bytearray(chance.choice(TEXTS))
    if chance.random() < 0.05:
        data = bytearray(chance.randbytes(chance.randrange(200)))
    for _ in range(chance.choice([1, 1, 3, 10])):
        at = chance.randrange(len(data) + 1)
        end = at + chance.choice([0, 0, 1, 5, 200])
        lines = bytes(data[at:end])
        data[at:end] = chance.choice([chance.choice(SNIPPETS), chance.randbytes(2), b"", lines * 2])
    return bytes(data)


# --- what must come of it --------------------------------------------------------------------------------
def is_refused(read):
    """Whether it was refused, and properly; what is valid has a hash, and warnings can be looked for."""
    try:
        doc = complete_bundle(read())
    except InvalidBundle as refusal:
        errors = refusal.errors
    else:
        assert canonical_json(json.loads(canonical_json(doc))) == canonical_json(doc)
        lint(doc)
        return False
    assert errors
    assert all(error.path and error.message and str(error).isprintable() for error in errors)
    return True


@pytest.mark.parametrize("chunk", range(N_CHUNKS // 2))
def test_broken_values_are_refused_with_places_and_sentences(chunk):
    refused = 0
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        doc = broken_values(random.Random(seed))
        refused += is_refused(lambda doc=doc: doc)
    assert refused > CHUNK / 2


@pytest.mark.parametrize("chunk", range(N_CHUNKS // 2))
def test_broken_files_are_refused_with_places_and_sentences(chunk, tmp_path):
    refused = 0
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        path = tmp_path / "bundle.yaml"
        path.write_bytes(broken_bytes(random.Random(seed)))
        refused += is_refused(lambda path=path: load_bundle(path))
    assert refused > CHUNK / 2


def test_the_document_they_are_made_from_is_valid():
    assert not is_refused(lambda: FULL)


@pytest.mark.parametrize(
    "text", ['a: "\\UFFFFFFFF"', '{"a": ' + "[" * 500 + "]" * 500 + "}", "a: " + "[" * 60 + "]" * 60]
)
def test_texts_that_once_ended_in_another_exception_are_refused(text):
    assert is_refused(lambda: load_bundle(text))


def test_a_language_with_a_line_end_is_refused():
    with pytest.raises(InvalidBundle, match="spaces around the key"):
        complete_bundle(FULL | {"translations": {"it\n": {}}})


def test_an_example_with_an_odd_option_is_refused_in_one_printable_line():
    doc = copy.deepcopy(FULL)
    doc["criteria"][0]["examples"][0]["option"] = "a\nb\u202e"
    assert is_refused(lambda: doc)
