"""Two whole dialogues in comparison."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0031_comparison'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='item',
            name='one_item_per_batch_and_pair',
        ),
        migrations.RemoveConstraint(
            model_name='item',
            name='item_has_what_its_unit_has',
        ),
        migrations.RemoveConstraint(
            model_name='item',
            name='comparison_shows_two_candidates',
        ),
        migrations.AddField(
            model_name='identicalpair',
            name='other_dialogue',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='other_identical_pairs', to='annotation.dialogue'),
        ),
        migrations.AddField(
            model_name='item',
            name='other_dialogue',
            field=models.ForeignKey(blank=True, db_index=False, help_text='The whole dialogue that the first one is compared with.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='other_items', to='annotation.dialogue'),
        ),
        migrations.AlterField(
            model_name='identicalpair',
            name='first',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.candidate'),
        ),
        migrations.AlterField(
            model_name='identicalpair',
            name='second',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.candidate'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('other_dialogue__isnull', False)), fields=['other_dialogue'], name='items_by_other_dialogue'),
        ),
        migrations.AddConstraint(
            model_name='identicalpair',
            constraint=models.UniqueConstraint(fields=('batch', 'dialogue', 'other_dialogue'), name='one_identical_pair_of_dialogues_per_batch'),
        ),
        migrations.AddConstraint(
            model_name='identicalpair',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('first__isnull', False), ('other_dialogue', None), ('second__isnull', False)), models.Q(('first', None), ('other_dialogue__isnull', False), ('second', None)), _connector='OR'), name='identical_pair_has_two_sides'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(condition=models.Q(('other_dialogue', None), ('repeats', None), ('unit', 'comparison')), fields=('batch', 'dialogue', 'shown'), name='one_item_per_batch_and_pair'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.UniqueConstraint(condition=models.Q(('other_dialogue__isnull', False), ('repeats', None)), fields=('batch', 'dialogue', 'other_dialogue'), name='one_item_per_batch_and_pair_of_dialogues'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(models.Q(('candidate__isnull', False), ('dialogue__isnull', False), ('source__isnull', False), ('unit', 'response')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('source__isnull', False), ('unit', 'candidate_set')), models.Q(('candidate__isnull', True), ('dialogue__isnull', True), ('source__isnull', False), ('unit', 'model')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('source__isnull', True), ('unit', 'comparison')), models.Q(('candidate__isnull', True), ('dialogue__isnull', False), ('unit', 'dialogue')), _connector='OR'), models.Q(('unit', 'comparison'), ('other_dialogue', None), _connector='OR')), name='item_has_what_its_unit_has'),
        ),
        migrations.AddConstraint(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('unit', 'comparison'), _negated=True), models.Q(('other_dialogue', None), ('shown__len', 2)), models.Q(('other_dialogue__isnull', False), ('shown__len', 0)), _connector='OR'), name='comparison_shows_two_sides'),
        ),
    ]
