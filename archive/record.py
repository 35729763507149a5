"""Restore the study record from an archive. It is checked in every part, because the file is not trusted."""

import json
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from annotation.importing.outcome import ImportRejected, LineError
from annotation.models import Study
from reporting.record.shape import faults_of, in_order

MOST_BYTES = 10 * 1024 * 1024
MOST_FAULTS = 20


def restore_study_record(study: Study, path: Path) -> None:
    """Keep the study record for reports. Raise ImportRejected with the file and the field of each fault."""
    said = _read(path)
    faults = list(islice(faults_of(said), MOST_FAULTS))
    if faults:
        raise ImportRejected([LineError(0, f"{path.name}: {field}", reason) for field, reason in faults])
    study.imported_record = in_order(said)
    study.save(update_fields=["imported_record"])


def _read(path: Path) -> Any:
    if path.stat().st_size > MOST_BYTES:
        _reject(path, _("is too large"))
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        _reject(path, _("is not JSON (%(error)s)") % {"error": error})


def _reject(path: Path, reason: str) -> NoReturn:
    raise ImportRejected([LineError(0, path.name, reason)])
