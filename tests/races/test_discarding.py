"""A draft that one person discards while another opens it: it is open and whole, or gone."""

import pytest

from annotation.services.discarding import discard_drafts
from annotation.services.refusals import Refused
from annotation.services.studies import set_batch_status
from tests.cast import make_cast
from tests.clock import NOW
from tests.factories import make_batch
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("attempt", range(5))
def test_a_draft_is_opened_or_discarded_and_never_both(attempt):
    cast = make_cast()
    make_batch(cast.study, position=1, key="typo", status="draft")

    discarded, n_opened = run_together([
        lambda: discard_drafts(cast.study, keys=["typo"], by=cast.owner, now=NOW),
        lambda: set_batch_status(cast.study, keys=["typo"], status="open", by=cast.owner, now=NOW),
    ])  # fmt: skip

    left = cast.study.batches.filter(key="typo", status="open", items__isnull=False).exists()
    assert (isinstance(discarded, Refused), n_opened, left) in [(True, 1, True), (False, 0, False)]
