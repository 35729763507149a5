"""Statements of earlier migrations, run on today's tables: what was renamed since has its name of today in them."""

from django.db import connection

RENAMED = {
    "qualification_inspection": "qualification_sample",
    "qualification_secondlook": "qualification_rerating",
    "annotation_standingchange": "annotation_statuschange",
    "inspection_id": "sample_id",
}


def in_todays_names(sql: str) -> str:
    for before, now in RENAMED.items():
        sql = sql.replace(before, now)
    return sql


def run_sql(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(in_todays_names(sql))
