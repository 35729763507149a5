"""A settled label keeps the reasons, turns and other answers of those who gave it."""

from django.db import migrations, models


# Labels that were settled before: the second look of those who gave the label, or else their first look.
SAME_LABEL = """
    EXISTS (SELECT FROM annotation_rating same WHERE same.assignment_id = rating.assignment_id
        AND same.item_id = rating.item_id AND same.criterion_id = disagreement.criterion_id
        AND same.option_id = disagreement.option_id AND same.is_active)
"""
SECOND_LOOKS = f"""
    INSERT INTO qualification_disagreement_answers (disagreement_id, rating_id)
    SELECT DISTINCT disagreement.id, rating.id FROM qualification_disagreement disagreement
    JOIN annotation_item item ON item.id = disagreement.item_id
    JOIN protocols_criterion criterion ON criterion.id = disagreement.criterion_id
    JOIN qualification_comparison comparison ON comparison.batch_id = item.batch_id
        AND comparison.round = disagreement.round AND comparison.protocol_version_id = criterion.version_id
    JOIN qualification_secondlook look ON look.comparison_id = comparison.id
    JOIN annotation_assignment work ON work.batch_id = look.private_batch_id AND work.status = 'submitted'
    JOIN annotation_item copy ON copy.batch_id = look.private_batch_id AND copy.unit = item.unit
        AND copy.dialogue_id IS NOT DISTINCT FROM item.dialogue_id
        AND copy.candidate_id IS NOT DISTINCT FROM item.candidate_id
        AND copy.source_id IS NOT DISTINCT FROM item.source_id
    JOIN annotation_rating rating ON rating.assignment_id = work.id AND rating.item_id = copy.id AND rating.is_active
    WHERE disagreement.state = 'settled' AND {SAME_LABEL};
"""
FIRST_LOOKS = f"""
    INSERT INTO qualification_disagreement_answers (disagreement_id, rating_id)
    SELECT DISTINCT disagreement.id, rating.id FROM qualification_disagreement disagreement
    JOIN annotation_item item ON item.id = disagreement.item_id
    JOIN protocols_criterion criterion ON criterion.id = disagreement.criterion_id
    JOIN qualification_comparison comparison ON comparison.batch_id = item.batch_id
        AND comparison.round = disagreement.round AND comparison.protocol_version_id = criterion.version_id
    JOIN annotation_seat seat ON seat.assignment_id IN (comparison.first_id, comparison.second_id)
    JOIN annotation_rating rating ON rating.assignment_id = seat.assignment_id AND rating.item_id = item.id
        AND rating.is_active
    WHERE disagreement.state = 'settled' AND {SAME_LABEL} AND NOT EXISTS (
        SELECT FROM qualification_disagreement_answers kept WHERE kept.disagreement_id = disagreement.id);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0012_whole_active_time"),
        ("qualification", "0004_void_samples"),
    ]

    operations = [
        migrations.AddField(
            model_name="disagreement",
            name="answers",
            field=models.ManyToManyField(
                help_text="All answers about the item by those who gave the settled label.",
                related_name="+",
                to="annotation.rating",
            ),
        ),
        migrations.RunSQL(SECOND_LOOKS + FIRST_LOOKS, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="checkplan",
            name="gives_feedback",
            field=models.BooleanField(
                default=False,
                help_text="Annotators see how they agree. It affects independence, so it is reported.",
            ),
        ),
    ]
