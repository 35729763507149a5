"""Labels that were settled leave with the archive of a study, and count in the copy as they did before."""

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.importing import ImportRejected
from annotation.models import Study
from archive.reader import import_archive
from qualification.adjudication.selectors.disagreements import settled_labels
from qualification.models import Disagreement
from reporting.predictions.downloads import as_json
from reporting.predictions.table import Comparison
from tests.archive.round_trip import differences, empty_the_database, report_of, with_file
from tests.qualification.adjudication.settled import pair, predict, settle_second  # noqa: F401 - a fixture
from tests.shipped import Work

Pair = tuple[Work, Work]
Written = Callable[..., bytes]
SPLIT = {"criterion": "score", "train": 100, "validation": 0}


@pytest.fixture
def study(pair: Pair) -> Study:  # noqa: F811
    """One of three labels was settled at the re-rating, one by a trainer; a metric predicts all."""
    work, _other = pair
    settle_second(work)
    predict(work, "1", "2", "2")
    return Study.objects.get(pk=work.study.pk)


def kept_in(study: Study) -> list[tuple[str, int]]:
    """How each label was settled, and how many answers are kept with it."""
    return sorted((label.how, len(label.answers)) for label in settled_labels(study).values())


def parts_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist() if not name.endswith(".pdf")}


def test_report_data_set_and_predictions_of_the_copy_are_the_same(study: Study, come_back, written: Written) -> None:
    before, data_set = report_of(study), parts_of(written(study, "diqad", **SPLIT))
    predictions, kept = as_json(Comparison(study)), kept_in(study)

    back = come_back(study)

    assert differences(before, report_of(back)) == []
    assert parts_of(written(back, "diqad", **SPLIT)) == data_set
    assert as_json(Comparison(back)) == predictions
    assert kept_in(back) == kept
    assert [how for how, n in kept if n] == ["adjudicated", "re_rating"]


def test_a_label_says_when_and_in_which_role_it_was_settled(study: Study, written: Written) -> None:
    rows = list(csv.DictReader(io.StringIO(parts_of(written(study, "archive"))["settled.csv"])))
    said = {row["how"]: (row["state"], row["option"], row["settled_by"]) for row in rows}
    assert said == {"re_rating": ("settled", "1", ""), "adjudicated": ("settled", "2", "trainer")}
    assert all(row["settled_at"] for row in rows)


def test_what_still_waits_for_a_re_rating_waits_for_a_trainer_in_the_copy(study: Study, come_back) -> None:
    """Imported annotators have no accounts, so they cannot look again."""
    Disagreement.objects.filter(how="adjudicated").update(state="re_rating", how="", option=None, settled_at=None)
    before = report_of(study)
    back = come_back(study)
    assert differences(before, report_of(back)) == []
    assert list(Disagreement.objects.order_by("pk").values_list("state", flat=True)) == ["settled", "adjudication"]


def test_a_kept_answer_that_no_longer_counts_stays_behind_and_is_said(
    study: Study, written: Written, tmp_path: Path
) -> None:
    """One of the two lost the seat of the re-rating, in which both labels have answers."""
    Disagreement.objects.get(how="adjudicated").answers.first().assignment.seat.delete()
    path = tmp_path / "archive.zip"
    path.write_bytes(written(study, "archive"))
    empty_the_database()
    back, summary = import_archive(path, owner=None, now=timezone.now())
    assert "6 answers kept with settled labels did not count and were left out." in summary.notes
    assert dict(kept_in(back)) == {"adjudicated": 0, "re_rating": 3}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("settled.csv", lambda text: text.replace(",settled,", ",solved,", 1)),
        ("settled.csv", lambda text: text.replace(",adjudicated,", ",by lot,", 1)),
        ("settled.csv", lambda text: text.replace(",score,", ",charm,", 1)),
        ("settled.csv", lambda text: text.replace(",adjudicated,2,", ",adjudicated,,", 1)),
        ("settled.csv", lambda text: text.replace("number,", "no,", 1)),
        ("settled_answers.csv", lambda text: text.replace("annotator", "who", 1)),
        ("settled_answers.csv", lambda text: text + text.splitlines()[1] + "\r\n"),
    ],
)
def test_settled_labels_that_contradict_the_archive_are_refused(
    study: Study, written: Written, tmp_path: Path, name: str, change: Callable[[str], str]
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(written(study, "archive"), name, change))
    with pytest.raises(ImportRejected):
        import_archive(path, slug="copy", owner=None, now=timezone.now())
    assert not Study.objects.filter(slug="copy").exists()
