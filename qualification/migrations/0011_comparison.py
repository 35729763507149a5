"""Comparison as a unit: nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('qualification', '0010_check_words'),
    ]

    operations = [
        migrations.AlterField(
            model_name='knownanswer',
            name='unit',
            field=models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue'), ('comparison', 'Comparison')], default='response', max_length=20),
        ),
    ]
