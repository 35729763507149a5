"""Rows that hold the private words of before: kinds of batches, decisions in the log, records from archives."""

from typing import Any

from django.db import migrations

KINDS = """
    UPDATE annotation_batch SET kind = 'review' WHERE kind = 'control';
    UPDATE annotation_batch SET kind = 're_rating' WHERE kind = 'second_look';
"""
VERBS = {
    "standing": "status",
    "gate": "qualification",
    "verdict": "qualification_result",
    "control_plan": "acceptance_plan",
    "control_drawn": "sample_drawn",
    "control_taken": "sample_taken",
    "control_given_back": "sample_given_back",
    "control_second": "sample_second",
    "control_decided": "acceptance_decided",
    "control_voided": "sample_voided",
    "control_overridden": "acceptance_overridden",
    "confirm_plan": "adjudication_plan",
    "second_look": "re_rating",
    "checks_mixed": "checks_inserted",
}
# The log is append-only. What happened is left as it is; only the name of it changes.
LOG = "".join(
    [
        "SET CONSTRAINTS ALL IMMEDIATE;",  # no table can be altered while it has checks to come
        "ALTER TABLE annotation_activitylog DISABLE TRIGGER annotation_append_only;",
        *(f"UPDATE annotation_activitylog SET verb = '{new}' WHERE verb = '{old}';" for old, new in VERBS.items()),
        "UPDATE annotation_activitylog SET details = details - 'verdict' ||",
        " jsonb_build_object('decision', details -> 'verdict') WHERE details ? 'verdict';",
        "ALTER TABLE annotation_activitylog ENABLE TRIGGER annotation_append_only;",
    ]
)


def rename_parts(apps: Any, schema_editor: Any) -> None:
    """Imported records in the words of today. One that has no part of the acceptance of batches has been renamed."""
    studies = apps.get_model("annotation", "Study").objects.exclude(imported_record={})
    for study in studies.iterator():
        said = study.imported_record
        if "control" not in said:
            continue
        accepted = said.pop("acceptance")
        if accepted and accepted.get("by") == "gate":
            accepted["by"] = "qualification"
        confirmed = said.pop("confirmed")
        for row in (confirmed or {}).get("by_criterion", ()):
            row["re_rating"] = row.pop("second_look")
        said |= {"qualification": accepted, "acceptance": said.pop("control"), "adjudication": confirmed}
        study.save(update_fields=["imported_record"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0025_status_and_study_record")]

    operations = [
        migrations.RunSQL(KINDS, migrations.RunSQL.noop),
        migrations.RunSQL(LOG, migrations.RunSQL.noop),
        migrations.RunPython(rename_parts, migrations.RunPython.noop),
    ]
