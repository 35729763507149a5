"""The board of a study whose turns nobody rates: each whole dialogue is alone in its conversation."""

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from annotation.selectors.dialogues import rates_turns
from annotation.services.agreement import sweep
from annotation.services.batching import make_batches
from protocols.specs import spec_of
from reporting.study.votes import study_votes
from tests.annotation.importing.conftest import NOW, load
from tests.factories import MembershipFactory, StudyFactory, make_annotator, take_seat
from tests.factories_protocols import make_scale_version
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
TURNS = "The dialogues of this study are turns of conversations"


def rated_study(path: Path, unit: str) -> Study:
    said = [("user", "Hi"), ("assistant", "Hello"), ("user", "And?"), ("assistant", "Well.")]
    messages = [{"role": role, "content": text} for role, text in said]
    logs = [{"id": f"c{at}", "model": "m", "messages": messages} for at in range(4)]
    path.write_text("\n".join(map(json.dumps, logs)))
    study = StudyFactory(protocol_version=make_scale_version(1, unit=unit), seats=2)
    load(study, path, transcript=True, with_dialogue=True)
    (batch,) = make_batches(study, by="size", size=20, now=NOW)
    for name in ("ann", "bob"):
        rate_everything(take_seat(make_annotator(study, name), batch), now=NOW)
    sweep(now=NOW)
    return study


@pytest.mark.parametrize(("unit", "are_turns"), [("dialogue", False), ("response", True)])
def test_the_board_decides_by_what_is_rated_as_the_report_does(tmp_path: Path, unit: str, are_turns: bool):
    study = rated_study(tmp_path / "log.jsonl", unit)
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    assert (TURNS in client.get(reverse("board", args=[study.slug])).text) == are_turns
    items = study_votes(study, spec_of(study.protocol_version)).items
    assert items.has_turns == rates_turns(study.pk) == are_turns
