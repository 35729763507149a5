"""The prompt of a crowd task is no speaker: the one turn it becomes has no name.

Only the import of prompts made dialogues of one turn by a speaker of this name. Their digests stay: the import knows
such a turn by the name it had.
"""

from django.db import migrations

SQL = """
UPDATE annotation_dialogue SET turns = jsonb_set(turns, '{{0,speaker}}', '"{now}"')
WHERE jsonb_array_length(turns) = 1 AND turns -> 0 ->> 'speaker' = '{before}'
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0012_whole_active_time")]

    operations = [
        migrations.RunSQL(SQL.format(before="prompt", now=""), SQL.format(before="", now="prompt")),
    ]
