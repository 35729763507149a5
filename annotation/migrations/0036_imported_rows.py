import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0035_order_of_screens"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="importjob",
            name="status",
            field=models.CharField(
                choices=[
                    ("queued", "Queued"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("taken_back", "Taken back"),
                ],
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="importjob",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.CreateModel(
            name="ImportedRows",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("table", models.CharField(max_length=20)),
                ("ids", django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                (
                    "job",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="made", to="annotation.importjob"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "imported rows",
                "constraints": [
                    models.UniqueConstraint(fields=("job", "table"), name="one_list_of_rows_per_import_and_table")
                ],
            },
        ),
    ]
