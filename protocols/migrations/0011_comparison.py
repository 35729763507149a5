"""Comparison as a unit: nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('protocols', '0001_squashed_0010_texts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='criterion',
            name='unit',
            field=models.CharField(blank=True, choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue'), ('comparison', 'Comparison')], help_text="If different from the version's.", max_length=20),
        ),
        migrations.AlterField(
            model_name='option',
            name='role',
            field=models.CharField(choices=[('positive', 'Positive'), ('negative', 'Negative'), ('neutral', 'Neutral'), ('unsure', 'Unsure'), ('excluding', 'Excluding'), ('left', 'Left'), ('right', 'Right'), ('equal', 'Equal'), ('both_bad', 'Both bad')], default='neutral', max_length=10),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='unit',
            field=models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue'), ('comparison', 'Comparison')], default='response', max_length=20),
        ),
    ]
