import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocols.bundles import canonical_json, check_bundle, complete_bundle
from protocols.diffing import NAMES, Piece, compare_bundles, is_semantic, marked_pieces
from tests.protocols.generated import bundles, changed_somewhere
from tests.protocols.test_bundle_fuzz import FULL

thorough = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def fit(doc):
    return doc["criteria"][0]


def option(doc, number=0):
    return fit(doc)["options"][number]


def differences(change):
    doc = copy.deepcopy(FULL)
    change(doc)
    return compare_bundles(complete_bundle(FULL), complete_bundle(doc))


NEW = {"key": "maybe", "label": "Maybe", "role": "unsure"}
FIT = "criteria.fit"
# (the change, path, kind)
SEMANTIC = {
    "an option is added": (lambda d: fit(d)["options"].append(NEW), f"{FIT}.options.maybe", "added"),
    "an option is removed": (lambda d: fit(d)["options"].pop(), f"{FIT}.options.broken", "removed"),
    "an option has another value": (lambda d: option(d).update(value=3), f"{FIT}.options.yes.value", "changed"),
    "an option has another role": (lambda d: option(d).update(role="neutral"), f"{FIT}.options.yes.role", "changed"),
    "an option stands alone": (
        lambda d: d["criteria"][1]["options"][0].update(alone=True),
        "criteria.faults.options.rude.alone",
        "changed",
    ),
    "an option asks": (lambda d: option(d).update(asks="free_text"), f"{FIT}.options.yes.asks", "changed"),
    "a reason counts as another": (
        lambda d: option(d, 1)["explanations"][0].update(sub_dimension="Boredom"),
        f"{FIT}.options.no.explanations.dull.sub_dimension",
        "changed",
    ),
    "the scale": (lambda d: fit(d).update(scale="interval"), f"{FIT}.scale", "changed"),
    "the question": (lambda d: fit(d).update(question="Does it suit?"), f"{FIT}.question", "changed"),
    "the kind": (lambda d: d["criteria"][1].update(kind="single"), "criteria.faults.kind", "changed"),
    "the unit": (lambda d: d.update(unit="dialogue"), "unit", "changed"),
    "the condition": (lambda d: d["criteria"][1].update(when=[]), "criteria.faults.when", "changed"),
    "the rules": (lambda d: d["criteria"][3]["rules"].pop(0), "criteria.total.rules", "changed"),
    "an answer may be left out": (lambda d: fit(d).update(required=False), f"{FIT}.required", "changed"),
    "a flagged item may be left out": (lambda d: d.update(flagged="skip"), "flagged", "changed"),
    "the order on screen": (lambda d: d.update(order="item_first"), "order", "changed"),
    "the words": (lambda d: d.update(words_max=40), "words_max", "changed"),
    "the words of an option": (lambda d: option(d, 1).update(words_min=4), f"{FIT}.options.no.words_min", "changed"),
    "the reading time": (lambda d: d.update(reading_seconds=9), "reading_seconds", "changed"),
    "the time limit": (lambda d: d.update(max_minutes=60), "max_minutes", "changed"),
    "the size of a batch": (lambda d: d.update(batch_items=10), "batch_items", "changed"),
    "a criterion is removed": (lambda d: d["criteria"].pop(2), "criteria.odd", "removed"),
}
WORDING = {
    "the definition": (lambda d: fit(d).update(definition="New"), f"{FIT}.definition", "changed"),
    "a label": (lambda d: option(d).update(label="Indeed"), f"{FIT}.options.yes.label", "changed"),
    "when an option fits": (lambda d: option(d).update(conditions=["New"]), f"{FIT}.options.yes.conditions", "changed"),
    "a reason's text": (
        lambda d: option(d, 1)["explanations"][0].update(text="Yawn."),
        f"{FIT}.options.no.explanations.dull.text",
        "changed",
    ),
    "the notices": (lambda d: (d.update(notices=["One."]), d.pop("translations")), "notices", "changed"),
    "the guidelines": (lambda d: d.update(guidelines="New"), "guidelines", "changed"),
    "the dimensions": (lambda d: d.update(dimensions=[{"name": "A", "definition": "B"}]), "dimensions", "changed"),
    "an example": (lambda d: fit(d)["examples"][0].update(why="New"), f'{FIT}.examples."A greeting".why', "changed"),
    "an example less": (lambda d: fit(d)["examples"].pop(), f'{FIT}.examples."A greeting"', "removed"),
    "a translation": (
        lambda d: d["translations"]["it"]["criteria"]["fit"].update(question="Va?"),
        "translations.it.criteria.fit.question",
        "changed",
    ),
    "a language": (lambda d: d["translations"].update(zh={}), "translations.zh", "added"),
}


@pytest.mark.parametrize("name", SEMANTIC)
def test_what_may_change_answers_is_semantic(name):
    change, path, kind = SEMANTIC[name]
    found = differences(change)
    assert [(each.path, each.kind) for each in found] == [(path, kind)]
    assert is_semantic(found)


@pytest.mark.parametrize("name", WORDING)
def test_what_only_says_it_otherwise_is_wording(name):
    change, path, kind = WORDING[name]
    found = differences(change)
    assert (path, kind) in [(each.path, each.kind) for each in found]
    assert not is_semantic(found)


def test_one_semantic_change_among_others_makes_the_whole_semantic():
    found = differences(lambda d: d.update(guidelines="New", words_max=40))
    assert [each.is_semantic for each in found] == [True, False]
    assert is_semantic(found)


def test_an_option_that_moved_is_neither_new_nor_gone():
    found = differences(lambda d: fit(d)["options"].insert(0, fit(d)["options"].pop()))
    (moved,) = found
    assert (moved.path, moved.kind, moved.before, moved.after) == (f"{FIT}.options.broken", "moved", 3, 1)
    assert moved.is_semantic


def test_an_option_that_comes_first_moves_no_other():
    assert [each.kind for each in differences(lambda d: fit(d)["options"].insert(0, NEW))] == ["added"]


def test_a_renamed_key_is_another_option():
    found = differences(lambda d: d["criteria"][1]["options"][0].update(key="impolite"))
    assert [(each.path, each.kind) for each in found] == [
        ("criteria.faults.options.rude", "removed"),
        ("criteria.faults.options.impolite", "added"),
    ]


def test_a_criterion_whose_key_is_a_word_of_the_format_is_compared_like_any_other():
    doc = copy.deepcopy(FULL)
    doc["criteria"][2]["key"] = "text"
    changed = copy.deepcopy(doc)
    changed["criteria"][2]["question"] = "Which turns are strange?"
    (change,) = compare_bundles(complete_bundle(doc), complete_bundle(changed))
    assert (change.path, change.is_semantic) == ("criteria.text.question", True)


def test_examples_of_one_title_are_matched_in_their_order():
    def twice(doc):
        fit(doc)["examples"].append(fit(doc)["examples"][0] | {"why": "Another"})

    (added,) = differences(twice)
    assert (added.path, added.kind) == (f'{FIT}.examples."A greeting"#2', "added")


def test_the_names_of_protocol_and_version_are_no_differences():
    assert differences(lambda d: d.update(protocol="other", version="2.0")) == []


# --- words ---------------------------------------------------------------------------------------------
def test_a_changed_text_has_its_words_marked():
    (change,) = differences(lambda d: fit(d).update(question="Does it really suit?"))
    assert change.pieces == [
        Piece("same", "Does it "),
        Piece("removed", "fit"),
        Piece("added", "really suit"),
        Piece("same", "?"),
    ]


def test_a_chinese_character_is_a_word():
    assert marked_pieces("很好吃", "很难吃") == [
        Piece("same", "很"),
        Piece("removed", "好"),
        Piece("added", "难"),
        Piece("same", "吃"),
    ]


def test_only_changed_texts_have_marked_words():
    found = differences(lambda d: (d.update(words_max=40), fit(d)["options"].append(NEW)))
    assert [each.pieces for each in found] == [[], []]


def test_of_long_texts_lines_are_marked():
    before, after = "".join(f"line {n}\n" for n in range(5000)), "".join(f"line {n}\n" for n in range(5000) if n != 7)
    assert [piece for piece in marked_pieces(before, after) if piece.kind != "same"] == [Piece("removed", "line 7\n")]


@thorough
@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_put_together_are_the_two_texts(before, after):
    pieces = marked_pieces(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_translated_examples_without_a_title_are_matched_by_their_place():
    old, new = (
        {"translations": {"it": {"criteria": {"c": {"examples": [{}, {"why": why}]}}}}} for why in ("Bene.", "Male.")
    )
    found = [(change.path, change.before, change.after) for change in compare_bundles(old, new)]
    assert found == [('translations.it.criteria.c.examples.""#2.why', "Bene.", "Male.")]


# --- every bundle ----------------------------------------------------------------------------------------
@thorough
@given(bundles(), st.randoms(use_true_random=False))
def test_there_are_differences_just_when_the_canonical_bytes_differ(doc, chance):
    other = changed_somewhere(copy.deepcopy(doc), chance)
    if check_bundle(other):
        return
    same_names = {name: doc[name] for name in NAMES}
    is_same = canonical_json(other | same_names) == canonical_json(doc)
    assert (compare_bundles(complete_bundle(doc), complete_bundle(other)) == []) == is_same


@thorough
@given(bundles(), st.randoms(use_true_random=False))
def test_compared_the_other_way_round_the_same_places_differ_in_the_same_weight(doc, chance):
    other = changed_somewhere(copy.deepcopy(doc), chance)
    if check_bundle(other):
        return
    one, two = complete_bundle(doc), complete_bundle(other)
    assert weights(compare_bundles(one, two)) == weights(compare_bundles(two, one))


def weights(changes):
    """Of two parts that changed places, either may be the one that moved."""
    return {(change.path, change.is_semantic) for change in changes if change.kind != "moved"}
