"""Names, choices and explanations of columns in plain English: nothing changes in the database."""

import django.contrib.postgres.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0027_texts'),
        ('protocols', '0010_texts'),
        ('qualification', '0008_words_in_rows'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='acceptanceplan',
            name='is_returned_automatically',
            field=models.BooleanField(default=True, help_text='If not, a person confirms each return.'),
        ),
        migrations.AlterField(
            model_name='acceptanceplan',
            name='kind',
            field=models.CharField(choices=[('shares', 'a sample with a minimum accuracy overall and per class'), ('fixed', 'a sample with a maximum number of errors'), ('sequential', 'one by one until the result is clear')], default='shares', max_length=12),
        ),
        migrations.AlterField(
            model_name='acceptanceplan',
            name='top_up_to',
            field=models.PositiveSmallIntegerField(default=30, help_text='Rare classes get extra items up to this number.'),
        ),
        migrations.AlterField(
            model_name='checkplan',
            name='pauses_automatically',
            field=models.BooleanField(default=False, help_text='If not, a team lead is asked.'),
        ),
        migrations.AlterField(
            model_name='comparison',
            name='looked_at',
            field=models.DateTimeField(blank=True, help_text='When nothing was left to re-rate.', null=True),
        ),
        migrations.AlterField(
            model_name='comprehensionquestion',
            name='right',
            field=models.PositiveSmallIntegerField(help_text='Position of the correct option, from 0.'),
        ),
        migrations.AlterField(
            model_name='disagreement',
            name='how',
            field=models.CharField(blank=True, choices=[('re_rating', 'agreed in re-rating'), ('adjudicated', 'settled by a trainer'), ('replaced', 'agreed after one of the two was replaced')], max_length=14),
        ),
        migrations.AlterField(
            model_name='disagreement',
            name='state',
            field=models.CharField(choices=[('re_rating', 'being re-rated'), ('adjudication', 'with a trainer'), ('settled', 'settled')], default='re_rating', max_length=14),
        ),
        migrations.AlterField(
            model_name='entry',
            name='state',
            field=models.CharField(choices=[('entered', 'in progress'), ('done', 'finished'), ('screened_out', 'screened out'), ('failed_attention', 'failed attention checks'), ('timed_out', 'timed out')], default='entered', max_length=20),
        ),
        migrations.AlterField(
            model_name='flag',
            name='kind',
            field=models.CharField(choices=[('gold', 'known answers missed'), ('attention', 'attention checks missed'), ('speed', 'much faster than others on the same items'), ('lines', 'the same answer again and again'), ('drift', 'agrees less than before'), ('kappa', 'agrees less than the study requires')], max_length=12),
        ),
        migrations.AlterField(
            model_name='knownanswer',
            name='options',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='Ids of the correct options.', size=None),
        ),
        migrations.AlterField(
            model_name='knownanswer',
            name='unit',
            field=models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue')], default='response', max_length=20),
        ),
        migrations.AlterField(
            model_name='payentry',
            name='elapsed_ms',
            field=models.PositiveBigIntegerField(blank=True, help_text='From claiming the seat to the end of the lease.', null=True),
        ),
        migrations.AlterField(
            model_name='qualification',
            name='decision',
            field=models.CharField(choices=[('point', 'by the value: pass or fail'), ('interval', 'by the interval: undecided candidates get more batches')], default='point', max_length=8),
        ),
        migrations.AlterField(
            model_name='qualification',
            name='scope',
            field=models.CharField(choices=[('pooled', 'over all criteria together'), ('each', 'for each criterion separately')], default='pooled', max_length=8),
        ),
        migrations.AlterField(
            model_name='recruitment',
            name='is_open',
            field=models.BooleanField(default=False, help_text='New people may join through the platform.'),
        ),
        migrations.AlterField(
            model_name='recruitment',
            name='platform_url',
            field=models.URLField(blank=True, help_text="Where people are sent at the end. If empty, the platform's own page."),
        ),
        migrations.AlterField(
            model_name='sample',
            name='state',
            field=models.CharField(choices=[('waiting', 'waiting for a controller'), ('reviewing', 'being reviewed'), ('decided', 'decided'), ('void', 'void')], default='waiting', max_length=10),
        ),
        migrations.AlterField(
            model_name='sampleditem',
            name='position',
            field=models.PositiveIntegerField(help_text='From 0, in the order of review.'),
        ),
        migrations.AlterConstraint(
            model_name='acceptanceplan',
            name='good_is_better_than_bad',
            constraint=models.CheckConstraint(condition=models.Q(('bad__gt', 0), ('bad__lt', models.F('good')), ('good__lt', 1)), name='good_is_better_than_bad', violation_error_message='Both accuracies must be between 0 and 1, and good accuracy must be above bad accuracy.'),
        ),
        migrations.AlterConstraint(
            model_name='acceptanceplan',
            name='topped_up_classes_are_assessable',
            constraint=models.CheckConstraint(condition=models.Q(('top_up_to', 0), ('top_up_to__gte', models.F('fewest_of_class')), _connector='OR'), name='topped_up_classes_are_assessable', violation_error_message='The top-up of rare classes must reach the minimum items per class, or be 0 for none.'),
        ),
        migrations.AlterConstraint(
            model_name='acceptanceplan',
            name='acceptance_risks_are_risks',
            constraint=models.CheckConstraint(condition=models.Q(('consumer_risk__gt', 0), ('consumer_risk__lt', 0.5), ('producer_risk__gt', 0), ('producer_risk__lt', 0.5)), name='acceptance_risks_are_risks', violation_error_message='Risks must be between 0 and 0.5.'),
        ),
        migrations.AlterConstraint(
            model_name='case',
            name='one_case_per_item_and_criterion',
            constraint=models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('study', 'item', 'criterion'), name='one_case_per_item_and_criterion', violation_error_message='The case library already has this item with this question.'),
        ),
        migrations.AlterConstraint(
            model_name='payplan',
            name='pay_is_not_negative',
            constraint=models.CheckConstraint(condition=models.Q(('floor_per_hour__gte', 0), models.Q(('qualification_amount__isnull', True), ('qualification_amount__gte', 0), _connector='OR')), name='pay_is_not_negative', violation_error_message='An amount must be 0 or more.'),
        ),
        migrations.AlterConstraint(
            model_name='payplan',
            name='qualification_takes_a_minute',
            constraint=models.CheckConstraint(condition=models.Q(('qualification_minutes__isnull', True), ('qualification_minutes__gte', 1), _connector='OR'), name='qualification_takes_a_minute', violation_error_message='A qualification must take at least a minute.'),
        ),
        migrations.AlterConstraint(
            model_name='qualification',
            name='fixed_threshold_is_given',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('threshold_from', 'fixed'), _negated=True), ('threshold__isnull', False), _connector='OR'), name='fixed_threshold_is_given', violation_error_message='Enter the fixed threshold.'),
        ),
        migrations.AlterConstraint(
            model_name='qualification',
            name='qualification_threshold_is_a_kappa_or_share',
            constraint=models.CheckConstraint(condition=models.Q(('threshold__isnull', True), models.Q(('threshold__gte', -1), ('threshold__lte', 1)), _connector='OR'), name='qualification_threshold_is_a_kappa_or_share', violation_error_message='A threshold must be between -1 and 1.'),
        ),
        migrations.AlterConstraint(
            model_name='recruitment',
            name='approval_is_a_percentage',
            constraint=models.CheckConstraint(condition=models.Q(('least_approval__isnull', True), ('least_approval__lte', 100), _connector='OR'), name='approval_is_a_percentage', violation_error_message='An approval rate cannot exceed 100 per cent.'),
        ),
    ]
