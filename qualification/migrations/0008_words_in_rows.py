"""Rows that hold the private words of before."""

from django.db import migrations

WORDS = """
    UPDATE qualification_disagreement SET state = 're_rating' WHERE state = 'second_look';
    UPDATE qualification_disagreement SET how = 're_rating' WHERE how = 'second_look';
    UPDATE qualification_sample SET state = 'reviewing' WHERE state = 'checking';
    UPDATE qualification_sample SET results = results - 'verdict' || jsonb_build_object(
        'outcome', results -> 'verdict',
        'classes', (SELECT coalesce(jsonb_agg(one - 'verdict' || jsonb_build_object('outcome', one -> 'verdict')), '[]')
                    FROM jsonb_array_elements(results -> 'classes') one)
    ) WHERE results ? 'verdict';
"""


class Migration(migrations.Migration):
    dependencies = [("qualification", "0007_rooms_in_the_fields_words")]

    operations = [migrations.RunSQL(WORDS, migrations.RunSQL.noop)]
