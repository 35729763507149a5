"""Restore the study record from an archive. It is checked in every part, because the file is not trusted."""

import json
from itertools import islice
from pathlib import Path
from typing import NoReturn

from django.utils.translation import gettext as _
from jsonschema import Draft202012Validator, FormatChecker

from annotation.importing.outcome import ImportRejected, LineError
from annotation.models import Study
from protocols.schema import explained
from reporting.record.record import SCHEMA

MOST_BYTES = 10 * 1024 * 1024
MOST_FAULTS = 20
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=FormatChecker(["date"]))


def restore_study_record(study: Study, path: Path) -> None:
    """Keep the study record for reports. Raise ImportRejected with the file and the field of each fault."""
    if path.stat().st_size > MOST_BYTES:
        raise ImportRejected([LineError(0, path.name, _("is too large"))])
    try:
        said = json.loads(path.read_bytes(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = _("is not JSON (%(error)s)") % {"error": error}
        raise ImportRejected([LineError(0, path.name, reason)]) from error
    faults = [fault for error in islice(VALIDATOR.iter_errors(said), MOST_FAULTS) for fault in explained(error)]
    if faults:
        raise ImportRejected([LineError(0, f"{path.name}: {fault.path}", fault.reason) for fault in faults])
    study.imported_record = said
    study.save(update_fields=["imported_record"])


def _refuse_constant(name: str) -> NoReturn:
    """Raise ValueError for NaN and Infinity: JSON has neither, and no bound of the schema would catch NaN."""
    raise ValueError(name)
