from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("protocols", "0004_presentation")]

    operations = [
        migrations.AddField(
            model_name="option",
            name="alone",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="In a multiple choice: it cannot be chosen together with another option.",
            ),
        ),
    ]
