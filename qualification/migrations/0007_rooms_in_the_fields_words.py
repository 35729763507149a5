"""The words of the field in place of private ones."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0025_status_and_study_record"),
        ("qualification", "0006_entry_without_form"),
    ]

    operations = [
        migrations.RenameModel("Gate", "Qualification"),
        migrations.RenameField("comprehensionquestion", "gate", "qualification"),
        migrations.RenameModel("ControlPlan", "AcceptancePlan"),
        migrations.RenameField("acceptanceplan", "is_returned_by_itself", "is_returned_automatically"),
        migrations.RenameField("checkplan", "pauses_by_itself", "pauses_automatically"),
        migrations.RenameModel("Inspection", "Sample"),
        migrations.RenameModel("Draw", "SampledItem"),
        migrations.RenameModel("Check", "Review"),
        migrations.RenameField("sample", "verdict", "decision"),
        migrations.RenameField("sample", "figures", "results"),
        migrations.RenameField("sampleditem", "inspection", "sample"),
        migrations.RenameField("sampleditem", "verdict", "controller_label"),
        migrations.RenameField("sampleditem", "second_verdict", "second_label"),
        migrations.RenameField("review", "inspection", "sample"),
        migrations.RenameModel("ConfirmPlan", "AdjudicationPlan"),
        migrations.RenameModel("SecondLook", "ReRating"),

        migrations.RemoveConstraint(
            model_name='acceptanceplan',
            name='control_shares_are_shares',
        ),
        migrations.RemoveConstraint(
            model_name='acceptanceplan',
            name='control_risks_are_risks',
        ),
        migrations.RemoveConstraint(
            model_name='comprehensionquestion',
            name='one_question_per_position',
        ),
        migrations.RemoveConstraint(
            model_name='qualification',
            name='gate_threshold_is_a_kappa_or_share',
        ),
        migrations.RemoveConstraint(
            model_name='rerating',
            name='one_second_look_per_annotator',
        ),
        migrations.RemoveConstraint(
            model_name='review',
            name='one_check_per_portion',
        ),
        migrations.RemoveConstraint(
            model_name='sample',
            name='decided_inspection_has_its_verdict',
        ),
        migrations.RemoveConstraint(
            model_name='sample',
            name='overridden_verdict_has_a_reason',
        ),
        migrations.RemoveConstraint(
            model_name='sample',
            name='one_inspection_per_round',
        ),
        migrations.RemoveConstraint(
            model_name='sample',
            name='void_inspection_has_its_time',
        ),
        migrations.RemoveConstraint(
            model_name='sampleditem',
            name='one_draw_per_item',
        ),
        migrations.RemoveConstraint(
            model_name='sampleditem',
            name='one_draw_per_position',
        ),
        migrations.RemoveIndex(
            model_name='sample',
            name='inspections_under_way',
        ),
        migrations.RenameIndex(
            model_name='review',
            new_name='reviews_under_way',
            old_name='checks_under_way',
        ),
        migrations.AlterField(
            model_name='acceptanceplan',
            name='study',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='acceptance_plan', to='annotation.study'),
        ),
        migrations.AlterField(
            model_name='adjudicationplan',
            name='study',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='adjudication_plan', to='annotation.study'),
        ),
        migrations.AlterField(
            model_name='disagreement',
            name='how',
            field=models.CharField(blank=True, choices=[('re_rating', 'agreed at the second look'), ('adjudicated', 'settled by a trainer'), ('replaced', 'agreed after one of the two was replaced')], max_length=14),
        ),
        migrations.AlterField(
            model_name='disagreement',
            name='state',
            field=models.CharField(choices=[('re_rating', 'both look again'), ('adjudication', 'with a trainer'), ('settled', 'settled')], default='re_rating', max_length=14),
        ),
        migrations.AlterField(
            model_name='qualification',
            name='study',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='qualification', to='annotation.study'),
        ),
        migrations.AlterField(
            model_name='rerating',
            name='participant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='re_ratings', to='annotation.participant'),
        ),
        migrations.AlterField(
            model_name='rerating',
            name='private_batch',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='re_rating', to='annotation.batch'),
        ),
        migrations.AlterField(
            model_name='review',
            name='batch',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='sample_review', to='annotation.batch'),
        ),
        migrations.AlterField(
            model_name='review',
            name='participant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='annotation.participant'),
        ),
        migrations.AlterField(
            model_name='review',
            name='sample',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='qualification.sample'),
        ),
        migrations.AlterField(
            model_name='sample',
            name='batch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='samples', to='annotation.batch'),
        ),
        migrations.AlterField(
            model_name='sample',
            name='controller',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='samples', to='annotation.participant'),
        ),
        migrations.AlterField(
            model_name='sample',
            name='state',
            field=models.CharField(choices=[('waiting', 'waits for a controller'), ('reviewing', 'is being checked'), ('decided', 'decided'), ('void', 'void')], default='waiting', max_length=10),
        ),
        migrations.AlterField(
            model_name='sampleditem',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled_items', to='annotation.item'),
        ),
        migrations.AlterField(
            model_name='sampleditem',
            name='sample',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sampled_items', to='qualification.sample'),
        ),
        migrations.AddIndex(
            model_name='sample',
            index=models.Index(condition=models.Q(('state__in', ('waiting', 'reviewing'))), fields=['state'], name='samples_under_way'),
        ),
        migrations.AddConstraint(
            model_name='acceptanceplan',
            constraint=models.CheckConstraint(condition=models.Q(('least_of_class__gte', 0), ('least_of_class__lte', 1), ('least_overall__gt', 0), ('least_overall__lte', 1)), name='acceptance_shares_are_shares'),
        ),
        migrations.AddConstraint(
            model_name='acceptanceplan',
            constraint=models.CheckConstraint(condition=models.Q(('consumer_risk__gt', 0), ('consumer_risk__lt', 0.5), ('producer_risk__gt', 0), ('producer_risk__lt', 0.5)), name='acceptance_risks_are_risks', violation_error_message='Risks lie between 0 and 0.5.'),
        ),
        migrations.AddConstraint(
            model_name='comprehensionquestion',
            constraint=models.UniqueConstraint(fields=('qualification', 'position'), name='one_question_per_position'),
        ),
        migrations.AddConstraint(
            model_name='qualification',
            constraint=models.CheckConstraint(condition=models.Q(('threshold__isnull', True), models.Q(('threshold__gte', -1), ('threshold__lte', 1)), _connector='OR'), name='qualification_threshold_is_a_kappa_or_share', violation_error_message='A threshold lies between -1 and 1.'),
        ),
        migrations.AddConstraint(
            model_name='rerating',
            constraint=models.UniqueConstraint(fields=('comparison', 'participant'), name='one_re_rating_per_annotator'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.UniqueConstraint(condition=models.Q(('given_back_at__isnull', True)), fields=('sample', 'is_second', 'number'), name='one_review_per_portion'),
        ),
        migrations.AddConstraint(
            model_name='sample',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'void'), _negated=True), fields=('batch', 'round', 'protocol_version'), name='one_sample_per_round'),
        ),
        migrations.AddConstraint(
            model_name='sample',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'void'), ('voided_at__isnull', False)), models.Q(models.Q(('state', 'void'), _negated=True), ('voided_at__isnull', True)), _connector='OR'), name='void_sample_has_its_time'),
        ),
        migrations.AddConstraint(
            model_name='sample',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'decided'), _negated=True), models.Q(('decided_at__isnull', False), models.Q(('decision', ''), _negated=True)), _connector='OR'), name='decided_sample_has_its_decision'),
        ),
        migrations.AddConstraint(
            model_name='sample',
            constraint=models.CheckConstraint(condition=models.Q(('overridden_to', ''), models.Q(('override_reason', ''), _negated=True), _connector='OR'), name='overridden_decision_has_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='sampleditem',
            constraint=models.UniqueConstraint(fields=('sample', 'item'), name='one_sampled_item_per_item'),
        ),
        migrations.AddConstraint(
            model_name='sampleditem',
            constraint=models.UniqueConstraint(fields=('sample', 'position'), name='one_sampled_item_per_position'),
        ),
    ]
