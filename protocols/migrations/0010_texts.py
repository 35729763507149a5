"""Names, choices and explanations of columns in plain English: nothing changes in the database."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('protocols', '0009_functions'),
    ]

    operations = [
        migrations.AlterField(
            model_name='criterion',
            name='rules',
            field=models.JSONField(blank=True, default=list, help_text='[{"when": [...], "option": key}]: the first that holds counts.'),
        ),
        migrations.AlterField(
            model_name='criterion',
            name='short',
            field=models.CharField(blank=True, help_text='A short label for tables.', max_length=20),
        ),
        migrations.AlterField(
            model_name='criterion',
            name='unit',
            field=models.CharField(blank=True, choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], help_text="If different from the version's.", max_length=20),
        ),
        migrations.AlterField(
            model_name='criterion',
            name='when',
            field=models.JSONField(blank=True, default=list, help_text='[{"criterion": key, "options": [keys]}]: asked while this holds.'),
        ),
        migrations.AlterField(
            model_name='option',
            name='alone',
            field=models.BooleanField(db_default=False, default=False, help_text='In a multiple choice: cannot be combined with another option.'),
        ),
        migrations.AlterField(
            model_name='option',
            name='conditions',
            field=models.JSONField(blank=True, default=list, help_text='Sentences: it fits when any of them holds.'),
        ),
        migrations.AlterField(
            model_name='option',
            name='words_max',
            field=models.PositiveSmallIntegerField(blank=True, help_text="If different from the version's.", null=True),
        ),
        migrations.AlterField(
            model_name='option',
            name='words_min',
            field=models.PositiveSmallIntegerField(blank=True, help_text="If different from the version's.", null=True),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='batch_items',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Both times are for a batch of this many items and are scaled for other batches. 0: the times apply to any batch.'),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='changes',
            field=models.TextField(blank=True, help_text='What is new. Shown once to everyone who has worked with another version.'),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='context_title',
            field=models.CharField(blank=True, help_text='Heading above the dialogue.', max_length=200),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='flagged',
            field=models.CharField(choices=[('answer', 'Answer'), ('skip', 'Skip')], db_default='answer', default='answer', help_text='Whether annotators must still answer an item they have flagged.', max_length=10),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='guide',
            field=models.CharField(choices=[('on_request', 'On request'), ('in_view', 'Always in view')], db_default='on_request', default='on_request', help_text='When the short guidelines are shown on the screen.', max_length=10),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='item_title',
            field=models.CharField(blank=True, help_text='Heading above the response to rate.', max_length=200),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='options',
            field=models.CharField(choices=[('compact', 'In a row, described one at a time'), ('described', 'In a list, each with its description')], db_default='compact', default='compact', help_text='How the options of a question are laid out on the screen.', max_length=10),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='order',
            field=models.CharField(choices=[('criterion_first', 'Criterion first'), ('item_first', 'Item first'), ('set_level', 'Set level')], default='criterion_first', max_length=20),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='reading_seconds',
            field=models.PositiveSmallIntegerField(default=0, help_text='No answer is accepted until a dialogue has been open for this long.'),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='response',
            field=models.CharField(choices=[('in_place', 'In the dialogue'), ('beside', 'In the dialogue and beside the question')], db_default='in_place', default='in_place', help_text='Where the response to rate is shown on the screen.', max_length=10),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='unit',
            field=models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], default='response', max_length=20),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='words_max',
            field=models.PositiveSmallIntegerField(default=30, help_text='Maximum words of a free text.'),
        ),
        migrations.AlterField(
            model_name='protocolversion',
            name='words_min',
            field=models.PositiveSmallIntegerField(default=3, help_text='Minimum words of a free text.'),
        ),
    ]
