"""The reference study as if one team had rated parts of it, with gaps."""

import numpy as np
import pytest
from django.utils import timezone

from annotation.models import Study
from tests.he_study import he_rows, load_he_study

NOW = timezone.now()
TEAM = 12


def overlapping_rows() -> list[dict[str, str]]:
    """The reference study as if parts of one team of twelve had rated its batches, with a tenth of the answers gone."""
    rng, kept = np.random.default_rng(2), []
    people: dict[str, dict[str, str]] = {}
    for row in he_rows():
        of_batch = people.setdefault(row["batch"], {})
        if row["annotator"] not in of_batch:
            start = 3 * (len(people) - 1)
            of_batch[row["annotator"]] = f"person{(start + len(of_batch)) % TEAM}"
        if rng.random() < 0.9:
            kept.append(row | {"annotator": of_batch[row["annotator"]]})
    return kept


@pytest.fixture(scope="module")
def make_overlapping(shared):
    return shared(lambda: load_he_study(now=NOW, slug="overlapping", rows=overlapping_rows()))


@pytest.fixture
def overlapping(make_overlapping, db: None) -> Study:
    return make_overlapping()
