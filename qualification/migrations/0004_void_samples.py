"""A sample keeps whose labels it is of, so that it is void once one of these votes counts no more."""

from django.conf import settings
from django.db import migrations, models


# Of samples drawn before: finished work that holds its seat, or lost it to an exclusion after the sample was drawn.
VOTES = """
    INSERT INTO qualification_inspection_votes (inspection_id, assignment_id)
    SELECT inspection.id, work.id FROM qualification_inspection inspection
    JOIN annotation_batch batch ON batch.id = inspection.batch_id AND batch.round = inspection.round
    JOIN annotation_study study ON study.id = batch.study_id
        AND study.protocol_version_id = inspection.protocol_version_id
    JOIN annotation_assignment work ON work.batch_id = batch.id AND work.round = inspection.round
        AND work.submitted_at <= inspection.drawn_at
    WHERE work.status = 'submitted' AND EXISTS (SELECT FROM annotation_seat WHERE assignment_id = work.id)
    OR work.status = 'excluded' AND EXISTS (
        SELECT FROM annotation_standingchange change WHERE change.participant_id = work.participant_id
        AND change.after = 'excluded' AND change.at >= inspection.drawn_at
    );
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0012_whole_active_time"),
        ("protocols", "0003_engine"),
        ("qualification", "0003_gate_words"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="inspection",
            name="one_inspection_per_round",
        ),
        migrations.RemoveIndex(
            model_name="inspection",
            name="inspections_under_way",
        ),
        migrations.AddField(
            model_name="inspection",
            name="missing",
            field=models.ManyToManyField(
                help_text="Whose votes a void one has lost.", related_name="+", to="annotation.participant"
            ),
        ),
        migrations.AddField(
            model_name="inspection",
            name="voided_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="inspection",
            name="votes",
            field=models.ManyToManyField(
                help_text="Whose labels the sample is of.", related_name="+", to="annotation.assignment"
            ),
        ),
        migrations.AlterField(
            model_name="inspection",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "waits for a controller"),
                    ("checking", "is being checked"),
                    ("decided", "decided"),
                    ("void", "void"),
                ],
                default="waiting",
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="inspection",
            index=models.Index(
                condition=models.Q(("state__in", ("waiting", "checking"))),
                fields=["state"],
                name="inspections_under_way",
            ),
        ),
        migrations.AddConstraint(
            model_name="inspection",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "void"), _negated=True),
                fields=("batch", "round", "protocol_version"),
                name="one_inspection_per_round",
            ),
        ),
        migrations.AddConstraint(
            model_name="inspection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "void"), ("voided_at__isnull", False)),
                    models.Q(models.Q(("state", "void"), _negated=True), ("voided_at__isnull", True)),
                    _connector="OR",
                ),
                name="void_inspection_has_its_time",
            ),
        ),
        migrations.RunSQL(VOTES, migrations.RunSQL.noop),
    ]
