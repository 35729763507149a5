"""Valid bundles of every shape, for Hypothesis."""

import unicodedata

from hypothesis import strategies as st

from protocols.bundles import UNPRINTABLE

# Real texts and the traps of YAML, JSON and Unicode: words that look like other types, marks, NFD, outer blanks.
TRAPS = [
    "no", "Yes", "null", "~", "true", "1.0", "1e5", "010", "0x1F", "12:30", "2024-01-01", "<<", "=", "- a", "a: b",
    "# c", "&a *a !b", "| >", "%", "@x", "`y`", "'\"", "…", "cafe\u0301", " blank ", "two\nlines", "a\n\n  b\n",
    "tab\there", "你好", "👋🏽", "{}", "[]", "a #b", "---", "...", "\u00a0x", "\u2000y", "Å", "\u212b",
]  # fmt: skip
LETTERS = st.characters(exclude_categories=("Cs",)).filter(lambda letter: not UNPRINTABLE.match(letter))
FREE = st.one_of(st.sampled_from(TRAPS), st.text(LETTERS, max_size=30), st.text("ab \n\t:#-", max_size=12))
TEXT = FREE.filter(lambda text: text.strip() != "")
MAYBE_TEXT = st.one_of(st.just(""), FREE)
KEY = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,6}", fullmatch=True)
VALUE = st.one_of(st.integers(-1000, 1000), st.floats(-1000, 1000, allow_nan=False, width=64))


def distinct(strategy, least, most):
    return st.lists(strategy, min_size=least, max_size=most, unique_by=folded)


def folded(text):
    return unicodedata.normalize("NFC", text).strip().casefold()


@st.composite
def options(draw, scale):
    keys = draw(distinct(KEY, 2, 4))
    labels = draw(distinct(TEXT, len(keys), len(keys)))
    values = draw(st.lists(VALUE, min_size=len(keys), max_size=len(keys), unique=True))
    return [draw(option(scale, *each)) for each in zip(keys, labels, values, strict=True)]


@st.composite
def option(draw, scale, key, label, value):
    role = draw(st.sampled_from(["positive", "negative", "neutral", "unsure"]))
    asks = draw(st.sampled_from(["nothing", "explanation", "free_text"]))
    made = {"key": key, "label": label, "role": role, "asks": asks}
    if draw(st.booleans()):
        made["definition"] = draw(MAYBE_TEXT)
    if scale != "nominal" and role != "unsure":
        made["value"] = value
    if asks == "explanation":
        names = draw(distinct(KEY, 1, 3))
        made["explanations"] = [
            {"key": name, "text": draw(TEXT), "sub_dimension": hidden}
            for name, hidden in zip(names, draw(distinct(TEXT, len(names), len(names))), strict=True)
        ]
    return made


@st.composite
def criterion(draw, key, name):
    scale = draw(st.sampled_from(["nominal", "ordinal", "interval"]))
    made = {"key": key, "name": name, "question": draw(TEXT), "scale": scale, "options": draw(options(scale))}
    if draw(st.booleans()):
        turn = st.fixed_dictionaries({"speaker": TEXT, "text": TEXT})
        chosen = st.sampled_from([each["key"] for each in made["options"]])
        candidate = st.fixed_dictionaries({"text": TEXT, "option": chosen}, optional={"why": MAYBE_TEXT})
        example = st.fixed_dictionaries(
            {
                "title": TEXT,
                "history": st.lists(turn, max_size=3),
                "candidates": st.lists(candidate, min_size=1, max_size=3),
            }
        )
        made["examples"] = draw(st.lists(example, max_size=2))
    return made


OPTIONAL = {
    "language": st.sampled_from(["en", "zh", "zh-Hans", "no"]),
    "summary": MAYBE_TEXT,
    "citation": MAYBE_TEXT,
    "unit": st.sampled_from(["response", "candidate_set", "model", "dialogue"]),
    "order": st.sampled_from(["criterion_first", "item_first"]),
    "expected_minutes": st.integers(1, 90),
    "words_min": st.integers(1, 30),
    "welcome": MAYBE_TEXT,
    "notices": st.lists(TEXT, max_size=3),
    "guidelines_short": MAYBE_TEXT,
    "guidelines": MAYBE_TEXT,
}


@st.composite
def bundles(draw):
    head = draw(st.fixed_dictionaries({"protocol": KEY, "name": TEXT, "version": KEY}, optional=OPTIONAL))
    keys = draw(distinct(KEY, 1, 3))
    names = draw(distinct(TEXT, len(keys), len(keys)))
    criteria = [draw(criterion(*pair)) for pair in zip(keys, names, strict=True)]
    return {"bundle": 1, **head, "criteria": criteria}
