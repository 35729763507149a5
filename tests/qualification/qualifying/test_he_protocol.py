"""The qualification rule on the simulated study: 40 workers, a panel of three, all criteria together, threshold .21."""

import csv
import gzip
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.importing import RatingOptions, import_ratings
from annotation.models import Batch, Participant, Seat, StatusChange, Study
from annotation.services.status import set_status
from qualification.models import Attempt, Qualification
from qualification.qualifying.selectors.votes import panel_figures
from qualification.qualifying.services.results import sweep_attempts
from tests.factories import StudyFactory
from tests.factories_protocols import make_he_version
from tests.he_study import DATA, expected
from tests.qualification.qualifying.factories import QualificationFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()
COLUMNS = {"dialogue": "dialogue_id", "item": "item", "source": "source", "annotator": "annotator",
           "criterion": "criterion", "value": "answer", "batch": "batch"}  # fmt: skip


def read(name: str) -> list[dict[str, str]]:
    opened = gzip.open if name.endswith(".gz") else open
    with opened(DATA / name, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """The answers come in by the import; then the internals are the panel, and the workers want to qualify."""
    study = StudyFactory(protocol_version=make_he_version(), has_qualification=True, seats=3)
    rows = read("qualification_ratings.csv.gz")
    path = tmp_path / "qualification.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0], "item", "batch"])
        writer.writeheader()
        writer.writerows(
            row | {"item": f"{row['dialogue_id']}-{row['source']}", "batch": "qualification-1"} for row in rows
        )
    import_ratings(study, path, options=RatingOptions(columns=COLUMNS, create_missing=True), now=NOW)
    Batch.objects.filter(study=study).update(kind=Batch.Kind.QUALIFICATION, status=Batch.Status.OPEN)
    panel = {"internal_expert": "expert", "internal_nonexpert": "non_expert"}
    for name, role in {row["annotator"]: row["role"] for row in rows}.items():
        person = study.participants.get(pseudonym=name)
        Participant.objects.filter(pk=person.pk).update(panel=panel.get(role, ""))
        if role == "worker":
            set_status(person, status="qualifying", now=NOW)
    return study


def test_the_rule_of_the_study_clears_its_35_and_no_other(study: Study):
    QualificationFactory(
        study=study,
        threshold_from=Qualification.ThresholdFrom.FIXED,
        threshold=expected()["qualification"]["threshold"],
    )
    assert sweep_attempts(now=NOW) == 40
    attempts = {each.participant.pseudonym: each for each in Attempt.objects.select_related("participant")}
    for worker in read("annotators.csv"):
        attempt = attempts[worker["annotator"]]
        is_qualified = worker["qualified"] == "True"
        assert attempt.value == pytest.approx(float(worker["qualification_kappa"]), abs=1e-6)
        assert attempt.state == ("passed" if is_qualified else "failed")
        assert attempt.participant.status == ("cleared" if is_qualified else "failed")
        assert attempt.n_items == 100
        assert attempt.low < attempt.value < attempt.high
    statuses = [attempt.participant.status for attempt in attempts.values()]
    assert statuses.count("cleared") == expected()["qualification"]["qualified"]
    assert statuses.count("failed") == expected()["qualification"]["rejected"]


def test_the_panels_own_kappa_is_the_printed_one_and_the_default_threshold(study: Study):
    qualification = QualificationFactory(study=study)
    figures = panel_figures(qualification, study)
    own = expected()["qualification"]["internal_fleiss"]
    assert (figures.kappa.value, figures.n_members) == (pytest.approx(own, abs=1e-6), 3)
    sweep_attempts(now=NOW)
    thresholds = set(Attempt.objects.values_list("threshold", flat=True))
    assert sorted(thresholds) == [pytest.approx(figures.kappa.value)]


def test_a_second_sweep_and_a_clock_an_hour_wrong_change_nothing(study: Study):
    QualificationFactory(study=study)
    sweep_attempts(now=NOW)
    before = list(Attempt.objects.order_by("pk").values())
    assert sweep_attempts(now=NOW - timedelta(hours=1)) == 0
    assert sweep_attempts(now=NOW + timedelta(days=400)) == 0
    assert list(Attempt.objects.order_by("pk").values()) == before
    assert StatusChange.objects.filter(before="qualifying").count() == 40


def test_every_criterion_by_itself_is_stored_and_decides_where_the_qualification_says_so(study: Study):
    QualificationFactory(study=study, scope=Qualification.Scope.EACH)
    sweep_attempts(now=NOW)
    for attempt in Attempt.objects.all():
        assert [part["criterion"] for part in attempt.parts] == [
            "appropriateness", "contextualization", "listening", "correctness"
        ]  # fmt: skip
        has_passed_all = all(part["state"] == "passed" for part in attempt.parts)
        assert (attempt.state == "passed") is has_passed_all
    assert Seat.objects.filter(assignment__isnull=False).count() == 46
