"""The further coefficients of the report are those of the exported file, on the page and in the downloads."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from measures.further import ordered_of_annotators
from parley.numbers import number
from reporting.report.build import build_report
from reporting.report.downloads import as_csv
from reporting.report.further import WORDS, FurtherAgreement
from tests.factories import MembershipFactory
from tests.reporting.report.test_comparisons import cells_of
from tests.reporting.report.test_new_annotators import exported

pytestmark = pytest.mark.django_db
NOW = timezone.now()
ORDERED = {
    "gwet_ac2", "brennan_prediger_quadratic", "icc_1", "icc_a1", "icc_c1", "pearson_mean", "spearman_mean",
}  # fmt: skip


def further(study: Study, criterion: str) -> dict[str, FurtherAgreement]:
    rows = build_report(study, now=NOW).agreement_further
    return {row.coefficient: row for row in rows if row.criterion == criterion}


def page_cells(study: Study, client: Client) -> dict[str, list[str]]:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.get(reverse("report", args=[study.slug])).text
    assert "Further coefficients" in page
    return cells_of(page, "Further coefficients")


def test_a_scale_has_every_coefficient_of_the_exported_file(scale_study: Study, client: Client):
    rows = pd.DataFrame(exported(scale_study, None)).query("option.str.len() > 0")
    for criterion, mine in rows.groupby("criterion"):
        found = further(scale_study, criterion)
        assert set(found) >= ORDERED
        values = np.sort(mine["value"].astype(float).unique())
        item = mine.groupby(["dialogue", "source"]).ngroup()
        codes = np.searchsorted(values, mine["value"].astype(float))
        wanted = ordered_of_annotators(item, pd.factorize(mine["annotator"])[0], codes, len(values), values.tolist())
        for name, estimate in wanted.items():
            assert found[name].value == pytest.approx(estimate.value), (criterion, name)
    cells = page_cells(scale_study, client)
    assert len(cells) == len({row.coefficient for row in build_report(scale_study, now=NOW).agreement_further})
    shown = next(texts[0] for name, texts in cells.items() if name.startswith("ICC(A,1)"))
    first = next(row for row in build_report(scale_study, now=NOW).agreement_further if row.coefficient == "icc_a1")
    assert shown.startswith(number(first.value))


def test_answers_without_an_order_have_the_coefficients_that_need_none(overlapping: Study, client: Client):
    found = further(overlapping, "appropriateness")
    assert set(found) == {"cohen_kappa_mean", "conger_kappa", "brennan_prediger", "all_agree_share"}
    brennan = found["brennan_prediger"]
    assert brennan.new_annotators.low < brennan.low < brennan.value < brennan.high < brennan.new_annotators.high
    assert found["conger_kappa"].low is None
    assert found["conger_kappa"].interval_note == "no_standard_error"
    cell = next(texts[0] for name, texts in page_cells(overlapping, client).items() if name.startswith("Brennan"))
    assert cell.startswith(f"{number(brennan.value)} {number(brennan.low)} to {number(brennan.high)}")


def test_the_file_has_a_row_for_each_coefficient_of_each_criterion(overlapping: Study):
    report = build_report(overlapping, now=NOW)
    rows = list(csv.DictReader(io.StringIO(as_csv(report, "further_agreement"))))
    assert [(row["criterion"], row["coefficient"]) for row in rows] == [
        (row.criterion, row.coefficient) for row in report.agreement_further
    ]
    assert {row["coefficient"] for row in rows} <= set(WORDS)
    assert float(rows[0]["value"]) == pytest.approx(report.agreement_further[0].value)
