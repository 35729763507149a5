"""Agreement has an interval for the annotators who rated and one for new annotators; the page says which is which."""

import csv
import io

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from measures.agreement import fleiss_kernel, gwet_kernel
from measures.alpha import alpha_kernel
from measures.population import Votes, population_intervals
from parley.numbers import number
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from reporting.report.downloads import as_csv
from reporting.report.latex import as_latex
from tests.factories import MembershipFactory
from tests.he_study import load_he_study
from tests.reporting.report.conftest import overlapping_rows
from tests.reporting.report.test_comparisons import cells_of

pytestmark = pytest.mark.django_db
NOW = timezone.now()
CRITERION = "appropriateness"


def exported(study: Study, criterion: str | None = CRITERION) -> list[dict[str, str]]:
    """The counted answers to a criterion, or to all."""
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    rows = csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig")))
    return [row for row in rows if criterion in (None, row["criterion"]) and row["is_counted"] == "true"]


def test_the_page_has_the_interval_for_new_annotators_of_the_exported_file(overlapping: Study, client: Client):
    rows = exported(overlapping)
    options = {name: at for at, name in enumerate(sorted({row["option"] for row in rows}))}
    item = [f"{row['dialogue']} {row['source']}" for row in rows]
    votes = Votes(
        item,
        [row["annotator"] for row in rows],
        [row["dialogue"] for row in rows],
        [options[row["option"]] for row in rows],
        len(options),
    )
    wanted = population_intervals(votes, [fleiss_kernel, alpha_kernel, gwet_kernel])
    found = next(row for row in build_report(overlapping, now=NOW).agreement_overall if row.criterion == CRITERION)
    new = (found.fleiss_new_annotators, found.alpha_new_annotators, found.ac1_new_annotators)
    for limits, interval in zip(new, wanted, strict=True):
        assert (limits.low, limits.high) == pytest.approx((interval.low, interval.high), rel=1e-6)
    assert found.fleiss_new_annotators.low < found.fleiss.low < found.fleiss.high < found.fleiss_new_annotators.high
    client.force_login(MembershipFactory(study=overlapping, role="owner").user)
    page = client.get(reverse("report", args=[overlapping.slug])).text
    alpha, kappa, ac1 = cells_of(page, "Agreement over all sources")["Appropriateness"][:3]
    for cell, interval in zip((kappa, alpha, ac1), wanted, strict=True):
        assert f"new annotators: {number(interval.low)} to {number(interval.high)}" in cell
    assert "These intervals hold for the annotators who rated." in page


def test_the_file_of_agreement_has_both_intervals(overlapping: Study):
    report = build_report(overlapping, now=NOW)
    rows = list(csv.DictReader(io.StringIO(as_csv(report, "overall"))))
    for row, found in zip(rows, report.agreement_overall, strict=True):
        for name, limits in (("fleiss", found.fleiss_new_annotators), ("alpha", found.alpha_new_annotators)):
            ends = [float(row[f"{name}_new_annotators_{end}"]) for end in ("low", "high")]
            assert ends == pytest.approx([limits.low, limits.high])


def test_latex_has_both_intervals(overlapping: Study):
    report = build_report(overlapping, now=NOW)
    tables = {text.split("}")[0]: text for text in as_latex(report).split("label{tab:")}
    row = next(row for row in report.agreement_overall if row.criterion == CRITERION)
    kappa = f"{row.fleiss_kappa:.2f}"
    stacked = rf"{kappa}\\[0pt]{{\scriptsize [%s]}}"
    assert stacked % f"{row.fleiss.low:.2f}, {row.fleiss.high:.2f}" in tables["overall"]
    new = row.fleiss_new_annotators
    assert stacked % f"{new.low:.2f}, {new.high:.2f}" in tables["newannotators"]
    mean = next(mean for each in report.comparisons for mean in each.means)
    assert f"n {mean.limits.n_ratings:,}" in tables["means"]


def test_ac1_has_the_interval_of_drawing_dialogues_from_the_exported_file(overlapping: Study):
    rows = exported(overlapping)
    options = sorted({row["option"] for row in rows})
    dialogues: dict[str, dict[str, list[int]]] = {}
    for row in rows:
        tally = dialogues.setdefault(row["dialogue"], {}).setdefault(row["source"], [0] * len(options))
        tally[options.index(row["option"])] += 1
    groups = [np.array(list(each.values()), float) for each in dialogues.values()]
    rng = np.random.default_rng(5)
    drawn = [ac1_of(np.vstack([groups[at] for at in rng.integers(0, len(groups), len(groups))])) for _ in range(2000)]
    found = next(row for row in build_report(overlapping, now=NOW).agreement_overall if row.criterion == CRITERION)
    assert found.gwet_ac1 == pytest.approx(ac1_of(np.vstack(groups)))
    assert [found.ac1.low, found.ac1.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.03)
    (row,) = [row for row in csv.DictReader(io.StringIO(as_csv(build_report(overlapping, now=NOW), "overall")))
              if row["criterion"] == CRITERION]  # fmt: skip
    assert float(row["ac1_low"]) == pytest.approx(found.ac1.low)


def ac1_of(tallies: np.ndarray) -> float:
    """Gwet 2008 in plain steps."""
    votes = tallies.sum(axis=1)
    several = votes > 1
    agreeing = (tallies * (tallies - 1)).sum(axis=1)[several] / (votes * (votes - 1))[several]
    shares = (tallies / votes[:, None]).mean(axis=0)
    chance = (shares * (1 - shares)).sum() / (tallies.shape[1] - 1)
    return (agreeing.mean() - chance) / (1 - chance)


def test_where_the_first_interval_is_withheld_so_is_the_second(scale_study: Study):
    for row in build_report(scale_study, now=NOW).agreement_overall:
        for limits, new in ((row.fleiss, row.fleiss_new_annotators), (row.alpha, row.alpha_new_annotators)):
            assert limits.low is new.low is new.high is None
            assert limits.interval_note == new.interval_note is not None


def test_two_annotators_are_too_few_for_others(client: Client):
    kept = [row for row in overlapping_rows() if np.isin(row["annotator"], ["person0", "person1"])]
    study = load_he_study(now=NOW, slug="two", rows=kept)
    row = next(row for row in build_report(study, now=NOW).agreement_overall if row.fleiss.low is not None)
    assert (row.fleiss_new_annotators.low, row.fleiss_new_annotators.interval_note) == (None, "few_annotators")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.get(reverse("report", args=["two"])).text
    assert '<span class="sub" title="No interval: fewer than 3 annotators.">new annotators: no interval</span>' in page
