"""A metric beside people as records for files: a question, what it is about, a measure, and its estimate."""

from collections.abc import Iterator
from typing import Any

from measures.estimate import Estimate
from reporting.predictions.beside import Beside, Replacing, SourceScores, pseudonyms_in

ALL = "all"


def beside_records(beside: Beside) -> Iterator[dict[str, Any]]:
    yield from _replacing(beside.replacing, pseudonyms_in(beside.replacing))
    for each in beside.scores or ():
        yield from _scores(each)
    if beside.systems is not None:
        for measure in ("kendall", "pairwise_accuracy"):
            yield _estimated("systems", ALL, measure, getattr(beside.systems, measure))


def _replacing(found: Replacing, pseudonyms: dict[int, str]) -> Iterator[dict[str, Any]]:
    yield _record("replace", ALL, "answer", text=found.verdict.value, note=found.reason)
    test = found.test
    if test is None or found.telling is None:
        return
    yield _estimated("replace", ALL, "beyond_chance", found.telling.beyond_chance)
    if found.is_lopsided:
        yield _record("replace", ALL, "caution", text="lopsided")
    yield _record("replace", ALL, "epsilon", test.epsilon)
    yield _estimated("replace", ALL, "winning_rate", test.winning_rate)
    yield _estimated("replace", ALL, "advantage_probability", test.advantage)
    for each in test.annotators:
        name = pseudonyms.get(each.annotator, "")
        yield _estimated("replace", name, "advantage_probability", each.advantage)
        yield _record("replace", name, "own_probability", each.own)
        yield _record("replace", name, "p", each.p_value, text=each.test)
        yield _record("replace", name, "p_adjusted", each.adjusted_p)


def _scores(each: SourceScores) -> Iterator[dict[str, Any]]:
    about = each.source.key if each.source else ALL
    yield _estimated("scores", about, "metric", each.judge)
    yield _estimated("scores", about, "people", each.powered.people)
    yield _estimated("scores", about, "together", each.powered.estimate)
    yield _record("scores", about, "lambda", each.powered.power)
    if each.corrected is not None:
        yield _estimated("scores", about, "corrected_rate", each.corrected.estimate)
        yield _record("scores", about, "sensitivity", each.corrected.sensitivity)
        yield _record("scores", about, "specificity", each.corrected.specificity)
    yield _record("next", about, "further_items", each.powered.further.n, note=each.powered.further.reason)


def _estimated(question: str, about: str, measure: str, found: Estimate) -> dict[str, Any]:
    note = "; ".join([*([found.interval_note] if found.interval_note else []), *found.warnings])
    return _record(question, about, measure, found.value, note=note or None) | {
        "low": found.low,
        "high": found.high,
        "undefined_because": found.reason,
        "n_items": found.n_items,
        "n_all": found.n_ratings,
    }


def _record(
    question: str,
    about: str,
    measure: str,
    value: float | None = None,
    *,
    text: str | None = None,
    note: str | None = None,
) -> dict[str, Any]:
    missing = dict.fromkeys(("low", "high", "undefined_because"))
    named = {"question": question, "about": about, "measure": measure, "estimate": value, "text": text}
    return {**named, **missing, "note": note, "n_items": None, "n_all": None}
