"""Make a sample study for the first start: made-up dialogues, and ratings of two simulated annotators."""

from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from annotation.importing import import_dialogues, import_ratings
from annotation.models import Batch, Study
from annotation.services.agreement import refresh_batch
from annotation.services.batching import make_batches
from annotation.services.studies import create_study, open_study, set_batch_status
from protocols.models import ProtocolVersion

FILES = Path(__file__).resolve().parent.parent / "sample"
DESCRIPTION = (
    # Annotators read it too, so it names no source.
    "Sample data to try Parley with. The dialogues and their responses are made up, and the ratings that are there "
    "already were given by two simulated annotators."
)


@transaction.atomic
def make_sample_study(slug: str, *, protocol_version: ProtocolVersion, owner: User | None, now: datetime) -> Study:
    """Make an open, joinable study: 2 batches with 3 seats, and ratings by 2 others; always the same."""
    study = create_study(
        slug=slug,
        name="Sample study",
        description=DESCRIPTION,
        protocol_version=protocol_version,
        owner=owner,
        seats=3,
        is_joinable=True,
        is_clearing_on_join=True,
        platform="Sample data",
        now=now,
    )
    import_dialogues(study, FILES / "dialogues.jsonl", now=now)
    batches = make_batches(study, by="given", now=now)
    import_ratings(study, FILES / "ratings.csv", now=now)
    set_batch_status(study, keys=[batch.key for batch in batches], status=Batch.Status.OPEN, now=now)
    study = open_study(study, now=now)
    for batch in batches:
        refresh_batch(batch.pk, now=now)
    return study
