"""The board and the report of a study under every shipped protocol, on real answers of two annotators."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Membership, Rating
from annotation.services.agreement import refresh_batch
from protocols.models import Criterion
from tests.factories import UserFactory
from tests.shipped import Work

pytestmark = pytest.mark.django_db
BUNDLES = [
    ("he-protocol-1.0", 2),
    ("he-protocol-1.0-three-criteria", 2),
    ("persona-quality-1.0", 2),
    ("dialogue-hit-1.0", 2),
    ("diqad-1.0", 0),
    ("diqad-1.0-zh", 0),
    ("three-point-coherence-1.0", 2),
    ("usr-1.1", 2),
    ("abc-eval-1.1", 2),
    ("ssa-1.0", 2),
    ("dialogue-questionnaire-1.0", 0),
    ("acute-eval-1.0", 2),
]


def answer_everything(work: Work, shift: int) -> None:
    """Every question that is asked, at options that differ from item to item."""
    for unit in work.spec.units:
        for at, item in enumerate(work.items(unit)):
            for criterion in work.spec.asked_of(unit):
                if not criterion.when and criterion.kind == Criterion.Kind.SINGLE:
                    options = [option for option in criterion.options if option.asks != "free_text"]
                    work.answer(item, criterion.key, options[(at + shift) % len(options)].key)


@pytest.mark.parametrize(("bundle", "n_sources"), BUNDLES)
def test_board_report_and_downloads_show_what_is_counted(client, capsys, bundle: str, n_sources: int):
    work = Work(bundle, n_dialogues=4, n_sources=n_sources).has_read_all()
    other = work.another("bea").has_read_all()
    answer_everything(work, 0)
    answer_everything(other, 1)
    refresh_batch(work.batch.pk, now=timezone.now())
    owner = Membership.objects.create(study=work.study, user=UserFactory(), role="owner").user
    client.force_login(owner)
    for route in ("board", "board_fragment", "report"):
        assert client.get(reverse(route, args=[work.study.slug])).status_code == 200, route
    call_command("study_report", work.study.slug, "--format", "json")
    report = json.loads(capsys.readouterr().out)
    counted = {each.key for each in work.spec.criteria if each.kind in ("single", "computed") and not each.when}
    assert {row["criterion"] for row in report["agreement"]} == counted
    assert {row["criterion"] for row in report["votes"]} == counted
    assert report["n_ratings"] == Rating.objects.filter(is_active=True).count()
