"""Store optional demographics: from the platform's file, or from the annotators themselves."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Participant, Study
from annotation.services import activity
from annotation.services.refusals import Refused
from qualification.models import Demographics, Entry
from qualification.recruitment.platforms.base import Demography, Provider

SELF = "self"
MOST_BYTES = 10 * 1024 * 1024
MOST_LINES = 50_000
MOST_COLUMNS = 200
LONGEST = 500
MOST_ERRORS = 20
NO_CONSENT = gettext_lazy(
    "This study has no consent text, so nobody has agreed to have data about them stored. Write one first."
)


@dataclass(frozen=True, slots=True)
class Fault:
    line: int
    column: str
    reason: str


@dataclass(slots=True)
class Outcome:
    """Hold what a file says, and what was or would be stored."""

    columns: list[str] = field(default_factory=list)  # the columns that are kept
    n_lines: int = 0
    n_people: int = 0  # people of this study
    n_strangers: int = 0
    n_missing: int = 0  # values that the platform no longer gives
    faults: list[Fault] = field(default_factory=list)
    found: dict[int, dict[str, str]] = field(default_factory=dict)  # by participant


# --- the platform's file -------------------------------------------------------------------------------
@transaction.atomic
def import_demographics(
    study: Study, provider: Provider, data: bytes, *, is_dry_run: bool, by: User, now: datetime
) -> Outcome:
    """Store what the file says about people who came through the platform, in place of what it said before.

    It stores only people who agreed to the present consent text, and nothing if there is a fault. Raise Refused for a
    platform without such a file, and for a study without a consent text.
    """
    if provider.demography is None:
        raise Refused("no_file", _("%(name)s has no demographics file.") % {"name": provider.name})
    if not study.consent_text:
        raise Refused("no_consent", NO_CONSENT)
    outcome = _read(study, provider, provider.demography, data)
    if outcome.faults or is_dry_run:
        return outcome
    for participant, fields in sorted(outcome.found.items()):
        _store(participant, provider.key, fields, now)
    details = {"platform": provider.key, "people": outcome.n_people, "columns": outcome.columns}
    activity.log(study, by, "demographics", details=details, now=now)
    return outcome


def _store(participant: int, origin: str, fields: Mapping[str, str], now: datetime) -> None:
    Demographics.objects.update_or_create(
        participant_id=participant, origin=origin, defaults={"fields": dict(fields), "recorded_at": now}
    )


def _read(study: Study, provider: Provider, form: Demography, data: bytes) -> Outcome:
    outcome = Outcome()
    lines = _lines(data, outcome)
    heading = next(lines, (1, []))[1]
    _check_heading(heading, form, outcome)
    if outcome.faults:
        return outcome
    outcome.columns = [name for name in heading if name not in {form.person, form.session} | form.apart]
    # {person: (participant, submission)} of those who agreed to the present text
    agreed = Entry.objects.filter(
        study=study, provider=provider.key, participant__consented_at__isnull=False,
        participant__consent_version=study.consent_version,
    )  # fmt: skip
    rows = agreed.values_list("person", "participant", "session")
    people = {person: (participant, session) for person, participant, session in rows}
    for number, cells in lines:
        if len(outcome.faults) >= MOST_ERRORS:
            break
        _take_line(number, dict(zip(heading, cells, strict=False)), len(cells), form, people, outcome)
    outcome.n_people = len(outcome.found)
    return outcome


def _lines(data: bytes, outcome: Outcome) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of every line that is not empty; add a fault and stop where the file cannot be read."""
    if len(data) > MOST_BYTES:
        outcome.faults.append(Fault(1, "", _("The file is too large. The limit is 10 MB.")))
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        outcome.faults.append(Fault(line, "", _("This is not UTF-8 text.")))
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if outcome.n_lines > MOST_LINES:
                outcome.faults.append(Fault(reader.line_num, "", _("The file has too many lines.")))
                return
            if any(cells):
                outcome.n_lines += 1
                yield reader.line_num, cells
    except csv.Error:
        outcome.faults.append(
            Fault(reader.line_num, "", _("This is not a CSV file. A quotation mark may not be closed."))
        )


def _check_heading(heading: list[str], form: Demography, outcome: Outcome) -> None:
    outcome.n_lines = 0
    for name in (form.person, form.session):
        if name not in heading and not outcome.faults:
            outcome.faults.append(Fault(1, name, _("The first line has no such column.")))
    doubled = sorted({name for name in heading if heading.count(name) > 1})
    outcome.faults += [Fault(1, name, _("The first line has this column twice.")) for name in doubled]
    if len(heading) > MOST_COLUMNS:
        outcome.faults.append(Fault(1, "", _("The first line has too many columns.")))
    outcome.faults += [Fault(1, name[:50], _("The name is too long.")) for name in heading if len(name) > LONGEST]


def _take_line(
    number: int,
    row: dict[str, str],
    n_cells: int,
    form: Demography,
    people: Mapping[str, tuple[int, str]],
    outcome: Outcome,
) -> None:
    if n_cells != len(row) or len(row) < len(outcome.columns) + 2:
        outcome.faults.append(Fault(number, "", _("The line has a different number of cells from the first one.")))
        return
    if not row[form.person].strip():
        outcome.faults.append(Fault(number, form.person, _("The cell is empty.")))
    for name, value in row.items():
        if len(value) > LONGEST:
            outcome.faults.append(Fault(number, name, _("The text is too long.")))
        if "\x00" in value:
            outcome.faults.append(Fault(number, name, _("The text contains an invalid character.")))
    participant, session = people.get(row[form.person], (0, ""))
    if not participant:
        outcome.n_strangers += 1
        return
    # Somebody who gave a submission back has two lines: the one of the submission they finished counts.
    if participant in outcome.found and row[form.session] != session:
        return
    known = {name: row[name].strip() for name in outcome.columns}
    outcome.n_missing += sum(value in form.unknown for value in known.values())
    outcome.found[participant] = {name: value for name, value in known.items() if value and value not in form.unknown}


# --- from annotators, and deletion ------------------------------------------------------------------------
@transaction.atomic
def tell_about_oneself(participant: Participant, fields: Mapping[str, str], *, now: datetime) -> None:
    """Replace what they said about themselves before; if every field is empty, delete it."""
    said = {name: value for name, value in fields.items() if value}
    if said:
        _store(participant.pk, SELF, said, now)
    else:
        Demographics.objects.filter(participant=participant, origin=SELF).delete()


@transaction.atomic
def forget_demographics(participant: Participant, *, by: User, now: datetime) -> bool:
    """Delete somebody's demographics, as they asked. Return whether there were any."""
    n_deleted, _by_model = Demographics.objects.filter(participant=participant).delete()
    if n_deleted:
        activity.log(participant.study, by, "demographics_deleted", about=participant.pseudonym, now=now)
    return bool(n_deleted)
