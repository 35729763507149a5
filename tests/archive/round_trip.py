"""A study that leaves as an archive, and what it takes to compare it with the one that comes back."""

import hashlib
import io
import json
import math
import re
import zipfile
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.utils import timezone

from annotation.models import Study
from reporting.report.build import build_report
from reporting.report.downloads import as_json

# All that may differ: when the report was made, and how many annotators are imported ones, which all of them are now.
EXCEPTIONS = ("generated_at", "n_imported_annotators")
IMPORTED = re.compile("imported")  # the same number within the checklist


def report_of(study: Study) -> dict[str, Any]:
    report = json.loads(as_json(build_report(Study.objects.get(pk=study.pk), now=timezone.now())))
    return {name: value for name, value in report.items() if name not in EXCEPTIONS}


def differences(before: Any, after: Any, place: str = "") -> list[str]:
    """Where two reports differ, and how."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = sorted(before.keys() | after.keys())
        return [each for name in names for each in differences(before.get(name), after.get(name), f"{place}.{name}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [each for at, (old, new) in pairs for each in differences(old, new, f"{place}[{at}]")]
    change = f"{place}: {before!r} became {after!r}"
    if isinstance(before, float) and isinstance(after, float):
        # Rows come in another order, and sums of floats end in another last digit.
        return [] if math.isclose(before, after, rel_tol=1e-12, abs_tol=1e-12) else [change]
    return [] if before == after or IMPORTED.search(change) else [change]


def empty_the_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE annotation_study, protocols_protocol, auth_user CASCADE")


def changed(data: bytes, name: str, content: bytes | None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
            elif content is not None:
                new.writestr(entry, content)
    return out.getvalue()


def with_file(data: bytes, name: str, change: Callable[[str], str]) -> bytes:
    """Changed by somebody who corrects the hash as well."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = change(archive.read(name).decode()).encode()
        facts = json.loads(archive.read("settings.json"))
    facts["files"][name] = hashlib.sha256(content).hexdigest()
    return changed(changed(data, name, content), "settings.json", json.dumps(facts).encode())
