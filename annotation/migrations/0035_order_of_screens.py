from django.db import migrations, models


class Migration(migrations.Migration):
    """Work that was begun before keeps the order of its batch."""

    dependencies = [("annotation", "0034_every_kind_of_answer")]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="is_shuffled",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Its screens are in an order of their own, which follows from the seed. Otherwise as in the batch.",
            ),
        ),
    ]
