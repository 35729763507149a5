from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0026_words_in_rows'),
        ('protocols', '0010_alter_criterion_rules_alter_criterion_short_and_more'),
    ]

    operations = [
        migrations.AlterField(
            model_name='batch',
            name='kind',
            field=models.CharField(choices=[('pilot', 'Pilot'), ('training', 'Training'), ('qualification', 'Qualification'), ('main', 'Main'), ('review', 'Review'), ('re_rating', 'Re-rating'), ('adjudication', 'Adjudication')], default='main', max_length=14),
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
            field=models.CharField(choices=[('landis_koch', 'Landis and Koch (1977): poor, slight, fair … almost perfect'), ('krippendorff', 'Krippendorff (2004): unreliable, tentative, reliable'), ('none', 'No verbal scale')], db_default='landis_koch', default='landis_koch', help_text='By which words stand beside coefficients of agreement.', max_length=12),
        ),
        migrations.AlterConstraint(
            model_name='study',
            name='pay_names_its_currency',
            constraint=models.CheckConstraint(condition=models.Q(('pay_amount__isnull', True), models.Q(('pay_amount__gte', 0), models.Q(('pay_currency', ''), _negated=True)), _connector='OR'), name='pay_names_its_currency', violation_error_message='Enter the pay as an amount of 0 or more with its currency, for example GBP.'),
        ),
    ]
