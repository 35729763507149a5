"""The API tells stored agreement as it is stored."""

import pytest
from django.utils import timezone

from annotation.models import AgreementCell
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from tests.api import Api
from tests.cast import Cast
from tests.working import rate_everything

NOW = timezone.now()


@pytest.mark.parametrize("of_batch", [False, True])
def test_stored_agreement_of_a_study_and_of_a_batch_is_told_cell_by_cell(cast: Cast, of_batch: bool) -> None:
    query = {"batch": cast.batch.key} if of_batch else {}
    nothing = Api(cast.observer).get("api_study_agreement", cast.study.slug, **query).json()
    assert nothing == {"version": 0, "computed_at": None, "n_ratings": 0, "n_wanted": 0, "cells": []}

    for number in range(2):
        rate_everything(claim_seat(cast.annotators[number], cast.batch, now=NOW), now=NOW, option=number)
    refresh_batch(cast.batch.pk, now=NOW)
    rows = AgreementCell.objects.filter(snapshot__study=cast.study, snapshot__batch=cast.batch if of_batch else None)
    rows.filter(pk=rows.latest("pk").pk).update(source=None)  # as of a question about whole dialogues
    told = Api(cast.observer).get("api_study_agreement", cast.study.slug, **query).json()

    ordered = rows.order_by("criterion__position", "source__position")
    assert [each["source"] for each in told["cells"]].count(None) == 1
    assert [(each["criterion"], each["source"]) for each in told["cells"]] == [
        (cell.criterion.key, cell.source and cell.source.key) for cell in ordered
    ]
    assert [each["histogram"] for each in told["cells"]] == [cell.histogram for cell in ordered]
    assert [each["estimates"] for each in told["cells"]] == [cell.estimates for cell in ordered]
    snapshot = ordered[0].snapshot
    assert (told["version"], told["n_ratings"], told["n_wanted"]) == (
        snapshot.version,
        snapshot.n_ratings,
        snapshot.n_wanted,
    )
    assert told["computed_at"]
