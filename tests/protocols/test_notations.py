import pytest
from django.core.exceptions import ValidationError

from protocols.bundles import complete_bundle, load_bundle
from protocols.notations import NOTATIONS, SENTENCES, read_lines, write_lines
from protocols.selectors import builtin_bundles


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_every_list_of_a_shipped_protocol_comes_back_as_it_was(path):
    doc = complete_bundle(load_bundle(path))
    lists = [("notices", doc["notices"])]
    for criterion in doc["criteria"]:
        lists += [(name, criterion[name]) for name in ("when", "rules")]
        lists += [("conditions", option["conditions"]) for option in criterion["options"]]
        lists += [(name, example[name]) for example in criterion["examples"] for name in ("history", "candidates")]

    for name, value in lists:
        notation = NOTATIONS.get(name, SENTENCES)
        text = write_lines(notation, value)
        assert not text.startswith("[{"), text
        assert without_empty(read_lines(notation, text)) == without_empty(value)


def without_empty(value):
    return [{k: v for k, v in each.items() if v} if isinstance(each, dict) else each for each in value]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("when", "tone = good, fair", [{"criterion": "tone", "options": ["good", "fair"]}]),
        ("rules", "high if tone = good; use = yes\nlow", [
            {"option": "high", "when": [
                {"criterion": "tone", "options": ["good"]}, {"criterion": "use", "options": ["yes"]}]},
            {"option": "low", "when": []}]),
        ("history", "A: One\n  two\nB: 3", [{"speaker": "A", "text": "One\ntwo"}, {"speaker": "B", "text": "3"}]),
        ("candidates", "good | Fine.", [{"option": "good", "text": "Fine."}]),
        ("notices", "Be kind.\r\n\r\n[Note] Read all.", ["Be kind.", "[Note] Read all."]),
    ],
)  # fmt: skip
def test_lines_are_read(name, text, value):
    assert read_lines(NOTATIONS.get(name, SENTENCES), text) == value


@pytest.mark.parametrize("value", [[{"speaker": "A: B", "text": "x"}], [{"who": "A"}], ["plain"], [["x"]]])
def test_a_list_that_lines_cannot_hold_is_shown_as_json_and_not_lost(value):
    assert read_lines(NOTATIONS["history"], write_lines(NOTATIONS["history"], value)) == value


@pytest.mark.parametrize(("name", "text"), [("when", "tone"), ("history", "Hello"), ("candidates", "good")])
def test_a_line_that_cannot_be_read_is_named(name, text):
    with pytest.raises(ValidationError, match=text):
        read_lines(NOTATIONS[name], text)
