"""E-8 in the report: how many labels two annotators gave differently, and how those were settled."""

from typing import Any

from annotation.models import Study
from qualification.selectors.confirming import confirmed_counts

Report = dict[str, Any]


def confirmed(study: Study) -> Report | None:
    """None where nobody had to confirm a label. Votes and agreement of the report are those of the first look.

    `labels`: pairs of answers to one question about one item; `replaced`: agreed after one of the two was replaced.
    """
    counts = confirmed_counts(study)
    if not counts.n_batches:
        return None
    n_differing = sum(row["disagreements"] for row in counts.by_criterion.values())
    return {
        "batches": counts.n_batches,
        "items": counts.n_items,
        "items_with_disagreement": counts.n_items_disagreed,
        "labels": counts.n_labels,
        "labels_agreed_at_first": counts.n_labels - n_differing,
        "by_criterion": [{"criterion": key, **row} for key, row in counts.by_criterion.items()],
    }
