import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_participant_joined_on")]

    operations = [
        migrations.AddField(
            model_name="item",
            name="asks",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80),
                blank=True,
                db_default=[],
                default=list,
                help_text="Of a training item: the questions it asks, by their keys. Empty: all of its unit.",
                size=None,
            ),
        ),
    ]
