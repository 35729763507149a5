from django.db import migrations

# Stored agreement of comparisons of more than two sources depends on the order of the sources. What is derived is
# deleted for studies that compare, and the sweep measures their batches again; the versions of studies stay, because
# boards tell by them what is new.
MEASURE_AGAIN = """
    WITH compared AS (
        SELECT DISTINCT snapshot.study_id FROM annotation_agreementcell cell
        JOIN annotation_agreementsnapshot snapshot ON snapshot.id = cell.snapshot_id WHERE cell.pairings <> '{}'
    ), snapshots AS (
        UPDATE annotation_agreementsnapshot
        SET n_ratings = 0, n_wanted = 0, hours = '{}', version = CASE WHEN batch_id IS NULL THEN version ELSE 0 END
        WHERE study_id IN (SELECT study_id FROM compared) RETURNING id
    ), annotators AS (
        DELETE FROM annotation_annotatorcell WHERE snapshot_id IN (SELECT id FROM snapshots)
    )
    DELETE FROM annotation_agreementcell WHERE snapshot_id IN (SELECT id FROM snapshots)
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0037_added_seat")]

    operations = [migrations.RunSQL(MEASURE_AGAIN, migrations.RunSQL.noop)]
