"""Names, choices and explanations of columns in plain English: nothing changes in the database."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0026_words_in_rows'),
        ('protocols', '0010_texts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='agreementcell',
            name='sure_pairs',
            field=models.JSONField(db_default={}, default=dict, help_text='For items that nobody answered with an unsure option; empty if there is no such option.'),
        ),
        migrations.AlterField(
            model_name='batch',
            name='kind',
            field=models.CharField(choices=[('pilot', 'Pilot'), ('training', 'Training'), ('qualification', 'Qualification'), ('main', 'Main'), ('review', 'Review'), ('re_rating', 'Re-rating'), ('adjudication', 'Adjudication')], default='main', max_length=14),
        ),
        migrations.AlterField(
            model_name='batch',
            name='reserved_for',
            field=models.ForeignKey(blank=True, help_text='Private to one person: a review sample or a re-rating.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reserved_batches', to='annotation.participant'),
        ),
        migrations.AlterField(
            model_name='candidate',
            name='speaker',
            field=models.TextField(blank=True, db_default='', default='', help_text='Whose turn it is; empty if unknown.'),
        ),
        migrations.AlterField(
            model_name='dialogue',
            name='asker',
            field=models.TextField(blank=True, db_default='', default='', help_text="The speaker who asks. If empty, the speakers' names decide."),
        ),
        migrations.AlterField(
            model_name='exportjob',
            name='language',
            field=models.CharField(default='en', help_text='The language of the person who reads its errors.', max_length=20),
        ),
        migrations.AlterField(
            model_name='importjob',
            name='language',
            field=models.CharField(default='en', help_text='The language of the person who reads its errors.', max_length=20),
        ),
        migrations.AlterField(
            model_name='item',
            name='is_check',
            field=models.BooleanField(db_default=False, default=False, help_text='Its answer is known. It is shown like any other item and is never a result.'),
        ),
        migrations.AlterField(
            model_name='item',
            name='unit',
            field=models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], db_default='response', default='response', max_length=20),
        ),
        migrations.AlterField(
            model_name='judgecall',
            name='status',
            field=models.CharField(choices=[('answered', 'Answered'), ('refused', 'Refused by the model'), ('malformed', 'No answer in the reply'), ('rejected', 'Rejected by the endpoint'), ('failed', 'Failed, asked again')], max_length=10),
        ),
        migrations.AlterField(
            model_name='judgerun',
            name='error',
            field=models.TextField(blank=True, help_text='Why it failed, in a sentence.'),
        ),
        migrations.AlterField(
            model_name='judgerun',
            name='most_targets',
            field=models.PositiveIntegerField(blank=True, help_text='The number of targets, drawn with the seed.', null=True),
        ),
        migrations.AlterField(
            model_name='metric',
            name='criterion',
            field=models.ForeignKey(blank=True, help_text='The criterion it predicts. If empty, a score that is compared with every criterion.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='metrics', to='protocols.criterion'),
        ),
        migrations.AlterField(
            model_name='participant',
            name='briefed_version',
            field=models.ForeignKey(blank=True, help_text='The version whose texts they have read.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='protocols.protocolversion'),
        ),
        migrations.AlterField(
            model_name='participant',
            name='joined_on',
            field=models.UUIDField(blank=True, editable=False, help_text='The form that made the account, so that sending it twice makes one.', null=True),
        ),
        migrations.AlterField(
            model_name='rating',
            name='active_ms',
            field=models.PositiveIntegerField(default=0, help_text='Reported by the browser; no decision rests on it.'),
        ),
        migrations.AlterField(
            model_name='study',
            name='imported_record',
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False, help_text='How the study was conducted before it was imported, from its archive. Empty for a study made here.'),
        ),
        migrations.AlterField(
            model_name='study',
            name='is_clearing_on_join',
            field=models.BooleanField(default=False, help_text='People who join may rate without being cleared.'),
        ),
        migrations.AlterField(
            model_name='study',
            name='is_dealt_to_groups',
            field=models.BooleanField(db_default=False, default=False, help_text='The group of the first annotator takes the batch; nobody from another group may join.'),
        ),
        migrations.AlterField(
            model_name='study',
            name='is_joinable',
            field=models.BooleanField(default=False, help_text='Anyone with the invitation link may join.'),
        ),
        migrations.AlterField(
            model_name='study',
            name='majority_rule',
            field=models.CharField(choices=[('plurality', 'positive has strictly more votes than every other option'), ('absolute', 'positive has more than half of all votes'), ('decided', 'positive has strictly more votes than negative, not counting unsure votes')], default='plurality', max_length=12),
        ),
        migrations.AlterField(
            model_name='study',
            name='text_format',
            field=models.CharField(choices=[('plain', 'As typed: every character and line break'), ('markdown', 'Formatted as Markdown: lists, tables, code, bold')], db_default='plain', default='plain', help_text='How dialogues and responses are shown.', max_length=10),
        ),
        migrations.AlterField(
            model_name='study',
            name='word_scale',
            field=models.CharField(choices=[('landis_koch', 'Landis and Koch (1977): poor, slight, fair … almost perfect'), ('krippendorff', 'Krippendorff (2004): unreliable, tentative, reliable'), ('none', 'No verbal scale')], db_default='landis_koch', default='landis_koch', help_text='The verbal scale shown beside coefficients of agreement.', max_length=12),
        ),
        migrations.AlterConstraint(
            model_name='study',
            name='pay_names_its_currency',
            constraint=models.CheckConstraint(condition=models.Q(('pay_amount__isnull', True), models.Q(('pay_amount__gte', 0), models.Q(('pay_currency', ''), _negated=True)), _connector='OR'), name='pay_names_its_currency', violation_error_message='Enter the pay as an amount of 0 or more with its currency, for example GBP.'),
        ),
    ]
