"""What is wrong with too many checks is said in words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("qualification", "0009_texts")]

    operations = [
        migrations.AlterConstraint(
            model_name="checkplan",
            name="checks_are_half_of_a_batch_at_most",
            constraint=models.CheckConstraint(
                condition=models.Q(("attention_percent__lte", 50), ("gold_percent__lte", 50)),
                name="checks_are_half_of_a_batch_at_most",
                violation_error_message="Gold and attention dialogues can each be at most 50 of 100.",
            ),
        ),
    ]
