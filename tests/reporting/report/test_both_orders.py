"""A study of four sources, imported twice with their names exchanged: the board and the report say the same."""

from importlib import import_module
from itertools import combinations
from random import Random

import krippendorff
import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import AgreementCell, AgreementSnapshot, Rating, Study
from annotation.services.agreement import sweep
from protocols.services import store_bundle
from reporting.report.build import build_report, plain_report
from reporting.report.latex import as_latex
from reporting.report.methods import methods
from tests.annotation.importing.conftest import load_ratings
from tests.comparing import COMPARED, make_scenarios
from tests.factories import MembershipFactory
from tests.migrating import run_sql

pytestmark = pytest.mark.django_db
NOW = timezone.now()
NAMES = ("model-a", "model-b", "model-c", "model-d")
RENAMED = dict(zip(NAMES, ("model-b", "model-d", "model-a", "model-c"), strict=True))
# The first sources are better, so "first" is the frequent answer under these names and under the others is not.
QUALITY = dict(zip(NAMES, (0.9, 0.6, 0.3, 0.0), strict=True))
ORDERED = ("much-left", "left", "equal", "right", "much-right")
MIGRATION = import_module("annotation.migrations.0038_both_orders")


def with_numbers() -> dict:
    """The bundle of comparisons with degrees on an interval scale, and without the answers that have no place on it."""
    criterion = COMPARED["criteria"][0]
    options = [
        each | {"value": 2 - ORDERED.index(each["key"])} for each in criterion["options"] if each["key"] in ORDERED
    ]
    return COMPARED | {
        "protocol": "degrees",
        "criteria": [criterion | {"scale": "interval", "options": options, "examples": []}],
    }


def answers(names: tuple[str, ...], n: int, winners: tuple[str, ...]) -> list[list[str]]:
    """Four people over the pairs of each scenario: mostly for the better of the two."""
    rng, rows = Random(3), []
    for number in range(n):
        for first, second in combinations(names, 2):
            truth = QUALITY[first] - QUALITY[second] + rng.gauss(0, 0.4)
            for person in range(4):
                lean = truth + rng.gauss(0, 0.5)
                place = int(np.clip(round((1 - lean) / 2 * (len(winners) - 1)), 0, len(winners) - 1))
                if rng.random() < 0.9:
                    rows.append([f"s{number}", first, second, winners[place], f"r{person}"])
    return rows


def imported(tmp_path, rows: list[list[str]], n_sources: int, *, version=None, new_names=None) -> Study:
    study = make_scenarios(12, n_sources, seed=11, version=version)
    lines = [",".join(["scenario", "left", "right", "winner", "annotator"])]
    for scenario, left, right, *rest in rows:
        names = [(new_names or {}).get(each, each) for each in (left, right)]
        lines.append(",".join([scenario, *names, *rest]))
    (path := tmp_path / f"{study.pk}.csv").write_text("\n".join(lines) + "\n")
    load_ratings(study, path)
    sweep(now=NOW)
    return study


def assert_alike(one: object, other: object, within: float, where: str = "") -> None:
    """Compare two tables of the report, number by number."""
    if isinstance(one, dict):
        assert isinstance(other, dict)
        for key in one:
            assert_alike(one[key], other[key], within, f"{where}.{key}")
    elif isinstance(one, list):
        assert isinstance(other, list), where
        for at, (each, its_other) in enumerate(zip(one, other, strict=True)):
            assert_alike(each, its_other, within, f"{where}[{at}]")
    elif isinstance(one, float):
        assert other == pytest.approx(one, abs=within), where
    else:
        assert one == other, where


AGREEMENT = ("agreement", "agreement_overall", "agreement_further", "alpha_check", "pairs", "batches")
FITTED = {"icc_a1", "icc_c1"}  # printed with six digits


@pytest.fixture(params=["nominal", "interval"])
def both(request, tmp_path) -> tuple[Study, Study]:
    version, winners = None, ("left", "equal", "right", "both_bad")
    if request.param == "interval":
        version, winners = store_bundle(with_numbers(), publish=True, now=NOW)[0], ("left", "equal", "right")
    rows = answers(NAMES, 12, winners)
    return tuple(imported(tmp_path, rows, 4, version=version, new_names=each) for each in (None, RENAMED))


def test_the_report_says_the_same_under_other_names(both: tuple[Study, Study]):
    reports = [build_report(study, now=NOW) for study in both]
    first, second = (plain_report(each) for each in reports)
    for name in AGREEMENT:
        rows = [[row for row in each[name] if row.get("coefficient") not in FITTED] for each in (first, second)]
        assert_alike(*rows, 1e-9, name)
    fitted = [[row for row in each["agreement_further"] if row["coefficient"] in FITTED] for each in (first, second)]
    assert_alike(*fitted, 2e-6)
    assert reports[0].agreement_overall[0].alpha.low is not None
    assert all(row.status == "equal" for each in reports for row in each.alpha_check)


def stored(study: Study) -> list[dict]:
    cells = AgreementCell.objects.filter(snapshot__study=study).order_by("snapshot__batch__position", "pk")
    return [{"estimates": cell.estimates, "sums": {**cell.sums}} for cell in cells]


def board_of(study: Study, name: str = "board") -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client.get(reverse(name, args=[study.slug])).content.decode()


def test_so_does_the_board(both: tuple[Study, Study]):
    assert_alike(*([row["estimates"] for row in stored(each)] for each in both), 1e-9)
    sentence = "Chance agreement counts both orders of a pair, because more than two sources are compared."
    assert all(sentence in board_of(each) for each in both)


def test_the_rule_stands_in_the_report_the_methods_and_the_table_for_latex(both: tuple[Study, Study]):
    report = build_report(both[0], now=NOW)
    assert "chance agreement is computed from the answers in both orders" in report.rules["both_orders"]
    assert report.rules["both_orders"] in as_latex(report)
    assert "computed from the answers in both orders of each pair" in " ".join(methods(report))


def nominal_of_the_answers(study: Study) -> float:
    """Alpha of the stored answers as they are, by the package."""
    rows = Rating.objects.filter(batch__study=study).values_list("item", "assignment__participant", "option__position")
    items, people, options = (np.unique(each, return_inverse=True)[1] for each in zip(*rows, strict=True))
    data = np.full((people.max() + 1, items.max() + 1), np.nan)
    data[people, items] = options
    return krippendorff.alpha(data, level_of_measurement="nominal")


def test_with_two_sources_answers_count_as_they_are(tmp_path):
    rows = answers(NAMES[:2], 12, ("left", "equal", "right"))
    study = imported(tmp_path, rows, 2)
    report = build_report(study, now=NOW)
    (row,) = report.agreement_overall
    assert row.krippendorff_alpha == pytest.approx(nominal_of_the_answers(study), abs=1e-12)
    assert "both_orders" not in report.rules
    assert "Chance agreement counts both orders" not in board_of(study)


def test_agreement_that_was_stored_before_is_measured_again(both: tuple[Study, Study]):
    study = both[0]
    good = stored(study)
    version = AgreementSnapshot.objects.get(study=study, batch=None).version
    for cell in AgreementCell.objects.filter(snapshot__study=study):
        cell.estimates["alpha"]["value"], cell.sums = 0.028, {"kappa": 5}
        cell.save()
    run_sql(MIGRATION.MEASURE_AGAIN)
    sweep(now=NOW)
    assert stored(study) == good
    assert AgreementSnapshot.objects.get(study=study, batch=None).version > version
