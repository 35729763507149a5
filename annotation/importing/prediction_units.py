"""Find the candidates or dialogues of the study that predictions are about. Nothing is created.

All steps work on `import_row`: one row for each line of the file.
"""

from django.utils.translation import gettext, gettext_noop

from annotation.importing.copying import execute, fetch
from annotation.importing.outcome import MOST_ERRORS, ErrorLog
from annotation.models import Study

NO_DIALOGUE = gettext_noop("%(name)r is not in the study")
IN_SEVERAL_DIALOGUES = gettext_noop("%(item)r is in several dialogues: add a dialogue column")
NO_CANDIDATE = gettext_noop("%(item)r is not a candidate of the dialogue %(dialogue)r")
SEVERAL_OF_SOURCE = gettext_noop(
    "the dialogue %(dialogue)r has several candidates from %(source)r: name the candidate in an item column"
)
OTHER_SOURCE = gettext_noop("in the study, %(item)r is from a source other than %(source)r")
COLUMNS = "line, dialogue, item, source"
TABLE = """CREATE TEMP TABLE import_row (
               line bigint, dialogue text, item text, source text, n_meant bigint DEFAULT 1,
               dialogue_id bigint, candidate_id bigint) ON COMMIT DROP"""


def find_targets(study: Study, *, is_whole_dialogue: bool) -> None:
    """Fill dialogue_id, and candidate_id where responses are rated. Raise ImportRejected."""
    _find_dialogues(study)
    if is_whole_dialogue:
        return
    _find_candidates_by_key()
    _find_candidates_by_source()
    _refuse("n_meant > 1", "item", SEVERAL_OF_SOURCE)
    _refuse("candidate_id IS NULL", "item", NO_CANDIDATE)
    other = "(SELECT s.key FROM annotation_source s JOIN annotation_candidate c ON c.source_id = s.id"
    _refuse(f"source <> '' AND item <> '' AND source <> {other} WHERE c.id = candidate_id)", "source", OTHER_SOURCE)


def _find_dialogues(study: Study) -> None:
    """Find each row's dialogue. A row without one names a candidate whose key must be unique in the study."""
    execute(
        """UPDATE import_row r SET dialogue_id = f.dialogue_id, n_meant = f.n
           FROM (SELECT c.key, min(c.dialogue_id) AS dialogue_id, count(*) AS n
                 FROM annotation_candidate c JOIN annotation_dialogue d ON d.id = c.dialogue_id
                 WHERE d.study_id = %s AND c.key IN (SELECT item FROM import_row WHERE dialogue = '')
                 GROUP BY c.key) f
           WHERE r.dialogue = '' AND f.key = r.item""",
        [study.pk],
    )
    _refuse("n_meant > 1", "item", IN_SEVERAL_DIALOGUES)
    execute(
        """UPDATE import_row r SET dialogue_id = d.id FROM annotation_dialogue d
           WHERE r.dialogue_id IS NULL AND d.study_id = %s AND d.key = coalesce(nullif(r.dialogue, ''), r.item)""",
        [study.pk],
    )
    _refuse("dialogue_id IS NULL", "dialogue", NO_DIALOGUE)


def _find_candidates_by_key() -> None:
    execute(
        """UPDATE import_row r SET candidate_id = c.id FROM annotation_candidate c
           WHERE r.item <> '' AND c.dialogue_id = r.dialogue_id AND c.key = r.item"""
    )


def _find_candidates_by_source() -> None:
    """Find candidates by their source. Where a source has several in a dialogue, the row must name one."""
    execute(
        """UPDATE import_row r SET candidate_id = f.id, n_meant = f.n
           FROM (SELECT c.dialogue_id, s.key, min(c.id) AS id, count(*) AS n
                 FROM annotation_candidate c JOIN annotation_source s ON s.id = c.source_id
                 WHERE c.dialogue_id IN (SELECT dialogue_id FROM import_row WHERE item = '')
                 GROUP BY c.dialogue_id, s.key) f
           WHERE r.item = '' AND f.dialogue_id = r.dialogue_id AND f.key = r.source"""
    )


def _refuse(condition: str, field: str, reason: str) -> None:
    """Raise ImportRejected with every line that meets the condition."""
    rows = fetch(
        f"""SELECT line, dialogue, item, source, count(*) OVER () FROM import_row WHERE {condition}
            ORDER BY line LIMIT %s""",
        [MOST_ERRORS],
    )
    text, log = gettext(reason), ErrorLog()
    for line, dialogue, item, source, _total in rows:
        found = {"dialogue": dialogue, "item": item or source, "source": source, "name": dialogue or item}
        log.add(line, field, text % found)
    log.count_more(rows[0][-1] - len(rows) if rows else 0)
    log.refuse_any()
