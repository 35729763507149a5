"""Restore a whole study from an archive that an export wrote: all or nothing, under a slug that is free."""

import hashlib
import json
import tempfile
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.importing.dialogues import import_dialogues
from annotation.importing.files import MOST_UNPACKED
from annotation.importing.outcome import ImportRejected, ImportSummary, LineError
from annotation.importing.ratings import import_ratings
from annotation.models import Batch, Source, Study
from annotation.services.studies import create_study
from archive.comparisons import restore_shuffled, restore_sides
from archive.entries import FORMAT
from archive.marks import MARKS, restore_marks
from archive.metrics import restore_predictions
from archive.record import restore_study_record
from archive.rows import restore_datasheet, restore_ids, restore_items, restore_people, restore_purposes
from archive.settled import restore_settled
from protocols.bundles import load_bundle
from protocols.models import ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.services import store_bundle

ARCHIVE = "archive"
FILES = frozenset({
    "dialogues.jsonl", "ids.csv", "items.csv", "annotators.csv", "assignments.csv", "ratings.csv", "metrics.csv",
    "predictions.csv", "datasheet.csv", "study_record.json", "purposes.csv", "settled.csv", "settled_answers.csv",
})  # fmt: skip
PROTOCOL, SETTINGS = "protocol.yaml", "settings.json"
BLOCK = 1024 * 1024
SET_LATER = ("slug", "name", "seed", "status", "kappa_floor")


def import_archive(
    path: Path, *, slug: str = "", owner: User | None, is_dry_run: bool = False, now: datetime
) -> tuple[Study, ImportSummary]:
    """Create the study of an archive. `slug` replaces the one it had. Raise ImportRejected.

    Annotators become imported ones, with their pseudonyms and without accounts. Answers that did not count are not
    restored, and neither are model judges if there is no owner.
    """
    with tempfile.TemporaryDirectory(prefix="parley-archive-") as directory:
        folder = Path(directory)
        facts = _unpack(path, folder)
        try:
            with transaction.atomic():
                study, summary = _restore(folder, facts, slug or facts["study"]["slug"], owner, now)
                summary.is_dry_run = is_dry_run
                if is_dry_run:
                    transaction.set_rollback(True)
        except (DataError, IntegrityError, KeyError, ValueError) as error:  # the hashes match: it was written so
            said = {"error": str(error).splitlines()[0]}
            raise _reject(_("the archive is inconsistent (%(error)s)") % said) from None
    return study, summary


def _reject(reason: str, place: str = "") -> ImportRejected:
    return ImportRejected([LineError(0, place, reason)])


# --- the file ------------------------------------------------------------------------------------
def _unpack(path: Path, folder: Path) -> dict[str, Any]:
    """Write the entries that the settings name to the folder, and check their hashes. Return the settings."""
    try:
        with zipfile.ZipFile(path) as archive:
            facts = _facts(archive)
            for name, digest in facts["files"].items():
                _unpack_entry(archive, name, digest, folder)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise _reject(_("is not a study archive, or is damaged (%(error)s)") % {"error": error}) from None
    return facts


def _facts(archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo(SETTINGS).file_size > BLOCK * 64:
        raise _reject(_("is too large"), SETTINGS)
    try:
        facts = json.loads(archive.read(SETTINGS))
    except ValueError as error:
        raise _reject(_("is not JSON (%(error)s)") % {"error": error}, SETTINGS) from None
    if not isinstance(facts, dict) or facts.get("parley_archive") != FORMAT or not isinstance(facts.get("files"), dict):
        reason = _("comes from another version of Parley: import it there, upgrade that Parley, and export it again")
        raise _reject(reason, SETTINGS)
    if missing := sorted(FILES - facts["files"].keys()):
        raise _reject(_("does not list %(names)s") % {"names": ", ".join(missing)}, SETTINGS)
    return facts


def _unpack_entry(archive: zipfile.ZipFile, name: str, digest: str, folder: Path) -> None:
    if Path(name).name != name or archive.getinfo(name).file_size > MOST_UNPACKED:
        raise _reject(_("has an invalid name, or is too large"), name)
    found = hashlib.sha256()
    with archive.open(name) as entry, (folder / name).open("wb") as file:
        while piece := entry.read(BLOCK):
            found.update(piece)
            file.write(piece)
    if found.hexdigest() != digest:
        raise _reject(_("has changed since it was exported: its SHA-256 does not match"), name)


# --- the study -----------------------------------------------------------------------------------
def _restore(
    folder: Path, facts: dict[str, Any], slug: str, owner: User | None, now: datetime
) -> tuple[Study, ImportSummary]:
    summary = ImportSummary(ARCHIVE, is_dry_run=False)
    versions = _store_protocols(folder, facts, now)
    study = _create(facts, slug, versions[PROTOCOL], owner, now)
    dialogues = folder / "dialogues.jsonl"
    if dialogues.stat().st_size:
        found = import_dialogues(study, dialogues, format=facts["dialogue_format"], is_archived=True, now=now)
        summary.counts["dialogues_new"] = found.counts["dialogues_new"]
    for each in facts["sources"]:
        values = {name: each[name] for name in ("name", "is_reference", "position")}
        Source.objects.update_or_create(study=study, key=each["key"], defaults=values)
    summary.counts["known_by_id"] = restore_ids(study, folder / "ids.csv")
    _restore_batches(study, facts["batches"])
    summary.counts["batches_new"] = len(facts["batches"])
    summary.counts["items_new"] = restore_items(study, folder / "items.csv")
    seats = {batch["key"]: batch["n_seats"] for batch in facts["batches"]}
    summary.counts["annotators_new"] = restore_people(study, folder, seats, now=now)
    restore_sides(study, folder)
    restore_shuffled(study, folder)
    if n_marks := restore_marks(study, folder / MARKS):
        summary.counts["marks_new"] = n_marks
    with (folder / "ratings.csv").open("rb") as file:
        is_rated = bool(file.readline() and file.readline())
    if is_rated:
        rated = import_ratings(study, folder / "ratings.csv", now=now)
        summary.counts["ratings_new"] = rated.counts["ratings_new"]
        summary.notes += rated.notes
    counts, notes = restore_predictions(study, folder, facts["judges"], list(versions.values()), owner)
    summary.counts |= counts
    summary.notes += notes
    restore_datasheet(study, folder / "datasheet.csv")
    restore_purposes(study, folder / "purposes.csv")
    restore_study_record(study, folder / "study_record.json")
    restore_settled(study, folder, list(versions.values()), summary)
    return study, summary


def _store_protocols(folder: Path, facts: dict[str, Any], now: datetime) -> dict[str, ProtocolVersion]:
    """Store all protocol versions of the archive. Return {file name: version}."""
    stored = {}
    for name, said in facts["protocols"].items():
        try:
            stored[name], _is_new = store_bundle(load_bundle((folder / name).read_text("utf-8")), publish=True, now=now)
        except InvalidBundle as error:
            raise _reject("; ".join(map(str, error.errors)), name) from None
        if stored[name].sha256 != said["sha256"]:
            raise _reject(_("does not have the SHA-256 of the study's protocol"), name)
    return stored


def _create(facts: dict[str, Any], slug: str, version: ProtocolVersion, owner: User | None, now: datetime) -> Study:
    own = facts["study"]
    if Study.objects.filter(slug=slug).exists():
        raise _reject(_("a study %(slug)r already exists: choose another short name") % {"slug": slug}, "slug")
    settings = {name: value for name, value in own.items() if name not in SET_LATER}
    try:
        study = create_study(slug=slug, name=own["name"], protocol_version=version, owner=owner, now=now, **settings)
        study.seed, study.status, study.kappa_floor = own["seed"], own["status"], own.get("kappa_floor")
        study.full_clean()
    except ValidationError as error:
        raise _reject(" ".join(error.messages), SETTINGS) from None
    study.save(update_fields=["seed", "status", "kappa_floor"])
    return study


def _restore_batches(study: Study, batches: list[dict[str, Any]]) -> None:
    """Restore batches. Only those that were begun are measured, as before: the others are not in reports."""
    Batch.objects.bulk_create(
        Batch(
            study=study,
            key=each["key"],
            kind=each["kind"],
            status=each["status"],
            position=each["position"],
            round=each.get("round", 1),
            ratings_version=int(each["is_begun"]),
        )
        for each in batches
    )
