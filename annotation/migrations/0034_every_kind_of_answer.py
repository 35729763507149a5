from django.db import migrations, models

# Stored numbers of answers left out multiple choices, marked turns and optional questions. The sweep measures every
# batch again and moves the sums of studies by the difference.
MEASURE_AGAIN = "UPDATE annotation_agreementsnapshot SET version = 0 WHERE batch_id IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [("annotation", "0033_equivalence_margin")]

    operations = [
        migrations.AlterField(
            model_name="agreementsnapshot",
            name="n_wanted",
            field=models.PositiveIntegerField(default=0, help_text="Items x seats x questions."),
        ),
        migrations.RunSQL(MEASURE_AGAIN, migrations.RunSQL.noop),
    ]
