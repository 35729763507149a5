"""Every decision about a study leaves a line: who, what, to which object, what it was before."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import ActivityLog, Batch
from annotation.services import people, studies
from annotation.services.batching import make_batches
from annotation.services.discarding import discard_drafts
from annotation.services.joining import join
from annotation.services.metrics import delete_metric
from annotation.services.moving import move_study
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.sample import make_sample_study
from annotation.services.status import set_status
from protocols.bundles import load_bundle
from protocols.models import ProtocolVersion
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import MetricFactory, StudyFactory, make_batch
from tests.factories_protocols import make_he_version

pytestmark = pytest.mark.django_db
Act = Callable[[Cast], Any]


def newer_version(cast: Cast) -> ProtocolVersion:
    return make_he_version(protocol=cast.version.protocol)


DECISIONS: dict[str, tuple[Act, str, dict[str, Any]]] = {
    "study_closed": (
        lambda cast: studies.close_study(cast.study, by=cast.owner, now=NOW), "wellbeing", {"before": "open"},
    ),
    "settings": (
        lambda cast: studies.update_study(
            cast.study, pay_amount=Decimal("5.00"), pay_currency="GBP", majority_rule="absolute",
            consent_text="I agree.", by=cast.owner, now=NOW,
        ),
        "",
        {"changed": {"pay_amount": [None, "5.00"], "pay_currency": ["", "GBP"],
                     "majority_rule": ["plurality", "absolute"]}, "texts": ["consent_text"]},
    ),
    "batches_closed": (
        lambda cast: studies.set_batch_status(cast.study, keys=["1"], status="closed", by=cast.owner, now=NOW),
        "1", {"n": 1, "keys": ["1"]},
    ),
    "batch_discarded": (
        lambda cast: discard_drafts(
            cast.study, keys=[make_batch(cast.study, position=1, status="draft").key], by=cast.owner, now=NOW
        ),
        "2", {"kind": "main", "items": 6},
    ),
    "batches_made": (
        lambda cast: make_batches(cast.study, by="size", size=2, kind="pilot", actor=cast.owner, now=NOW),
        "pilot-1 – pilot-1",
        {"n": 1, "kind": "pilot", "by": "size", "size": 2, "sources": None, "seats": 3},
    ),
    "member_added": (
        lambda cast: people.add_member(cast.study, user=cast.stranger, role="lead", by=cast.owner, now=NOW),
        "stranger", {"role": "lead"},
    ),
    "role": (
        lambda cast: people.change_role(
            cast.study.memberships.get(user=cast.observer), role="lead", by=cast.owner, now=NOW
        ),
        "observer", {"before": "observer", "after": "lead"},
    ),
    "member_removed": (
        lambda cast: people.remove_member(cast.study.memberships.get(user=cast.observer), by=cast.owner, now=NOW),
        "observer", {"role": "observer"},
    ),
    "status": (
        lambda cast: set_status(cast.annotator, status="excluded", by=cast.owner, reason="Asked to", now=NOW),
        "*", {"before": "cleared", "after": "excluded", "reason": "Asked to"},
    ),
    "next_round": (
        lambda cast: open_next_round(cast.batch, by=cast.owner, reason="Too few right", now=NOW),
        "1", {"round": 2, "reason": "Too few right", "group": ""},
    ),
    "metric_deleted": (
        lambda cast: delete_metric(MetricFactory(study=cast.study, key="bleu"), by=cast.owner, now=NOW), "bleu", {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("verb", DECISIONS)
def test_a_decision_is_logged(verb: str):
    act, about, details = DECISIONS[verb]
    cast = make_cast()
    act(cast)
    line = ActivityLog.objects.get(study=cast.study, verb=verb)
    assert (line.actor, line.at, line.details) == (cast.owner, NOW, details)
    assert line.object == (cast.annotator.pseudonym if about == "*" else about)


def test_a_study_moved_to_another_version_says_from_which():
    cast = make_cast()
    newer = newer_version(cast)
    move_study(cast.study, newer, by=cast.owner, now=NOW)
    line = ActivityLog.objects.get(verb="protocol_moved")
    assert (line.details["before"], line.details["after"]) == (str(cast.version), str(newer))


def test_what_changes_nothing_leaves_no_line():
    cast = make_cast()
    studies.open_study(cast.study, by=cast.owner, now=NOW)
    studies.update_study(cast.study, name=cast.study.name, by=cast.owner, now=NOW)
    studies.set_batch_status(cast.study, keys=["1"], status=Batch.Status.OPEN, by=cast.owner, now=NOW)
    set_status(cast.annotator, status="cleared", by=cast.owner, now=NOW)
    people.change_role(cast.study.memberships.get(user=cast.observer), role="observer", by=cast.owner, now=NOW)
    assert not ActivityLog.objects.exists()


def test_a_refused_change_leaves_no_line():
    cast = make_cast()
    with pytest.raises(Refused, match="somebody else an owner"):
        people.remove_member(cast.study.memberships.get(user=cast.owner), by=cast.owner, now=NOW)
    assert not ActivityLog.objects.exists()


def test_somebody_who_joins_by_the_link_is_logged_by_the_pseudonym_alone():
    study = StudyFactory(is_joinable=True)
    participant = join(study, user=None, has_agreed=True, now=NOW)
    (line,) = ActivityLog.objects.all()
    assert (line.verb, line.object, line.actor) == ("joined", participant.pseudonym, None)
    assert participant.user.username not in str(line.details)


def test_making_a_study_says_so_from_the_first_line_on():
    version, _is_new = store_bundle(load_bundle(BUILTIN / "he-protocol-1.0.yaml"), publish=True, now=NOW)
    study = make_sample_study("sample", protocol_version=version, owner=None, now=NOW)
    verbs = list(ActivityLog.objects.filter(study=study).order_by("pk").values_list("verb", flat=True))
    assert verbs == ["study_made", "batches_made", "batches_open", "study_open"]
