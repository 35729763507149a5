"""Tell of conversations that imported batches divide: nobody in the study can read them as a whole."""

from collections.abc import Collection

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import ngettext

from annotation.importing.copying import fetch
from annotation.models import Study

# Conversations in several batches of kind main of which none holds all the turns that the batches hold, if the import
# has touched one of them.
DIVIDED = """
    WITH held AS (
        SELECT dialogue.conversation, item.batch_id, array_agg(DISTINCT dialogue.id) AS turns
        FROM annotation_batch batch
        JOIN annotation_item item ON item.batch_id = batch.id
        JOIN annotation_dialogue dialogue ON dialogue.id = item.dialogue_id
        WHERE batch.study_id = %(study)s AND batch.kind = 'main'
            AND dialogue.conversation IN (
                SELECT conversation FROM annotation_dialogue WHERE study_id = %(study)s
                GROUP BY conversation HAVING count(*) > 1)
        GROUP BY dialogue.conversation, item.batch_id
    )
    SELECT held.conversation FROM held CROSS JOIN LATERAL unnest(held.turns) AS turn
    GROUP BY held.conversation
    HAVING bool_or(held.batch_id = ANY(%(touched)s)) AND count(DISTINCT held.batch_id) > 1
        AND max(cardinality(held.turns)) < count(DISTINCT turn)
    ORDER BY held.conversation
"""


def divided_conversations(study: Study, touched: Collection[int]) -> list[str]:
    """Return a sentence if there are such conversations, otherwise nothing. `touched` are ids of batches."""
    found = [conversation for (conversation,) in fetch(DIVIDED, {"study": study.pk, "touched": list(touched)})]
    if not found:
        return []
    text = ngettext(
        "Batches divide %(number)s conversation, %(key)s: nobody can rate it as a whole. Take the import back and name "
        "one batch for all its turns.",
        "Batches divide %(number)s conversations, for example %(key)s: nobody can rate them as a whole. Take the "
        "import back and name one batch for all turns of each.",
        len(found),
    )
    return [text % {"number": intcomma(len(found)), "key": found[0]}]
