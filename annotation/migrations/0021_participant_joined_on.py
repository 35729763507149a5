"""A form that is sent twice makes one account: it is found by the browser that sent it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_text_format")]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="joined_on",
            field=models.UUIDField(
                blank=True,
                editable=False,
                help_text="Names the browser whose form made the account, once.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="participant",
            constraint=models.UniqueConstraint(
                fields=("study", "joined_on"), name="one_account_per_form_that_was_sent"
            ),
        ),
    ]
