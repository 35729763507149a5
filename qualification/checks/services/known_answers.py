"""Store known answers of a study, from a CSV file or from what the panel has already answered."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.importing.dialogues import lock_study
from annotation.importing.outcome import ErrorLog, ImportRejected, ImportSummary, LineError
from annotation.models import Assignment, Batch, Dialogue, Item, Participant, Rating, Study
from annotation.services import activity
from annotation.services.refusals import Refused
from protocols.models import Option
from protocols.specs import VersionSpec, spec_of
from qualification.checks.services.known_answer_file import Unit, Wanted, read_known_answers
from qualification.models import KnownAnswer
from qualification.qualifying.services.asking import ask_what_is_known

CSV_KNOWN_ANSWERS = "csv-known-answers"
FEWEST_OF_PANEL = 2
UNANIMOUS, MAJORITY = "unanimous", "majority"
RULES = (UNANIMOUS, MAJORITY)
Kind = KnownAnswer.Kind
Purpose = Dialogue.Purpose
HELD_FOR: dict[str, str] = {Kind.GOLD: Purpose.CHECK, Kind.ATTENTION: Purpose.CHECK, Kind.TRAINING: Purpose.TRAINING}


class Stored(NamedTuple):
    n_new: int
    n_changed: int
    n_held: int  # dialogues that are kept out of main batches from now on


# --- from a file -----------------------------------------------------------------------------------
def import_known_answers(
    study: Study, path: Path, *, by: User | None, sheet: str = "", is_dry_run: bool = False, now: datetime
) -> ImportSummary:
    """Import all rows of the file or none. Importing twice is safe; another answer to the same unit replaces the first.

    Raise ImportRejected with the errors of all lines.
    """
    log = ErrorLog()
    wanted = read_known_answers(study, path, log, sheet)
    log.refuse_any()
    if not wanted:
        raise ImportRejected([LineError(0, "", _("the file contains no known answers"))])
    summary = ImportSummary(CSV_KNOWN_ANSWERS, is_dry_run)
    with transaction.atomic():
        lock_study(study)
        stored = _store(study, wanted, now)
        summary.counts = {
            "known_answers_new": stored.n_new,
            "known_answers_changed": stored.n_changed,
            "known_answers_unchanged": len(wanted) - stored.n_new - stored.n_changed,
            "dialogues_held_apart": stored.n_held,
        }
        n = len(_results(study, {each.unit.dialogue_id for each in wanted if each.kind != Kind.TRAINING}))
        if n:
            text = _(
                "Dialogues already in main batches: %(n)s. Their answers are kept, but they are not inserted as checks."
            )
            summary.notes = [text % {"n": n}]
        activity.log(study, by, "known_answers_import", about=path.name, details=dict(summary.counts), now=now)
        if is_dry_run:
            transaction.set_rollback(True)
    return summary


def _store(study: Study, wanted: list[Wanted], now: datetime) -> Stored:
    dialogues = {each.unit.dialogue_id for each in wanted}
    stored = KnownAnswer.objects.filter(study=study, dialogue__in=dialogues)
    known = {Unit(*(getattr(row, name) for name in Unit._fields)): row for row in stored}
    changed = [each for each in wanted if each.unit in known and not _is_same(known[each.unit], each)]
    new = [each for each in wanted if each.unit not in known]
    rows = [
        KnownAnswer(
            study=study, kind=each.kind, options=list(each.options), explanation=each.explanation, created_at=now,
            **each.unit._asdict(),
        )
        for each in (*new, *changed)
    ]  # fmt: skip
    KnownAnswer.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=Unit._fields,
        update_fields=["kind", "options", "explanation", "is_active"],
        batch_size=2000,
    )
    if any(each.kind == Kind.TRAINING for each in rows):
        ask_what_is_known(study, Item.objects.filter(dialogue__in=dialogues))
    return Stored(len(new), len(changed), _hold_apart(study, wanted))


def _is_same(row: KnownAnswer, wanted: Wanted) -> bool:
    stored = (row.kind, tuple(sorted(row.options)), row.explanation, row.is_active)
    return stored == (wanted.kind, wanted.options, wanted.explanation, True)


def _hold_apart(study: Study, wanted: Iterable[Wanted]) -> int:
    """Reserve dialogues that are not used yet for checks or training. Return how many are reserved."""
    by_purpose: dict[str, set[int]] = defaultdict(set)
    for each in wanted:
        by_purpose[HELD_FOR[each.kind]].add(each.unit.dialogue_id)
    n_held = 0
    for purpose, dialogues in by_purpose.items():
        rows = Dialogue.objects.filter(study=study, pk__in=dialogues, purpose=Purpose.MAIN)
        n_held += rows.exclude(pk__in=_results(study, dialogues)).update(purpose=purpose)
    return n_held


def _results(study: Study, dialogues: Iterable[int]) -> set[int]:
    """Return those of the dialogues whose answers in main batches are results."""
    items = Item.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, is_check=False)
    return set(items.filter(dialogue__in=dialogues).values_list("dialogue_id", flat=True))


# --- from the panel's answers ----------------------------------------------------------------------
def mark_from_panel(study: Study, *, rule: str, by: User | None, now: datetime) -> Stored:
    """Make gold of what the panel agrees on in finished pilots and qualification batches.

    `rule`: all members gave the answer (unanimous), or more than half did (majority); a unit needs two members. Units
    whose answer is already known stay as they are. Raise Refused if the rule is unknown or there is nothing to mark.
    """
    if rule not in RULES:
        raise Refused("unknown_rule", _("There is no such rule."))
    wanted = _agreed(study, rule)
    with transaction.atomic():
        lock_study(study)
        dialogues = {each.unit.dialogue_id for each in wanted}
        known = KnownAnswer.objects.filter(study=study, dialogue__in=dialogues)
        taken = {Unit(*row) for row in known.values_list(*Unit._fields)}
        stored = _store(study, [each for each in wanted if each.unit not in taken], now)
        if not stored.n_new:
            raise Refused("nothing_agreed", _("There are no more answers that the panel agrees on."))
        details = {"rule": rule, **stored._asdict()}
        activity.log(study, by, "known_answers_panel", details=details, now=now)
    return stored


def _agreed(study: Study, rule: str) -> list[Wanted]:
    spec = spec_of(study.protocol_version)
    wanted = []
    for unit, votes in sorted(_panel_votes(study, spec).items(), key=str):
        (option, n), *_others = Counter(votes.values()).most_common(1)
        enough = n == len(votes) if rule == UNANIMOUS else 2 * n > len(votes)
        found = spec.by_id[unit.criterion_id].option_of(option)
        # Others cannot be held to 'I don't know', nor to an answer that excludes the item.
        is_plain = found is not None and found.role not in (Option.Role.UNSURE, Option.Role.EXCLUDING)
        if enough and len(votes) >= FEWEST_OF_PANEL and is_plain:
            wanted.append(Wanted(unit, Kind.GOLD, (option,), ""))
    return wanted


def _panel_votes(study: Study, spec: VersionSpec) -> dict[Unit, dict[int, int]]:
    """Return {unit: {panel member: option}}, with the latest answer of a member who rated a unit twice."""
    kinds = (Batch.Kind.PILOT, Batch.Kind.QUALIFICATION)
    rows = Rating.objects.filter(
        batch__study=study, batch__kind__in=kinds, assignment__status=Assignment.Status.SUBMITTED,
        assignment__seat__isnull=False, criterion__in=[each.id for each in spec.counted], is_active=True,
        option__isnull=False, item__dialogue__isnull=False,
    ).exclude(assignment__participant__panel=Participant.Panel.NONE)  # fmt: skip
    names = ("item__unit", "item__dialogue", "item__candidate", "item__source", "criterion")
    votes: dict[Unit, dict[int, int]] = defaultdict(dict)
    for *unit, participant, option in rows.order_by("answered_at", "pk").values_list(
        *names, "assignment__participant", "option"
    ):
        votes[Unit(*unit)][participant] = option
    return votes
