from django.db import migrations, models

# Until now each imported annotator had a seat that was added for them alone.
ALL_ADDED = "UPDATE annotation_assignment SET has_added_seat = true WHERE is_imported"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0036_imported_rows")]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="has_added_seat",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunSQL(ALL_ADDED, migrations.RunSQL.noop),
    ]
