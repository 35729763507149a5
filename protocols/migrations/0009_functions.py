"""The functions that freeze a published version, as they stand in protocols/sql."""

from django.db import migrations

from parley.sql_files import install


class Migration(migrations.Migration):
    dependencies = [("protocols", "0008_rating_screen")]

    operations = [install("protocols", "guard_version", "require_draft", "guard_part", "guard_protocol")]
