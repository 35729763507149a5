"""Find the candidates or dialogues of the study that predictions are about. Nothing is created.

All steps work on `import_row`: one row for each line of the file.
"""

from django.utils.translation import gettext

from annotation.importing.outcome import ErrorLog
from annotation.importing.units import find_candidates, find_dialogues, find_dialogues_of_items, log_lines
from annotation.models import Study

COLUMNS = "line, dialogue, item, source"
TABLE = """CREATE TEMP TABLE import_row (
               line bigint, dialogue text, item text, source text, n_meant bigint DEFAULT 1,
               unit text DEFAULT 'response', dialogue_id bigint, candidate_id bigint, source_id bigint)
           ON COMMIT DROP"""


def find_targets(study: Study, *, is_whole_dialogue: bool) -> None:
    """Fill dialogue_id, and candidate_id where responses are rated. Raise ImportRejected."""
    find_dialogues_of_items(study, "import_row")
    _refuse("n_meant > 1", "item", gettext("%(item)r is in several dialogues: add a dialogue column"))
    find_dialogues(study, "import_row")
    _refuse("dialogue_id IS NULL", "dialogue", gettext("%(name)r is not in the study"))
    if is_whole_dialogue:
        return
    find_candidates("import_row")
    text = gettext(
        "the dialogue %(dialogue)r has several candidates from %(source)r: name the candidate in an item column"
    )
    _refuse("n_meant > 1", "item", text)
    text = gettext("%(item)r is not a candidate of the dialogue %(dialogue)r")
    _refuse("candidate_id IS NULL", "item", text)
    other = "source <> (SELECT s.key FROM annotation_source s WHERE s.id = source_id)"
    text = gettext("in the study, %(item)r is from a source other than %(source)r")
    _refuse(f"source <> '' AND item <> '' AND {other}", "source", text)


def _refuse(condition: str, field: str, text: str) -> None:
    log = ErrorLog()
    log_lines(log, f"import_row r WHERE {condition}", field, text)
    log.refuse_any()
