import pytest
from jsonschema import Draft202012Validator

from protocols.bundles import VERSION_FIELDS, InvalidBundle, check_bundle, load_bundle
from protocols.documents import MAX_BYTES
from protocols.models import Criterion, Explanation, Option, Protocol, ProtocolVersion
from protocols.schema import SCHEMA, with_defaults


def criterion(doc):
    return doc["criteria"][0]


def option(doc, number=0):
    return criterion(doc)["options"][number]


def depends(doc, condition, **more):
    """A second criterion, with a condition, about the same unit as the first."""
    doc["criteria"].append(
        criterion(doc) | {"key": "style", "name": "Style", "examples": [], "when": [condition]} | more
    )


def shares(doc, *names, **scales):
    """Criteria that name their options; the first keeps its own."""
    alike = {"question": "Do you agree?", "scale": "ordinal"}
    doc["criteria"] += [
        alike | {"key": f"item-{at}", "name": f"{at}", "options": each} for at, each in enumerate(names)
    ]
    doc["scales"] = {name: [{"key": f"p{n}", "label": f"{n}", "value": n} for n in s] for name, s in scales.items()}


YES_NO = [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}]
ON_FIT = {"criterion": "fit", "options": ["yes"]}
RULED = {"kind": "computed", "options": YES_NO, "rules": [{"when": [ON_FIT], "option": "no"}]}
# (what breaks it, path, part of the sentence)
BROKEN = {
    "no_version": (lambda d: d.pop("version"), "version", "is missing (expected a text)"),
    "number_as_version": (lambda d: d.update(version=1.0), "version", "is 1 (expected a text)"),
    "odd_version": (lambda d: d.update(version="1/0"), "version", 'is "1/0" (expected letters'),
    "other_format": (lambda d: d.update(bundle=2), "bundle", "is 2 (expected 1)"),
    "unknown_key": (lambda d: d.update(colour="red"), "colour", "is not a key of the format (expected one of: bundle"),
    "extends_left": (lambda d: d.update(extends="x.yaml"), "extends", "is not a key of the format"),
    "bad_slug": (lambda d: d.update(protocol="Two Words"), "protocol", "lowercase letters"),
    "bad_language": (lambda d: d.update(language="e"), "language", "ISO code"),
    "empty_name": (lambda d: d.update(name=" \n"), "name", "is empty"),
    "long_name": (lambda d: d.update(name="x" * 201), "name", "has 201 characters (expected at most 200)"),
    "null_text": (lambda d: d.update(welcome=None), "welcome", "is null (expected a text)"),
    "no_criteria": (lambda d: d.update(criteria=[]), "criteria", "has 0 entries (expected at least 1)"),
    "criteria_mapping": (lambda d: d.update(criteria={}), "criteria", "is a mapping (expected a list)"),
    "bad_unit": (lambda d: d.update(unit="word"), "unit", 'is "word" (expected one of: response, candidate_set'),
    "notice": (lambda d: d.update(notices=["ok", 7]), "notices[1]", "is 7 (expected a text)"),
    "words": (lambda d: d.update(words_min=31), "words_min", "is 31, more than words_max (expected at most 30)"),
    "zero_words": (lambda d: d.update(words_min=0), "words_min", "is 0 (expected at least 1)"),
    "minutes": (
        lambda d: d.update(expected_minutes=91),
        "expected_minutes",
        "is 91, more than max_minutes (expected at most 90)",
    ),
    "no_label": (lambda d: option(d).pop("label"), "criteria[0].options[0].label", "is missing (expected a text)"),
    "bad_role": (lambda d: option(d, 1).update(role="bad"), "criteria[0].options[1].role", "one of: positive,"),
    "one_option": (lambda d: criterion(d)["options"].pop(), "criteria[0].options", "has 1 entries (expected at l"),
    "typo": (lambda d: option(d).update(lable="x"), "criteria[0].options[0].lable", "one of: key, label, definition"),
    "same_option": (lambda d: option(d, 1).update(key="yes"), "criteria[0].options[1].key", '"yes" is used twice'),
    "same_label": (lambda d: option(d, 1).update(label="YES"), "criteria[0].options[1].label", "is used twice"),
    "same_criterion": (lambda d: d["criteria"].append(criterion(d)), "criteria[1].key", '"fit" is used twice'),
    "same_reason": (
        lambda d: option(d, 1)["explanations"].append(option(d, 1)["explanations"][0]),
        "criteria[0].options[1].explanations[1].key",
        '"dull" is used twice',
    ),
    "reason_hidden": (lambda d: option(d, 1).update(asks="free_text"), "criteria[0].options[1].asks", "never be shown"),
    "no_reasons": (lambda d: option(d).update(asks="explanation"), "criteria[0].options[0].explanations", "is empty"),
    "alone": (lambda d: option(d).update(alone=True), "criteria[0].options[0].alone", "only one option is chosen here"),
    "no_value": (
        lambda d: (criterion(d).update(scale="ordinal"), option(d).update(value=1)),
        "criteria[0].options[1].value",
        "is missing on an ordinal or interval scale (expected a number)",
    ),
    "same_value": (
        lambda d: (criterion(d).update(scale="interval"), option(d).update(value=1), option(d, 1).update(value=1.0)),
        "criteria[0].options[1].value",
        "1 is used twice",
    ),
    "sub_dimension_twice": (
        lambda d: option(d, 1)["explanations"].append(
            {"key": "dry", "text": "It is dry.", "sub_dimension": option(d, 1)["explanations"][0]["sub_dimension"]}
        ),
        "criteria[0].options[1].explanations[1].sub_dimension",
        "is used twice",
    ),
    "infinite": (lambda d: option(d).update(value=float("inf")), "criteria[0].options[0].value", "a finite number"),
    "text_value": (lambda d: option(d).update(value="1"), "criteria[0].options[0].value", "a number or nothing"),
    "example": (
        lambda d: criterion(d)["examples"][0]["candidates"][0].update(option="maybe"),
        "criteria[0].examples[0].candidates[0].option",
        "is maybe, which is not an option here (expected one of: yes, no)",
    ),
    "reason_of_another": (
        lambda d: criterion(d)["examples"][0]["candidates"][0].update(explanations=["dull"]),
        "criteria[0].examples[0].candidates[0].explanations[0]",
        "is dull, which is not an explanation of this option (expected none)",
    ),
    "too_few_examples": (
        lambda d: d.update(translations={"it": {"criteria": {"fit": {"examples": []}}}}),
        "translations.it.criteria.fit.examples",
        "has 0 entries (expected 1, as in the original)",
    ),
    "too_few_turns": (
        lambda d: d.update(translations={"it": {"criteria": {"fit": {"examples": [{"history": []}]}}}}),
        "translations.it.criteria.fit.examples[0].history",
        "has 0 entries (expected 1, as in the original)",
    ),
    "empty_turn": (
        lambda d: criterion(d)["examples"][0]["history"][0].update(text=""),
        "criteria[0].examples[0].history[0].text",
        "is empty",
    ),
    "nothing_asked": (
        lambda d: criterion(d).update(kind="computed", rules=[{"option": "yes"}], options=YES_NO),
        "criteria",
        "has only computed criteria, so annotators are asked nothing (expected at least one of another kind)",
    ),
    "when_missing": (
        lambda d: depends(d, {"criterion": "tone", "options": ["yes"]}),
        "criteria[1].when[0].criterion",
        "is tone, which is not a criterion (expected one of: fit)",
    ),
    "when_empty": (
        lambda d: depends(d, {"criterion": "", "options": ["yes"]}),
        "criteria[1].when[0].criterion",
        "is empty, which is not a criterion",
    ),
    "when_option": (
        lambda d: depends(d, {"criterion": "fit", "options": ["maybe"]}),
        "criteria[1].when[0].options[0]",
        "is maybe, which is not an option here (expected one of: yes, no)",
    ),
    "when_itself": (
        lambda d: depends(d, {"criterion": "style", "options": ["yes"]}),
        "criteria[1].when[0].criterion",
        "is style, which does not come before this criterion (expected one of: fit)",
    ),
    "when_later": (
        lambda d: (depends(d, ON_FIT), criterion(d).update(when=[{"criterion": "style", "options": ["yes"]}])),
        "criteria[0].when[0].criterion",
        "is style, which does not come before this criterion (expected an earlier single-choice criterion",
    ),
    "when_of_another_unit": (
        lambda d: depends(d, ON_FIT, unit="dialogue"),
        "criteria[1].when[0].criterion",
        "is fit, which is asked about another unit",
    ),
    "when_several_answers": (
        lambda d: (depends(d, ON_FIT), criterion(d).update(kind="multiple"), option(d, 1).update(asks="nothing")),
        "criteria[1].when[0].criterion",
        "is fit, which may have several answers",
    ),
    "rule_about_a_part": (
        lambda d: depends(d, ON_FIT, unit="dialogue", when=[], **RULED),
        "criteria[1].rules[0].when[0].criterion",
        "is fit, which is asked about another unit",
    ),
    "scale_missing": (
        lambda d: shares(d, "agree", "agre", agree=(1, 2)),
        "criteria[2].options",
        "is agre, which is not one of the scales of the document (expected one of: agree)",
    ),
    "no_scales": (
        lambda d: shares(d, "agree"),
        "criteria[1].options",
        "is agree, which is not one of the scales of the document (expected a list of options, or a scale",
    ),
    "scale_of_one": (
        lambda d: shares(d, "agree", agree=(1,)), "scales.agree", "has 1 entries (expected at least 2)"
    ),
    "scale_name": (lambda d: shares(d, **{"Big one": (1, 2)}), "scales", 'is "Big one" (expected lowercase letters'),
    "scale_typo": (
        lambda d: (shares(d, "agree", agree=(1, 2)), d["scales"]["agree"][1].update(lable="x")),
        "scales.agree[1].lable",
        "is not a key of the format",
    ),
    "scale_number": (lambda d: shares(d, 5), "criteria[1].options", "is 5 (expected a list or a text)"),
    "scale_too_long": (
        lambda d: (
            shares(d, *["agree"] * 20, agree=(1, 2)), d["scales"]["agree"][0].update(definition="x" * 50_000)
        ),
        "scales",
        "make the document too large: each is written out for every criterion that names it (expected at most 1,0",
    ),
    "nul": (lambda d: d.update(welcome="a\x00b"), "welcome", "U+0000"),
    "surrogate": (lambda d: d.update(welcome="\ud83d"), "welcome", "U+D83D"),
    "odd_key": (lambda d: d.update({"\ud800": 1}), r"'\ud800'", "is not a key"),
}  # fmt: skip


def test_one_option_is_enough_where_none_may_apply(small):
    criterion(small).update(kind="multiple", required=False, options=[option(small)], examples=[])
    option(small).update(asks="nothing", explanations=[])
    assert check_bundle(small) == []
    criterion(small)["required"] = True
    (fault,) = check_bundle(small)
    assert (fault.path, fault.expected) == ("criteria[0].options", "at least 2")


def test_an_example_without_an_option_shows_that_none_applies_where_that_is_an_answer(small):
    example = {"title": "None", "history": [{"speaker": "A", "text": "Hi."}], "candidates": [{"text": "Hi."}]}
    criterion(small).update(examples=[example], required=False)
    assert check_bundle(small) == []
    criterion(small)["required"] = True
    (fault,) = check_bundle(small)
    assert fault.path == "criteria[0].examples[0].candidates[0].option"


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_bundle_names_the_place_and_what_was_expected(small, name):
    breaking, path, sentence = BROKEN[name]
    breaking(small)
    assert [str(error) for error in check_bundle(small) if error.path == path and sentence in str(error)]


def test_a_fault_of_a_shared_scale_is_reported_once(small):
    shares(small, "agree", "agree", "agree", agree=(1, 2, 2))
    assert [error.path for error in check_bundle(small) if error.path.endswith("key")] == ["criteria[1].options[2].key"]


def test_a_fault_of_one_criterion_with_a_shared_scale_is_that_criterions(small):
    shares(small, "agree", "agree", agree=(1, 2))
    small["criteria"][2]["scale"] = "nominal"
    small["criteria"][2]["kind"] = "multiple"
    small["scales"]["agree"][0]["asks"] = "free_text"
    assert [error.path for error in check_bundle(small)] == ["criteria[2].options[0].asks"]


def test_all_errors_are_reported_together(small):
    del small["version"]
    option(small)["role"] = "bad"
    small["colour"] = small["size"] = 1
    paths = {error.path for error in check_bundle(small)}
    assert paths == {"version", "criteria[0].options[0].role", "colour", "size"}


@pytest.mark.parametrize("value", [None, 3, "text", [], [{}]])
def test_what_is_no_mapping_is_no_bundle(value):
    assert [error.path for error in check_bundle(value)] == ["document"]


def test_i_do_not_know_needs_no_value_on_an_ordinal_scale(small):
    criterion(small)["scale"] = "ordinal"
    option(small).update(value=1)
    option(small, 1).update(role="unsure")
    assert check_bundle(small) == []


# --- reading ---------------------------------------------------------------------------------------
UNREADABLE = {
    "repeated key": ("a: 1\nb: 2\na: 3\n", r"line 3: the key 'a' appears twice"),
    "repeated nested key": ("a:\n  b: 1\n  b: 1\n", "line 3: the key 'b' appears twice"),
    "repeated key in JSON": ('{"a": {"b": 1, "b": 2}}', "the key 'b' appears twice"),
    "alias": ("a: &x [1]\nb: *x\n", "line 2: aliases"),
    "python object": ("a: !!python/object/apply:os.system [ls]\n", "line 1: tags"),
    "binary": ("a: !!binary aGk=\n", "line 1: tags"),
    "merge key that is an alias": ("a: &x {b: 1}\nc:\n  <<: *x\n", "aliases"),
    "key that is a number": ("1: a\n", "line 1: a key is not text"),
    "key that is a list": ("? [a]\n: b\n", "line 1: a key is not text"),
    "two documents": ("a: 1\n---\na: 2\n", "document"),
    "bad indentation": ("a:\n  - b\n c: d\n", "line 3"),
    "control character": ("a: \x07\n", "document"),
    "broken JSON": ('{"a": 1,}', "line 1"),
    "NaN in JSON": ('{"a": NaN}', "NaN is not a JSON number"),
    "endless number": ("a: " + "9" * 5000, "document"),
    "deep JSON": ('{"a":' + "[" * 100_000, "nested too deeply"),
    "deep YAML": ("a: " + "[" * 100_000, "nested too deeply"),
    "a list": ("- a\n- b\n", "contains no keys"),
    "nothing": ("", "contains no keys"),
    "too much": ("a: " + "x" * MAX_BYTES, "too large"),
    "extends in a text": ("extends: he-protocol-1.0.yaml\n", "extends: needs a file"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_text_is_refused(name):
    text, sentence = UNREADABLE[name]
    with pytest.raises(InvalidBundle, match=sentence):
        load_bundle(text)


def test_an_alias_bomb_is_refused_before_it_grows():
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    with pytest.raises(InvalidBundle, match="aliases"):
        load_bundle("\n".join(lines))


def test_yaml_words_that_older_readers_take_for_something_else_stay_texts():
    doc = load_bundle("a: no\nb: Yes\nc: 2024-01-01\nd: 12:30\ne: 010\nf: on\ng: .inf\nh: .nan\ni: 0x1F\nj: 1_000\n")
    assert list(doc.values()) == ["no", "Yes", "2024-01-01", "12:30", "010", "on", ".inf", ".nan", "0x1F", "1_000"]


def test_yaml_numbers_and_booleans_are_read():
    doc = load_bundle("a: 1\nb: -2.5\nc: true\nd: ~\ne:\nf: 1e3\n")
    assert list(doc.values()) == [1, -2.5, True, None, None, 1000.0]


@pytest.mark.parametrize(
    ("data", "sentence"), [(b"a: \xff", "not UTF-8 at byte 3"), (b"x" * (MAX_BYTES + 1), "too large")]
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, data, sentence):
    path = tmp_path / "bundle.yaml"
    path.write_bytes(data)
    with pytest.raises(InvalidBundle, match=sentence):
        load_bundle(path)


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(InvalidBundle, match=r"none\.yaml: cannot be read: No such file"):
        load_bundle(tmp_path / "none.yaml")


# --- schema and models agree -----------------------------------------------------------------------
def test_the_schema_is_a_json_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", VERSION_FIELDS)
def test_every_field_of_a_version_has_the_same_choices_and_default_in_the_schema(name):
    field, part = ProtocolVersion._meta.get_field(name), SCHEMA["properties"][name]
    assert part.get("enum", []) == [value for value, _ in field.choices or []]
    if name != "version":
        assert part["default"] == field.get_default()


@pytest.mark.parametrize(
    ("definition", "name", "model"),
    [("criterion", "scale", Criterion), ("option", "role", Option), ("option", "asks", Option)],
)
def test_every_choice_of_a_part_is_in_the_schema(definition, name, model):
    wanted = SCHEMA["$defs"][definition]["properties"][name]["enum"]
    assert wanted == [value for value, _ in model._meta.get_field(name).choices]


@pytest.mark.parametrize(
    ("model", "field", "most"),
    [
        (Protocol, "slug", SCHEMA["$defs"]["key"]["maxLength"]),
        (Protocol, "name", SCHEMA["$defs"]["line"]["maxLength"]),
        (ProtocolVersion, "version", SCHEMA["properties"]["version"]["maxLength"]),
        (ProtocolVersion, "language", SCHEMA["$defs"]["language"]["maxLength"]),
        (Option, "label", SCHEMA["$defs"]["line"]["maxLength"]),
        (Explanation, "sub_dimension", SCHEMA["$defs"]["explanation"]["properties"]["sub_dimension"]["maxLength"]),
    ],
)
def test_the_schema_allows_no_text_longer_than_its_column(model, field, most):
    assert model._meta.get_field(field).max_length == most


def test_defaults_are_filled_in_at_every_level(small):
    full = with_defaults(small)
    assert (full["language"], full["criteria"][0]["scale"]) == ("en", "nominal")
    assert full["criteria"][0]["options"][0]["explanations"] == []
    assert full["criteria"][0]["options"][0]["value"] is None
    assert "scale" not in small["criteria"][0]
