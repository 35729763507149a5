"""The words of the field in place of private ones, and the rows that hold them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0024_functions"),
    ]

    operations = [
        migrations.RenameField("participant", "standing", "status"),
        migrations.RenameModel("StandingChange", "StatusChange"),
        migrations.RenameField("study", "has_gate", "has_qualification"),
        migrations.RenameField("study", "conduct", "imported_record"),

        migrations.RemoveIndex(
            model_name='participant',
            name='participants_by_standing',
        ),
        migrations.AlterField(
            model_name='batch',
            name='kind',
            field=models.CharField(choices=[('pilot', 'Pilot'), ('training', 'Training'), ('qualification', 'Qualification'), ('main', 'Main'), ('review', 'Control'), ('re_rating', 'Second look'), ('adjudication', 'Adjudication')], default='main', max_length=14),
        ),
        migrations.AlterField(
            model_name='statuschange',
            name='participant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='status_changes', to='annotation.participant'),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(fields=['study', 'status'], name='participants_by_status'),
        ),
    ]
