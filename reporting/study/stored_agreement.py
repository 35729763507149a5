"""Read stored agreement unchanged: the cells of a snapshot, in one query."""

from typing import Any

from annotation.models import AgreementSnapshot

NOTHING: dict[str, Any] = {"version": 0, "computed_at": None, "n_ratings": 0, "n_wanted": 0, "cells": []}


def stored_agreement(snapshot: AgreementSnapshot | None) -> dict[str, Any]:
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
