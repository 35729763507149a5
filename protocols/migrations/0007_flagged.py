"""Whether an item that an annotator has flagged still has to be answered."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("protocols", "0006_dimensions")]

    operations = [
        migrations.AddField(
            model_name="protocolversion",
            name="flagged",
            field=models.CharField(
                choices=[("answer", "Answer"), ("skip", "Skip")],
                db_default="answer",
                default="answer",
                help_text="Whether an item that an annotator has flagged still has to be answered by them.",
                max_length=10,
            ),
        ),
    ]
