"""Dialogues are read one after another: when one came on screen, and when its reading time begins, may differ."""

from django.db import migrations, models
from django.db.models.functions import Now

FILL = "UPDATE annotation_reading SET shown_at = opened_at"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_asker")]

    operations = [
        migrations.AddField(
            model_name="reading",
            name="shown_at",
            field=models.DateTimeField(db_default=Now(), help_text="When it came on screen."),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="reading",
            name="shown_at",
            field=models.DateTimeField(help_text="When it came on screen."),
        ),
        migrations.AlterField(
            model_name="reading",
            name="opened_at",
            field=models.DateTimeField(
                help_text="When its reading time begins: then, or once those opened before it have had theirs."
            ),
        ),
    ]
