"""Read stored agreement unchanged: one snapshot and its cells, in two queries."""

from typing import Any

from annotation.models import AgreementSnapshot, Batch, Study

NOTHING: dict[str, Any] = {"version": 0, "computed_at": None, "n_ratings": 0, "n_wanted": 0, "cells": []}


def study_agreement(study: Study) -> dict[str, Any]:
    return _plain(AgreementSnapshot.objects.filter(study=study, batch=None).first())


def batch_agreement(batch: Batch) -> dict[str, Any]:
    return _plain(AgreementSnapshot.objects.filter(batch=batch).first())


def _plain(snapshot: AgreementSnapshot | None) -> dict[str, Any]:
    if snapshot is None:
        return NOTHING
    rows = snapshot.cells.select_related("criterion", "source").order_by("criterion__position", "source__position")
    return {
        "version": snapshot.version,
        "computed_at": snapshot.computed_at,
        "n_ratings": snapshot.n_ratings,
        "n_wanted": snapshot.n_wanted,
        "cells": [
            {
                "criterion": row.criterion.key,
                "source": row.source and row.source.key,
                "histogram": row.histogram,
                "estimates": row.estimates,
            }
            for row in rows
        ],
    }
