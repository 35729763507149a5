from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_marks")]
    operations = [
        migrations.AddField(
            model_name="study",
            name="text_format",
            field=models.CharField(
                choices=[
                    ("plain", "As typed: every character and line end"),
                    ("markdown", "Formatted as Markdown: lists, tables, code, bold"),
                ],
                db_default="plain",
                default="plain",
                help_text="How dialogues and responses are shown.",
                max_length=10,
            ),
        ),
    ]
