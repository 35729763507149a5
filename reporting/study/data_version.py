"""The version of what a study's report is made of: it changes with every change of the data, and of the software."""

import hashlib
from collections import deque
from collections.abc import Iterator
from functools import cache

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import ForeignKey, Model

from annotation.models import (
    AgreementCell,
    AgreementSnapshot,
    AnnotatorCell,
    ExportChunk,
    ExportJob,
    ImportChunk,
    KeptReport,
    Study,
)

APPS = ("annotation", "qualification")
# Computed from the ratings, perhaps while the report is made, or files: no data of their own.
DERIVED = frozenset({AgreementSnapshot, AgreementCell, AnnotatorCell, ExportJob, ExportChunk, ImportChunk, KeptReport})
SOFTWARE = ("measures/**/*.py", "reporting/**/*.py", "templates/reporting/**/*.html", "parley/locale/**/*.mo")
Step = tuple[str, type[Model]]  # a foreign key, and what it points to


def data_version(study: Study) -> str:
    """Return the version as 64 hexadecimal digits, in one query.

    Of each table it takes the number of rows and a sum over hashes of their keys and of the transactions that wrote
    them, which PostgreSQL keeps with each row.
    """
    counted = [_counted(*each) for each in tables().items()]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(counted), [study.pk] * len(counted))
        found = sorted(cursor.fetchall())
    return hashlib.sha256(repr((_software(), found)).encode()).hexdigest()


@cache
def tables() -> dict[type[Model], tuple[Step, ...]]:
    """Return the tables whose rows belong to a study, each with its shortest path of required foreign keys.

    Those of its protocol are not among them: a published version is frozen.
    """
    found: dict[type[Model], tuple[Step, ...]] = {Study: ()}
    waiting: deque[type[Model]] = deque([Study])
    while waiting:
        parent = waiting.popleft()
        for model, column in _children(parent):
            if model not in found and model not in DERIVED:
                found[model] = ((column, parent), *found[parent])
                waiting.append(model)
    return found


def _children(parent: type[Model]) -> Iterator[tuple[type[Model], str]]:
    for name in APPS:
        for model in apps.get_app_config(name).get_models(include_auto_created=True):
            for field in model._meta.concrete_fields:
                if isinstance(field, ForeignKey) and not field.null and field.related_model is parent:
                    yield model, field.column


def _counted(model: type[Model], path: tuple[Step, ...]) -> str:
    """Return the query of one table; its parameter is the key of the study."""
    table, key = model._meta.db_table, model._meta.pk.column
    chosen = f"{path[-1][0] if path else key} = %s"
    for column, parent in reversed(path[:-1]):
        chosen = f"{column} IN (SELECT {parent._meta.pk.column} FROM {parent._meta.db_table} WHERE {chosen})"
    rows = f"count(*), sum(hashint8extended(xmin::text::bigint, {key}))"
    return f"SELECT '{table}', {rows} FROM {table} WHERE {chosen}"


@cache
def _software() -> str:
    """Return a digest of the code and texts that make a report: a new release makes all of them anew."""
    digest = hashlib.sha256()
    for pattern in SOFTWARE:
        for path in sorted(settings.BASE_DIR.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()
