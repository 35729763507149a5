"""Two candidates in comparison: pairs, the sides drawn for each annotator, and identical pairs."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from parley.sql_files import install


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0030_dialogue_source'),
    ]

    operations = [
        migrations.CreateModel(
            name='IdenticalPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='identical_pairs', to='annotation.batch')),
                ('dialogue', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identical_pairs', to='annotation.dialogue')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.candidate')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.candidate')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('batch', 'first', 'second'), name='one_identical_pair_per_batch')],
            },
        ),
        migrations.RemoveConstraint(
            model_name='item',
            name='item_has_what_its_unit_has',
        ),
        migrations.AddField(
            model_name='agreementcell',
            name='pairings',
            field=models.JSONField(db_default={}, default=dict, help_text='Of comparisons: votes by pair of sources, option and sides.'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='swapped',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), blank=True, db_default=[], default=list, help_text='Comparisons whose second candidate stands on the left for this annotator. Drawn with the seat.', size=None),
        ),
        migrations.AddField(
            model_name='item',
            name='repeats',
            field=models.ForeignKey(blank=True, help_text='The comparison that this one shows again, with its sides swapped.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='repetitions', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='rating',
            name='is_swapped',
            field=models.BooleanField(help_text='Of a comparison: whether the second candidate stood on the left. The option is stored by candidate.', null=True),
        ),
        migrations.AlterField(
            model_name='item',
            name='is_check',
            field=models.BooleanField(db_default=False, default=False, help_text='Its answer is known, or it repeats another item. It is shown like any other and is never a result.'),
        ),
        migrations.AlterField(
            model_name='item',
            name='unit',
            field=models.CharField(choices=[('response', 'Response'), ('candidate_set', 'Candidate set'), ('model', 'Model'), ('dialogue', 'Dialogue'), ('comparison', 'Comparison')], db_default='response', default='response', max_length=20),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(condition=models.Q(('repeats', None), ('unit', 'comparison')), fields=('batch', 'dialogue', 'shown'), name='one_item_per_batch_and_pair'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('candidate__isnull', False), ('dialogue__isnull', False), ('source__isnull', False), ('unit', 'response')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('source__isnull', False), ('unit', 'candidate_set')), models.Q(('candidate__isnull', True), ('dialogue__isnull', True), ('source__isnull', False), ('unit', 'model')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('source__isnull', True), ('unit', 'comparison')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('unit', 'dialogue')), _connector='OR'), name='item_has_what_its_unit_has'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('unit', 'comparison'), _negated=True), ('shown__len', 2), _connector='OR'), name='comparison_shows_two_candidates'),
        ),
        install("annotation", "record_answer"),
    ]
