"""The functions of the database as they stand in annotation/sql; the look-up before an answer has its new name."""

import re
from importlib import import_module

from django.db import migrations

from parley.sql_files import install

FIRST = import_module("annotation.migrations.0003_record_answer").FORWARD
OLD_LOOK_UP = re.search(r"CREATE FUNCTION annotation_desk\(.*?\nEND \$\$;", FIRST, re.DOTALL)[0]
FUNCTIONS = ("raise_version", "answer_context", "record_answer", "append_only", "calls_append_only")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0023_items_by_place"), ("protocols", "0009_functions")]

    operations = [
        migrations.RunSQL("DROP FUNCTION annotation_desk", OLD_LOOK_UP),
        install("annotation", *FUNCTIONS, backward="DROP FUNCTION annotation_answer_context"),
    ]
