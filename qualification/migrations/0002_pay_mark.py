"""The sweep of pay looks at recent work, and now and then at all: before, it looked at all of it every five seconds."""

import django.db.models.deletion
from django.db import migrations, models

# Of a table of another app, which has no use for it: only pay asks for finished work by its time.
FORWARD = """
    CREATE INDEX pay_of_finished_work ON annotation_assignment (submitted_at)
    WHERE submitted_at IS NOT NULL AND NOT is_imported;
"""
BACKWARD = "DROP INDEX pay_of_finished_work;"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_people_and_rounds"), ("qualification", "0001_initial")]
    operations = [
        migrations.CreateModel(
            name="PayMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("terms", models.CharField(help_text="What work earned when it was looked at.", max_length=60)),
                ("looked_at", models.DateTimeField()),
                (
                    "study",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pay_mark", to="annotation.study"
                    ),
                ),
            ],
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
