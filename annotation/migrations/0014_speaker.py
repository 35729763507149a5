from django.db import migrations, models

# What an earlier import kept among the other fields of a candidate, unless it is the name of who wrote it.
NAMED = """
UPDATE annotation_candidate candidate
SET speaker = btrim(candidate.metadata ->> 'speaker'), metadata = candidate.metadata - 'speaker'
FROM annotation_source source
WHERE source.id = candidate.source_id AND jsonb_typeof(candidate.metadata -> 'speaker') = 'string'
    AND length(btrim(candidate.metadata ->> 'speaker')) BETWEEN 1 AND 200
    AND lower(btrim(candidate.metadata ->> 'speaker')) NOT IN (lower(source.key), lower(source.name))
"""
# Of two speakers, the one who did not speak last (annotation/speakers.py).
FOLLOWING = """
UPDATE annotation_candidate candidate SET speaker = following.speaker
FROM (
    SELECT dialogue.id, min(turn.said ->> 'speaker') AS speaker
    FROM annotation_dialogue dialogue
    CROSS JOIN LATERAL jsonb_array_elements(dialogue.turns) AS turn (said)
    WHERE turn.said ->> 'speaker' <> dialogue.turns -> -1 ->> 'speaker'
    GROUP BY dialogue.id HAVING count(DISTINCT turn.said ->> 'speaker') = 1
) following
WHERE following.id = candidate.dialogue_id AND candidate.speaker = ''
"""


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0013_prompt_speaker"),
    ]

    operations = [
        migrations.AddField(
            model_name='candidate',
            name='speaker',
            field=models.TextField(blank=True, db_default='', default='', help_text='Whose turn it is; empty where nobody can tell.'),
        ),
        migrations.RunSQL([NAMED, FOLLOWING], migrations.RunSQL.noop),
    ]
