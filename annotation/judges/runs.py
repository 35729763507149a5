"""Estimate, start, stop and resume runs of a language model as judge. `worker` sends the requests.

Judges are off unless the operator names an endpoint. The key is in the worker's environment and is never stored.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.judges.prompts import Prompter, Target, judgeable, not_judged, target_of
from annotation.models import Batch, Candidate, Dialogue, JudgeRun, Study
from annotation.nudging import queue
from annotation.services import activity
from annotation.services.refusals import Refused
from parley.advisory import is_locked
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

LOCK_SPACE = 0x1A72
LOST_AFTER = timedelta(minutes=2)
SAMPLED = 50  # targets whose prompts are written for an estimate
TOKENS_OF_AN_ANSWER = 12
MILLION = 1_000_000
UNCHECKED = (
    "study", "user", "protocol_version", "price_prompt", "price_answer", "started_at", "beaten_at", "finished_at",
)  # fmt: skip
Status = JudgeRun.Status
UNDER_WAY = (Status.QUEUED, Status.RUNNING)
OVER_FOR_NOW = (Status.STOPPED, Status.FAILED)


def is_configured() -> bool:
    return bool(settings.JUDGE_ENDPOINTS)


# --- what is judged -------------------------------------------------------------------------------
def target_ids(run: JudgeRun) -> list[int]:
    """Return the ids of candidates, or dialogues, with text in main batches; a random part if the run has a maximum.

    The draw orders ids by a hash with the seed, so later imports do not change the order of earlier ids.
    """
    items = Q(items__batch__study=run.study_id, items__batch__kind=Batch.Kind.MAIN, items__is_check=False)
    if run.protocol_version.unit == ProtocolVersion.Unit.RESPONSE:
        candidates = Candidate.objects.filter(items, dialogue__is_textless=False).exclude(text="")
        ids = sorted(set(candidates.values_list("pk", flat=True)))
    else:
        dialogues = Dialogue.objects.filter(items, items__unit="dialogue", is_textless=False)
        ids = sorted(set(dialogues.values_list("pk", flat=True)))
    if run.most_targets is not None and run.most_targets < len(ids):
        drawn = sorted(ids, key=lambda pk: hashlib.sha256(f"{run.seed}|{pk}".encode()).digest())
        ids = sorted(drawn[: run.most_targets])
    return ids


def targets_of(run: JudgeRun, ids: Iterable[int]) -> list[Target]:
    """Return the targets with their texts, sorted by id."""
    if run.protocol_version.unit == ProtocolVersion.Unit.RESPONSE:
        rows = Candidate.objects.select_related("dialogue").in_bulk(list(ids))
        return [target_of(rows[pk].dialogue, rows[pk]) for pk in sorted(rows)]
    dialogues = Dialogue.objects.in_bulk(list(ids))
    return [target_of(dialogues[pk], None) for pk in sorted(dialogues)]


# --- before ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Needs:
    """An estimate of what a run takes if nothing is asked twice. Tokens are guessed from the length of the texts."""

    n_targets: int
    n_calls: int
    tokens_prompt: int
    tokens_answer: int
    cost: Decimal | None
    minutes: int


def needs_of(run: JudgeRun) -> Needs:
    """Return the estimate for a run, which need not be stored."""
    ids = target_ids(run)
    n_calls = len(ids) * len(run.criteria)
    prompter = Prompter(run)
    found = [
        sum(tokens_in(message["content"]) for message in prompter.body(target, criterion)["messages"])
        for target in targets_of(run, ids[:: max(1, len(ids) // SAMPLED)][:SAMPLED])
        for criterion in run.criteria
    ]
    prompt = round(n_calls * (sum(found) / len(found) if found else 0.0))
    answer = n_calls * TOKENS_OF_AN_ANSWER
    minutes = -(-n_calls // run.requests_per_minute)
    return Needs(len(ids), n_calls, prompt, answer, cost_of(run, prompt, answer), minutes)


def tokens_in(text: str) -> float:
    """Return a rough number of tokens: four ASCII characters make one, and so does each other character."""
    n_ascii = sum(character.isascii() for character in text)
    return n_ascii / 4 + (len(text) - n_ascii)


def cost_of(run: JudgeRun, tokens_prompt: int, tokens_answer: int) -> Decimal | None:
    """Return the cost, or None without prices."""
    if run.price_prompt is None or run.price_answer is None:
        return None
    return (run.price_prompt * tokens_prompt + run.price_answer * tokens_answer) / MILLION


def planned_run(study: Study, user: User, values: dict[str, Any], *, now: datetime) -> JudgeRun:
    """Return a run that is not stored yet. Raise Refused if it cannot be run."""
    spec = spec_of(study.protocol_version)
    if not judgeable(spec):
        raise Refused("not_judged", not_judged(spec))
    if not is_configured():
        raise Refused("off", _("No endpoint is configured for model judges. Ask the administrator."))
    if values["endpoint"] not in settings.JUDGE_ENDPOINTS:
        raise Refused("endpoint", _("This endpoint is not allowed here."))
    known = {each.key: each.id for each in judgeable(spec)}
    if not values["criteria"] or set(values["criteria"]) - known.keys():
        raise Refused("criteria", _("Choose criteria that are asked about every response or every dialogue."))
    rest = {name: value for name, value in values.items() if name != "criteria"}
    return JudgeRun(
        study=study,
        user=user,
        protocol_version=study.protocol_version,
        content_language=study.content_language,
        criteria=[pk for key, pk in known.items() if key in values["criteria"]],
        seed=study.seed,
        created_at=now,
        **rest,
    )


@transaction.atomic
def start_run(study: Study, user: User, values: dict[str, Any], *, is_trial: bool = False, now: datetime) -> JudgeRun:
    """Store the run and queue it for a worker; a trial stops after its first item. Raise Refused."""
    locked_study = Study.objects.select_for_update(no_key=True).select_related("protocol_version").get(pk=study.pk)
    run = planned_run(locked_study, user, values, now=now)
    if study.judge_runs.filter(status__in=UNDER_WAY).exists():
        raise Refused("busy", _("A judge is already running in this study. Wait until it is done, or stop it."))
    if study.judge_runs.filter(name=run.name).exists():
        raise Refused("name", _("The study already has a judge with this name. Choose another name."))
    run.n_total = len(target_ids(run)) * len(run.criteria)
    if not run.n_total:
        raise Refused("nothing", _("There is nothing to judge: no main batch has an item with text."))
    run.full_clean(exclude=UNCHECKED)
    run.started_at, run.is_trial = now, is_trial
    run.save()
    details = {"model": run.model, "calls": run.n_total}
    activity.log(locked_study, user, "judge_started", about=run.name, details=details, now=now)
    transaction.on_commit(partial(send, run.pk), robust=True)
    return run


# --- while it runs --------------------------------------------------------------------------------
@transaction.atomic
def stop_run(run: JudgeRun) -> None:
    """Stop the run after the current request and keep its answers. Raise Refused if it is not running."""
    if not JudgeRun.objects.filter(pk=run.pk, status__in=UNDER_WAY).update(status=Status.STOPPED):
        raise Refused("over", _("This judge is not running."))


@transaction.atomic
def resume_run(run: JudgeRun, *, now: datetime) -> None:
    """Continue with the questions that have no answer yet. Raise Refused."""
    if not is_configured() or run.endpoint not in settings.JUDGE_ENDPOINTS:
        raise Refused("endpoint", _("This endpoint is not allowed here."))
    Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
    if JudgeRun.objects.filter(study=run.study_id, status__in=UNDER_WAY).exists():
        raise Refused("busy", _("A judge is already running in this study. Wait until it is done, or stop it."))
    changes = {"status": Status.QUEUED, "error": "", "started_at": now, "beaten_at": None, "finished_at": None}
    changes |= {"is_trial": False}
    if not JudgeRun.objects.filter(pk=run.pk, status__in=OVER_FOR_NOW).update(**changes):
        raise Refused("over", _("Only a stopped or failed judge can be resumed."))
    transaction.on_commit(partial(send, run.pk), robust=True)


def send(run_id: int, countdown: float = 0) -> None:
    queue("annotation.tasks.run_judge", run_id, countdown=countdown or None)


def tend_judges(*, now: datetime) -> int:
    """Queue again runs that wait too long or lost their worker; return how many. A lock makes repeats harmless."""
    since = now - LOST_AFTER
    lost = JudgeRun.objects.filter(status__in=UNDER_WAY, started_at__lte=since)
    silent = lost.filter(Q(beaten_at__isnull=True) | Q(beaten_at__lte=since))
    ids = [pk for pk in silent.order_by("pk").values_list("pk", flat=True) if not is_locked(LOCK_SPACE, pk)]
    for pk in ids:
        send(pk)
    return len(ids)
