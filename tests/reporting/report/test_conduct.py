"""Time, pay, the data set and second ratings as readers see them: the numbers of the files, in their formats."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from reporting.report.shown import study
from reporting.report.shown.frames import Frames
from reporting.report.time_and_pay import Quartiles, TimeAndPay, TimeQuartiles
from reporting.study.data_set import Figures, Share
from reporting.tables.cells import Grid

QUARTILES = (40, 1.25, 3.0, 1250.5, None)
LEDGER = {"paid": [{"currency": "EUR", "n_work": 1200, "work": "10.00", "bonus": "2.00", "correction": "-1.00",
                    "total": "11.00"}]}  # fmt: skip


def drawn(make: Callable[[Frames], Grid], **parts: Any) -> list[list[str]]:
    criteria = [SimpleNamespace(key="tone", name="Tone")]
    table = make(Frames(SimpleNamespace(sources=[], protocol=SimpleNamespace(criteria=criteria), **parts)))
    return [[head.text for head in table.heads], *([cell.text for cell in line] for line in table.lines)]


def worked() -> TimeAndPay:
    nothing = dict.fromkeys(TimeAndPay.__dataclass_fields__)
    times = dict.fromkeys(
        ("batch_minutes_active", "batch_minutes_elapsed", "judgements_per_annotator"), Quartiles(*QUARTILES)
    )
    return TimeAndPay(**nothing | times | {"judgement_seconds": TimeQuartiles(*QUARTILES, 3), "ledger": LEDGER})


def test_times_have_their_quartiles():
    heads, *lines = drawn(study.times, time_and_pay=worked())
    assert heads == ["Measure", "Lower quartile", "Median", "Upper quartile"]
    assert lines[0] == ["Active seconds per answer", "1.3", "3.0", "1250.5"]
    assert [line[0] for line in lines[1:]] == [
        "Active minutes per batch",
        "Elapsed minutes per batch",
        "Answers per annotator",
    ]


def test_pay_has_a_line_for_each_currency():
    _heads, *lines = drawn(study.pay, time_and_pay=worked())
    assert lines == [["EUR", "1,200", "10.00", "2.00", "-1.00", "11.00"]]


def test_disagreements_name_the_criterion():
    row = {"criterion": "tone", "disagreements": 1500, "re_rating": 3, "adjudicated": 2, "replaced": 0, "open": 1}
    _heads, *lines = drawn(study.disagreements, adjudication={"by_criterion": [row]})
    assert lines == [["Tone", "1,500", "3", "2", "0", "1"]]


def figures(**known: Any) -> Figures:
    sides = {"question": 4, "answer": 6}
    tokens = {"all": 3000, "question": 1000, "answer": 2000}
    means = {side: n / 8 for side, n in tokens.items()}
    nothing = {"domains": [], "topics": [], "labels": []} | known
    return Figures(8, 10, 10, 1.25, 1.25, sides, tokens, means, means, **nothing)


def test_each_side_of_the_dialogues_has_its_sizes_and_all_have_the_sum():
    _heads, *lines = drawn(study.sides, data_set=figures())
    assert lines == [
        ["Asking side", "4", "1,000", "125.00", "125.00"],
        ["Answering side", "6", "2,000", "250.00", "250.00"],
        ["All utterances", "10", "3,000", "375.00", "375.00"],
    ]


def test_rare_values_of_a_mix_are_together_and_empty_mixes_are_left_out():
    topics = [Share("law", 3, 75.0), Share(None, 1, 25.0)]
    frames = Frames(SimpleNamespace(data_set=figures(topics=topics)))
    (table,) = study.mixes(frames)
    assert table.label == "Topic"
    assert [[cell.text for cell in line] for line in table.lines] == [
        ["law", "3", "75.00 %"],
        ["others", "1", "25.00 %"],
    ]
