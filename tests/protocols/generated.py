"""Valid bundles that use all of the format, for Hypothesis."""

import unicodedata

from hypothesis import strategies as st

from protocols.bundles import UNPRINTABLE
from protocols.meaning import AROUND

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


def filled(required, optional):
    return st.fixed_dictionaries(required, optional=optional)


# --- options -----------------------------------------------------------------------------------------
@st.composite
def options(draw, kind, scale):
    keys = draw(distinct(KEY, 2, 4))
    labels = draw(distinct(TEXT, len(keys), len(keys)))
    values = draw(st.lists(VALUE, min_size=len(keys), max_size=len(keys), unique=True))
    return [draw(option(kind, scale, *each)) for each in zip(keys, labels, values, strict=True)]


@st.composite
def option(draw, kind, scale, key, label, value):
    role = draw(st.sampled_from(["positive", "negative", "neutral", "unsure", "excluding"]))
    own = draw(filled({"key": st.just(key), "label": st.just(label), "role": st.just(role)}, OPTION))
    if scale != "nominal" and role not in ("unsure", "excluding"):
        own["value"] = value
    if kind == "single":
        own["asks"] = draw(st.sampled_from(["nothing", "explanation", "explanation_required", "free_text"]))
    if own.get("asks", "").startswith("explanation"):
        own["explanations"] = draw(explanations())
    if kind == "multiple":
        own["alone"] = draw(st.booleans())
    return own


OPTION = {
    "definition": MAYBE_TEXT,
    "conditions": st.lists(TEXT, max_size=2),
    "words_min": st.one_of(st.none(), st.integers(1, 30)),
    "words_max": st.one_of(st.none(), st.integers(30, 60)),
}


@st.composite
def explanations(draw):
    keys = draw(distinct(KEY, 1, 3))
    hidden = draw(distinct(TEXT, len(keys), len(keys)))
    return [{"key": key, "text": draw(TEXT), "sub_dimension": name} for key, name in zip(keys, hidden, strict=True)]


# --- criteria ----------------------------------------------------------------------------------------
UNITS = ["response", "candidate_set", "model", "dialogue", "comparison"]


@st.composite
def criterion(draw, key, name, head, earlier):
    unit = draw(st.sampled_from(["", *UNITS]))
    if (unit or head["unit"]) == "comparison":
        return draw(comparison(key, name, unit, head, earlier))
    is_any_asked = any(each["kind"] != "computed" for each in earlier)
    kinds = ["single", "single", "multiple", "turns", *(["computed", "computed"] if is_any_asked else [])]
    kind = draw(st.sampled_from(kinds))
    scale = draw(st.sampled_from(["nominal", "ordinal", "interval"])) if kind in ("single", "computed") else "nominal"
    made = {"key": key, "name": name, "question": draw(TEXT), "kind": kind, "scale": scale}
    made |= draw(filled({}, CRITERION))
    made["unit"] = "dialogue" if kind == "turns" else unit
    answered = [each for each in earlier if each["kind"] in ("single", "computed")]
    unit = made["unit"] or head["unit"]
    near = [each for each in answered if (each["unit"] or head["unit"]) == unit]
    around = [each for each in answered if (each["unit"] or head["unit"]) in AROUND.get(unit, {unit})]
    made["when"] = draw(conditions(near, 1))
    if kind != "turns":
        made["options"] = draw(options(kind, scale))
        made["examples"] = draw(st.lists(example(keys_of(made["options"])), max_size=2))
    if kind == "computed":
        rule = st.fixed_dictionaries(
            {"when": conditions(around, 2), "option": st.sampled_from(keys_of(made["options"]))}
        )
        made["rules"] = draw(st.lists(rule, min_size=1, max_size=3))
    return made


@st.composite
def comparison(draw, key, name, unit, head, earlier):
    """A question with as many degrees on the left as on the right, and other answers between them or after them."""
    scale = draw(st.sampled_from(["nominal", "ordinal", "interval"]))
    made = {"key": key, "name": name, "question": draw(TEXT), "scale": scale, "unit": unit, "kind": "single"}
    made |= draw(filled({}, CRITERION))
    n = draw(st.integers(1, 2))
    middle = draw(st.sampled_from([[], ["equal"]]))
    rest = draw(
        st.lists(st.sampled_from(["unsure", "excluding", *(["both_bad"] if scale == "nominal" else [])]), max_size=2)
    )
    roles = ["left"] * n + middle + ["right"] * n + rest
    keys, labels = (draw(distinct(strategy, len(roles), len(roles))) for strategy in (KEY, TEXT))
    sided = draw(st.lists(st.integers(1, 50), min_size=n, max_size=n, unique=True))
    values = [-each for each in sided] + [0] * len(middle) + sided[::-1]
    asks = draw(st.lists(st.sampled_from(["nothing", "free_text", "explanation"]), min_size=n, max_size=n))
    reasons = draw(explanations())
    made["options"] = []
    for at, (own, label, role) in enumerate(zip(keys, labels, roles, strict=True)):
        option = {"key": own, "label": label, "role": role}
        if scale != "nominal" and at < len(values):
            option["value"] = values[at]
        if role in ("left", "right"):
            option["asks"] = asks[at] if role == "left" else asks[2 * n + len(middle) - 1 - at]
            option |= {"explanations": reasons} if option["asks"] == "explanation" else {}
        made["options"].append(option)
    near = [each for each in earlier if (each["unit"] or head["unit"]) == "comparison"]
    named = [(each["key"], [o["key"] for o in each["options"] if o["role"] not in ("left", "right")]) for each in near]
    asked = [st.just({"criterion": one, "options": plain}) for one, plain in named if plain]
    asked += [st.just({"criterion": each["key"], "options": keys_of(each["options"])}) for each in near]
    made["when"] = draw(st.lists(st.one_of(asked), max_size=1)) if asked else []
    made["examples"] = draw(st.lists(pair(keys), max_size=2))
    return made


@st.composite
def pair(draw, chosen):
    turn = st.fixed_dictionaries({"speaker": TEXT, "text": TEXT})
    candidate = filled({"text": TEXT}, {"why": MAYBE_TEXT, "speaker": st.text("AB", max_size=2)})
    made = draw(filled({"title": TEXT, "history": st.lists(turn, max_size=3)}, {"why": MAYBE_TEXT}))
    made["candidates"] = draw(st.lists(candidate, min_size=2, max_size=2))
    return made | {"option": draw(st.sampled_from(chosen))}


CRITERION = {"short": st.text("abc", max_size=3), "definition": MAYBE_TEXT, "required": st.booleans()}


def keys_of(parts):
    return [part["key"] for part in parts]


def conditions(known, most):
    """Each on the answer to one of the criteria before."""
    one = [
        st.fixed_dictionaries({
            "criterion": st.just(each["key"]),
            "options": st.lists(st.sampled_from(keys_of(each["options"])), min_size=1, max_size=2),
        })
        for each in known
    ]  # fmt: skip
    return st.lists(st.one_of(one), max_size=most) if one else st.just([])


@st.composite
def example(draw, chosen):
    answers = st.sampled_from(chosen)
    turn = st.fixed_dictionaries({"speaker": TEXT, "text": TEXT})
    candidate = filled({"text": TEXT, "option": answers}, {"why": MAYBE_TEXT, "speaker": st.text("AB", max_size=2)})
    made = draw(filled({"title": TEXT, "history": st.lists(turn, max_size=3)}, {"why": MAYBE_TEXT}))
    made["candidates"] = draw(st.lists(candidate, max_size=2))
    if not made["candidates"] or draw(st.booleans()):
        made["option"] = draw(answers)
    if made["history"]:
        made["rated_turn"] = draw(st.one_of(st.none(), st.integers(1, len(made["history"]))))
    return made


# --- translations ------------------------------------------------------------------------------------
def of_length(texts):
    return st.lists(TEXT, min_size=len(texts), max_size=len(texts))


def maybe(parts, texts):
    """Nothing, or the parts and some of the texts: else few drawn translations would reach the innermost ones."""
    return st.one_of(st.just({}), filled(parts, texts))


def translation(doc):
    return maybe({"criteria": by_key(doc["criteria"], criterion_translation)}, {
        "name": TEXT, "summary": MAYBE_TEXT, "welcome": MAYBE_TEXT, "changes": MAYBE_TEXT,
        "guidelines_short": MAYBE_TEXT, "guidelines": MAYBE_TEXT, "notices": of_length(doc.get("notices", [])),
    })  # fmt: skip


def by_key(parts, translated):
    return filled({}, {part["key"]: translated(part) for part in parts})


def criterion_translation(part):
    texts = {"name": TEXT, "short": st.text("abc", max_size=3), "question": TEXT, "definition": MAYBE_TEXT}
    examples = st.tuples(*map(example_translation, part.get("examples", []))).map(list)
    return maybe({"options": by_key(part.get("options", []), option_translation), "examples": examples}, texts)


def example_translation(part):
    turn, said = filled({"speaker": TEXT, "text": TEXT}, {}), filled({}, {"text": TEXT, "why": MAYBE_TEXT})
    n_turns, n_said = len(part["history"]), len(part.get("candidates", []))
    history = st.lists(turn, min_size=n_turns, max_size=n_turns)
    candidates = st.lists(said, min_size=n_said, max_size=n_said)
    return filled({}, {"title": TEXT, "history": history, "candidates": candidates, "why": MAYBE_TEXT})


def option_translation(part):
    texts = {"label": TEXT, "definition": MAYBE_TEXT, "conditions": of_length(part.get("conditions", []))}
    return maybe({"explanations": by_key(part.get("explanations", []), lambda _: TEXT)}, texts)


# --- the document ------------------------------------------------------------------------------------
OPTIONAL = {
    "language": st.sampled_from(["en", "zh", "zh-Hans", "no"]),
    "summary": MAYBE_TEXT,
    "citation": MAYBE_TEXT,
    "granularity": st.sampled_from(["turn", "dialogue"]),
    "interaction": st.sampled_from(["static", "interactive"]),
    "order": st.sampled_from(["criterion_first", "item_first", "set_level"]),
    "expected_minutes": st.integers(1, 90),
    "max_minutes": st.integers(90, 32767),
    "batch_items": st.integers(0, 32767),
    "reading_seconds": st.integers(0, 3600),
    "words_min": st.integers(1, 30),
    "words_max": st.integers(30, 60),
    "feedback_box": st.booleans(),
    "flagged": st.sampled_from(["answer", "skip"]),
    "welcome": MAYBE_TEXT,
    "changes": MAYBE_TEXT,
    "notices": st.lists(TEXT, max_size=3),
    "guidelines_short": MAYBE_TEXT,
    "guidelines": MAYBE_TEXT,
    "dimensions": st.lists(st.fixed_dictionaries({"name": TEXT, "definition": TEXT}), max_size=2),
}


@st.composite
def bundles(draw):
    first = {"protocol": KEY, "name": TEXT, "version": KEY, "unit": st.sampled_from(UNITS)}
    doc = {"bundle": 1, **draw(filled(first, OPTIONAL)), "criteria": []}
    keys = draw(distinct(KEY, 1, 3))
    for key, name in zip(keys, draw(distinct(TEXT, len(keys), len(keys))), strict=True):
        doc["criteria"].append(draw(criterion(key, name, doc, list(doc["criteria"]))))
    units = {each["unit"] or doc["unit"] for each in doc["criteria"]}
    modes = ["comparative"] if "comparison" in units else ["absolute"]
    doc["mode"] = draw(st.sampled_from(modes if units <= {"response", "dialogue"} else ["comparative", *modes]))
    if draw(st.booleans()):
        languages = {code: translation(doc) for code in ("it", "de-AT")}
        doc["translations"] = draw(filled({}, languages))
    return doc


# --- shared scales ---------------------------------------------------------------------------------------
@st.composite
def shared(draw):
    """A bundle with scales by name, two criteria that share one, and the same bundle with the options written out."""
    plain = draw(bundles())
    twin = draw(st.sampled_from([each for each in plain["criteria"] if each["kind"] != "computed"]))
    plain["criteria"].append(twin | {"key": "twin-of-another", "name": "A twin of another"})
    scales: dict = {}
    criteria = [each | named(each, scales) for each in plain["criteria"]]
    return plain | {"criteria": criteria, "scales": scales}, plain


def named(criterion, scales):
    """The name of the criterion's scale in place of its options; equal options have one name."""
    own = criterion.get("options")
    if not own:
        return {}
    name = next((name for name, options in scales.items() if options == own), f"scale-{len(scales) + 1}")
    scales[name] = own
    return {"options": name}


# --- a change of contents ------------------------------------------------------------------------------
def changed_somewhere(doc, chance):
    """One part of a canonical document deleted, replaced, doubled, renamed or swapped with its neighbour."""
    holder, key = chance.choice(list(places(doc)))
    value = holder[key]
    ways = [deleted, replaced]
    if isinstance(holder, dict):
        ways.append(renamed)
    else:
        ways.append(doubled)
        if len(holder) > 1 and holder[key] != holder[key - 1]:
            ways.append(swapped)
    chance.choice(ways)(holder, key, value)
    return doc


def places(value):
    """(mapping or list, key or number) of everything inside."""
    for key, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(each, dict | list):
            yield from places(each)


def deleted(holder, key, _):
    del holder[key]


def replaced(holder, key, value):
    match value:
        case bool():
            holder[key] = not value
        case str():
            holder[key] = value + "x"
        case int() | float():
            holder[key] = value + 1
        case _:
            holder[key] = "another"


def renamed(holder, key, value):
    holder[f"{key}x"] = holder.pop(key)


def doubled(holder, key, value):
    holder.insert(key, value)


def swapped(holder, key, value):
    holder[key], holder[key - 1] = holder[key - 1], value
