"""Who asks is stored with a dialogue. Of those there already it is whoever speaks first, as it was taken to be."""

from django.db import migrations, models

FILL = "UPDATE annotation_dialogue SET asker = coalesce(turns -> 0 ->> 'speaker', '')"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0014_speaker")]

    operations = [
        migrations.AddField(
            model_name="dialogue",
            name="asker",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="The speaker who asks. Empty: the names of the speakers tell.",
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
