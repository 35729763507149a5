import json

from django.db import connection
from django.http import HttpRequest, HttpResponse

TABLE = """
    CREATE TABLE bench_answer (
        assignment uuid, item uuid, criterion text, option text NOT NULL, changed_at timestamptz NOT NULL,
        PRIMARY KEY (assignment, item, criterion)
    )
"""
UPSERT = """
    INSERT INTO bench_answer VALUES (%(assignment)s, %(item)s, %(criterion)s, %(option)s, now())
    ON CONFLICT (assignment, item, criterion) DO UPDATE SET option = excluded.option, changed_at = excluded.changed_at
"""


def healthz(request: HttpRequest) -> HttpResponse:
    return said(b"ok")


def answers(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute(UPSERT, json.loads(request.body))
    return said(b'{"saved": true}')


def said(body: bytes) -> HttpResponse:
    return HttpResponse(body, content_type="application/json", headers={"Content-Length": str(len(body))})
