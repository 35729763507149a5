from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("qualification", "0002_pay_mark")]

    operations = [
        migrations.AlterField(
            model_name="gate",
            name="decision",
            field=models.CharField(
                choices=[
                    ("point", "by the value: it passes or fails"),
                    ("interval", "by its interval: undecided candidates are given more"),
                ],
                default="point",
                max_length=8,
            ),
        ),
    ]
