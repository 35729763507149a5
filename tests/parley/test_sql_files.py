"""What a file in a folder `sql` says is what the database runs, and no function of ours is without a file."""

import re

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection

APPS = ("annotation", "protocols")
FUNCTION = re.compile(r"CREATE OR REPLACE FUNCTION (\w+)\(.*?AS \$\$(.*?)\$\$;", re.DOTALL)
pytestmark = pytest.mark.django_db


def in_files() -> dict[str, str]:
    texts = [path.read_text() for app in APPS for path in (settings.BASE_DIR / app / "sql").glob("*.sql")]
    return dict(found for text in texts for found in FUNCTION.findall(text))


def in_database() -> dict[str, str]:
    labels = "|".join(config.label for config in apps.get_app_configs())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname ~ %s",
            [f"^({labels})_"],
        )
        return dict(cursor.fetchall())


def test_every_function_of_the_database_is_the_one_in_its_file():
    assert in_database() == in_files()
    assert "annotation_record_answer" in in_files()
