"""Every number of the reference study's expected.json, compared with what Parley prints of the imported study."""

import csv
import gzip
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from measures.agreement import fleiss_kappa
from measures.histograms import Histogram
from reporting.exports.diqad import split_records
from reporting.exports.formats import no_tick
from reporting.exports.options import ExportOptions
from tests.he_study import DATA, expected

# The fixtures that each comparison asks for in its own words are those of the module.
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept_he_report")]
EXPECTED = expected()
Wanted = Any
CLOSE = 1e-6  # the file has six decimals


def by_cell(rows: list[Any], *names: str) -> dict[str, Any]:
    """One figure as it is, several as a dictionary."""
    found = {f"{row.source}/{row.criterion}": {name: getattr(row, name) for name in names} for row in rows}
    return found if len(names) > 1 else {cell: row[names[0]] for cell, row in found.items()}


def assert_kappas(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == pytest.approx(value, abs=CLOSE), name


def the_seed_is_that_of_the_provenance(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert f"--seed {wanted}" in (DATA / "PROVENANCE.md").read_text()


def the_note_says_what_the_data_are(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert wanted.startswith("synthetic")


def ratings(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert request.getfixturevalue("he_report").n_ratings == wanted


def majority(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    rows = request.getfixturevalue("he_report").majority
    assert by_cell(rows, "positive_items", "percent") == wanted


def majority_ties(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    """The report counts them, the data set leaves them out by name."""
    rows = request.getfixturevalue("he_report").majority
    of_cell = {cell: sum(cell == name.split("-", 1)[1] for name in wanted) for cell in EXPECTED["majority"]}
    assert by_cell(rows, "ties") == of_cell
    study = request.getfixturevalue("he_study")
    items = set(study.dialogues.values_list("candidates__key", flat=True))
    found = []
    for criterion in ("appropriateness", "contextualization", "correctness", "listening"):
        lines, summary = split_records(study, ExportOptions(criterion=criterion), no_tick)
        labelled = {json.loads(line)["item"] for _part, line in lines}
        assert summary.outcomes["tied"] == len(items - labelled)
        found += [f"{item}/{criterion}" for item in sorted(items - labelled)]
    assert found == wanted


def all_votes_positive_percent(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert by_cell(request.getfixturevalue("he_report").votes, "percent_positive") == wanted


def votes(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    rows = request.getfixturevalue("he_report").votes
    found = by_cell(rows, "positive", "negative", "unsure")
    assert {cell: row | {"dont_know": row.pop("unsure")} for cell, row in found.items()} == wanted


def fleiss_mean_over_batches(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert_kappas(by_cell(request.getfixturevalue("he_report").agreement, "mean"), wanted)


def fleiss_per_batch(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert_kappas(by_cell(request.getfixturevalue("he_report").agreement, "per_batch"), wanted)


def fleiss_strong_only_per_batch(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    assert_kappas(by_cell(request.getfixturevalue("he_report").agreement, "strong_per_batch"), wanted)


def fleiss_batch_pooled(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    rows = request.getfixturevalue("he_report").batches
    assert_kappas({f"batch{row.batch}": row.kappa_all_judgements for row in rows}, wanted)


def cohen_pairs_pooled(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    found: dict[str, dict[str, float]] = {batch: {} for batch in wanted}
    for row in request.getfixturevalue("he_report").pairs:
        found[f"batch{row.batch}"]["-".join(row.annotators)] = row.kappa
    for batch, pairs in wanted.items():
        assert_kappas(found[batch], pairs)


def qualification(wanted: Wanted, request: pytest.FixtureRequest) -> None:
    """Fleiss' kappa of three internal non-experts, and of them with each worker; all criteria together."""
    answers = qualification_answers()
    internals = [answers["internal_nonexpert"][name] for name in sorted(answers["internal_nonexpert"])]
    assert kappa_of(internals) == pytest.approx(wanted["internal_fleiss"], abs=CLOSE)
    found = {name: kappa_of([*internals, mine]) for name, mine in answers["worker"].items()}
    known = {row["annotator"]: row for row in csv.DictReader((DATA / "annotators.csv").open(encoding="utf-8"))}
    assert_kappas(found, {name: float(row["qualification_kappa"]) for name, row in known.items()})
    passed = {name for name, kappa in found.items() if kappa > wanted["threshold"]}
    assert passed == {name for name, row in known.items() if row["qualified"] == "True"}
    assert (len(passed), len(found) - len(passed)) == (wanted["qualified"], wanted["rejected"])
    assert wanted.keys() == {"threshold", "internal_fleiss", "qualified", "rejected"}


def qualification_answers() -> dict[str, dict[str, list[int]]]:
    """{role: {annotator: codes of the 100 units}}: 0 positive, 1 negative, 2 unsure."""
    found: dict[str, dict[str, list[int]]] = {}
    with gzip.open(DATA / "qualification_ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            code = 2 if row["answer"] == "I don't know" else int(row["answer"].startswith("Not "))
            found.setdefault(row["role"], {}).setdefault(row["annotator"], []).append(code)
    return found


def kappa_of(raters: list[list[int]]) -> float:
    value = fleiss_kappa(Histogram.from_matrix(np.array(raters, np.int8).T, 3)).value
    assert value is not None
    return value


COMPARED: dict[str, Callable[[Wanted, pytest.FixtureRequest], None]] = {
    "seed": the_seed_is_that_of_the_provenance,
    "note": the_note_says_what_the_data_are,
    "n_ratings": ratings,
    "majority": majority,
    "majority_ties": majority_ties,
    "all_votes_positive_percent": all_votes_positive_percent,
    "votes": votes,
    "fleiss_mean_over_batches": fleiss_mean_over_batches,
    "fleiss_per_batch": fleiss_per_batch,
    "fleiss_strong_only_per_batch": fleiss_strong_only_per_batch,
    "fleiss_batch_pooled_all_sources_criteria": fleiss_batch_pooled,
    "cohen_pairs_pooled": cohen_pairs_pooled,
    "qualification": qualification,
}


@pytest.mark.parametrize("key", EXPECTED)
def test_every_number_of_the_reference_study_is_printed(key: str, request: pytest.FixtureRequest) -> None:
    """A key that nothing here compares fails."""
    COMPARED[key](EXPECTED[key], request)


def test_nothing_is_compared_that_the_file_does_not_have() -> None:
    assert COMPARED.keys() == EXPECTED.keys()
