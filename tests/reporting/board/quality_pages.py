"""What tests of the board's second part do with it."""

import numpy as np
from django.urls import reverse
from django.utils import timezone

from annotation.agreement_cells import alike
from annotation.models import Rating
from protocols.specs import spec_of
from reporting.board.batch_drift import drift_lines
from reporting.board.quality_page import quality_page
from reporting.board.rows import board_data
from tests.cast import Cast

NOW = timezone.now()


def page_url(cast: Cast, query: str = "") -> str:
    return reverse("board_quality", args=[cast.study.slug]) + query


def fragment_url(cast: Cast) -> str:
    return reverse("board_quality_fragment", args=[cast.study.slug]) + "?page=1"


def votes_of(study, criterion_key: str) -> tuple[np.ndarray, ...]:
    """Items, annotators, codes and times of all main batches."""
    criterion = spec_of(study.protocol_version).by_key[criterion_key]
    rows = Rating.objects.filter(criterion=criterion.id, batch__study=study, batch__kind="main", is_active=True)
    rows = rows.filter(assignment__seat__isnull=False)
    fields = rows.values_list("item", "assignment__participant", "option", "active_ms")
    items, people, options, times = (np.array(column) for column in zip(*fields, strict=True))
    known = [option.id for option in criterion.options]
    return items, people, np.array([known.index(option) for option in options.tolist()]), times


def with_floor(cast: Cast, floor: float | None):
    cast.study.kappa_floor = floor
    return {row.pseudonym: row for row in quality_page(cast.study, {})["rows"]}


def people_and_criteria(cast: Cast):
    data = board_data(cast.study, {})
    return data, alike(data.choice.criteria)[0]


def lines_of(cast: Cast, **query: str):
    data = board_data(cast.study, query)
    return drift_lines(data, alike(data.choice.criteria)[0])
