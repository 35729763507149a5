"""Find the dialogues and candidates of the study that were rated, creating missing ones if asked to.

All steps work on `import_unit`: one row for each name that the file gives to something rated, with its first line.
"""

from django.utils.translation import gettext

from annotation.importing.copying import execute, fetch
from annotation.importing.dialogues import add_sources, next_position
from annotation.importing.made import insert_made, note_made
from annotation.importing.outcome import MOST_ERRORS, ErrorLog, LineError, Remedy
from annotation.importing.remedies import create_missing
from annotation.importing.spool import MOST_SOURCES
from annotation.importing.votes import RatingOptions
from annotation.models import Study

MISSING = "candidate_id IS NULL AND unit = 'response'"
UNNAMED = f"{MISSING} AND item = '' AND source = ''"


def stage_units() -> None:
    execute(
        """CREATE TEMP TABLE import_unit ON COMMIT DROP AS
           SELECT row_number() OVER (ORDER BY min(line)) AS id, dialogue, item, source, batch, unit, min(line) AS line,
                  NULL::bigint AS dialogue_id, NULL::bigint AS candidate_id, NULL::bigint AS source_id,
                  NULL::bigint AS batch_id, NULL::bigint AS item_id, 1 AS n_meant, '{}'::bigint[] AS shown,
                  NULL::bigint AS other_dialogue_id,
                  CASE WHEN unit = 'comparison' AND item <> source THEN item::jsonb ->> 2 = 'again' ELSE false END
                      IS TRUE AS is_again
           FROM import_row GROUP BY dialogue, item, source, batch, unit"""
    )


def resolve_units(
    study: Study, options: RatingOptions, log: ErrorLog, no_source: LineError | None = None
) -> dict[str, int]:
    """Fill dialogue_id, candidate_id and source_id of every unit. Return counts of what was created, by name.

    `no_source` is the error of a table in which no row names a response, if that is not clear. The candidates of pairs
    are `shown`, which `resolve_pairs` fills. Units with errors are logged and left out.
    """
    find_dialogues_of_items(study, "import_unit")
    refuse_units(log, "n_meant > 1", "item", gettext("%(item)r is in several dialogues: add a dialogue column"))
    find_dialogues(study, "import_unit")
    _find_only_responses()
    _refuse_without_source(log, no_source)
    counts = dict.fromkeys(("dialogues_new", "sources_new", "candidates_new"), 0)
    if options.create_missing:
        counts["sources_new"] = _create_dialogue_sources(study, options.reference, log)
        counts["dialogues_new"] = _create_dialogues(study)
        find_dialogues(study, "import_unit")
    missing = gettext("%(name)r is not in the study")
    refuse_units(log, "dialogue_id IS NULL AND unit <> 'model'", "dialogue", missing, create_missing())
    _refuse_other_conversations(log)
    find_candidates("import_unit")
    if options.create_missing:
        counts["sources_new"] += _create_sources(study, options.reference, log)
        counts["candidates_new"] = create_candidates(study, "import_unit")
        find_candidates("import_unit")
    _check_candidates(log)
    _find_sources(study, log)
    return counts


def refuse_units(log: ErrorLog, condition: str, field: str, text: str, remedy: Remedy | None = None) -> None:
    """Log every line whose unit meets the condition, once however many answers it holds, and leave these units out."""
    if fetch(f"SELECT 1 FROM import_unit WHERE {condition} LIMIT 1"):
        units = f"(SELECT * FROM import_unit WHERE {condition}) u USING (dialogue, item, source, batch, unit)"
        # Objects of a JSON list may share a line: their annotators tell them apart.
        rows = "(SELECT DISTINCT line, dialogue, item, source, batch, unit, annotator FROM import_row) r"
        log_lines(log, f"{rows} JOIN {units}", field, text, remedy)
        execute(f"DELETE FROM import_unit WHERE {condition}")


def log_lines(log: ErrorLog, rows: str, field: str, text: str, remedy: Remedy | None = None) -> None:
    """Log the lines of these rows. The text may name dialogue, item, source and name."""
    once = "DISTINCT ON (r.line)" if log.has_several_on_a_line else ""
    found = fetch(
        f"""SELECT line, dialogue, item, source, count(*) OVER ()
            FROM (SELECT {once} r.line, dialogue, item, source FROM {rows} ORDER BY r.line) found
            ORDER BY line LIMIT %s""",
        [MOST_ERRORS],
    )
    errors = []
    for line, dialogue, item, source, _total in found:
        candidate = item or source
        names = {"dialogue": dialogue, "item": candidate, "source": source}
        names["name"] = candidate if field == "item" else dialogue or item
        errors.append(LineError(line, field, text % names, remedy))
    log.add_all(errors, found[0][-1] if found else 0)


def find_dialogues_of_items(study: Study, table: str) -> None:
    """Find the dialogues of rows that name only a candidate. Its key must be unique in the study: see `n_meant`."""
    execute(
        f"""UPDATE {table} u SET dialogue_id = f.dialogue_id, n_meant = f.n
           FROM (SELECT c.key, min(c.dialogue_id) AS dialogue_id, count(*) AS n
                 FROM annotation_candidate c JOIN annotation_dialogue d ON d.id = c.dialogue_id
                 WHERE d.study_id = %s AND c.key IN (SELECT item FROM {table} WHERE dialogue = '')
                 GROUP BY c.key) f
           WHERE u.dialogue = '' AND f.key = u.item""",
        [study.pk],
    )


def find_dialogues(study: Study, table: str) -> None:
    execute(
        f"""UPDATE {table} u SET dialogue_id = d.id FROM annotation_dialogue d
           WHERE u.dialogue_id IS NULL AND d.study_id = %s AND d.key = coalesce(nullif(u.dialogue, ''), u.item)""",
        [study.pk],
    )


def _create_dialogue_sources(study: Study, reference: str, log: ErrorLog) -> int:
    """Create the sources of whole dialogues that are missing. Return how many."""
    new = "unit = 'dialogue' AND dialogue_id IS NULL AND source <> ''"
    rows = fetch(f"SELECT source FROM import_unit WHERE {new} GROUP BY source ORDER BY min(line)")
    return _add_sources(study, [key for (key,) in rows], reference, new, log)


def _create_dialogues(study: Study) -> int:
    return insert_made(
        "dialogue",
        """INSERT INTO annotation_dialogue
               (study_id, key, conversation, scenario, source_id, position, turns, metadata, batch_key, digest,
                is_textless)
           SELECT %(study)s, missing.key, conversation, scenario, source.id,
               %(next)s + row_number() OVER (ORDER BY line) - 1, '[]', '{}', '', '', true
           FROM (SELECT coalesce(nullif(u.dialogue, ''), u.item) AS key, min(r.line) AS line,
                     coalesce(max(r.conversation), '') AS conversation, coalesce(max(r.scenario), '') AS scenario,
                     CASE WHEN bool_and(u.unit = 'dialogue') THEN max(u.source) END AS source
                 FROM import_unit u JOIN import_row r USING (dialogue, item, source, batch, unit)
                 WHERE u.dialogue_id IS NULL AND u.unit <> 'model' GROUP BY 1) missing
           LEFT JOIN annotation_source source ON source.study_id = %(study)s AND source.key = missing.source""",
        {"study": study.pk, "next": next_position(study)},
    )


def _refuse_other_conversations(log: ErrorLog) -> None:
    rows = """import_row r JOIN import_unit u USING (dialogue, item, source, batch, unit)
        JOIN annotation_dialogue d ON d.id = u.dialogue_id AND u.other_dialogue_id IS NULL
            AND r.conversation NOT IN ('', d.conversation)"""
    log_lines(log, rows, "conversation", gettext("in the study, %(name)r is in another conversation"))


def _find_sources(study: Study, log: ErrorLog) -> None:
    """Find the sources of candidate sets and whole models, which are known by their source."""
    execute(
        """UPDATE import_unit u SET source_id = s.id FROM annotation_source s
           WHERE u.unit IN ('candidate_set', 'model') AND s.study_id = %s AND s.key = u.source""",
        [study.pk],
    )
    text = gettext("%(source)r is not a source of the study")
    refuse_units(log, "source_id IS NULL AND unit IN ('candidate_set', 'model')", "source", text)


def _find_only_responses() -> None:
    """Find the responses of rows that name a dialogue only, which is clear where it has one response."""
    execute(
        f"""UPDATE import_unit u SET candidate_id = lone.id, source_id = lone.source_id
           FROM (SELECT dialogue_id, min(id) AS id, min(source_id) AS source_id FROM annotation_candidate
                 WHERE dialogue_id IN (SELECT dialogue_id FROM import_unit WHERE {UNNAMED})
                 GROUP BY dialogue_id HAVING count(*) = 1) lone
           WHERE u.dialogue_id = lone.dialogue_id AND {UNNAMED}"""
    )


def _refuse_without_source(log: ErrorLog, no_source: LineError | None) -> None:
    """Log what does not say whose responses were rated, where that is not clear: the table, or single rows."""
    is_any_clear = fetch("SELECT 1 FROM import_unit WHERE candidate_id IS NOT NULL LIMIT 1")
    unclear = f"{UNNAMED} AND dialogue_id IS NOT NULL" if is_any_clear or not no_source else UNNAMED
    if no_source and fetch(f"SELECT 1 FROM import_unit WHERE {unclear} LIMIT 1"):
        log.add_all([no_source])
        execute(f"DELETE FROM import_unit WHERE {unclear}")
    text = gettext(
        "is empty, and the dialogue %(dialogue)r does not have exactly one response: name the candidate or its source"
    )
    refuse_units(log, unclear, "item", text)


def find_candidates(table: str) -> None:
    """Find candidates by key, or by source. Where a source has several in a dialogue, the row must name one."""
    execute(
        f"""UPDATE {table} u SET candidate_id = c.id, source_id = c.source_id FROM annotation_candidate c
           WHERE u.unit = 'response' AND u.candidate_id IS NULL AND u.item <> ''
               AND c.dialogue_id = u.dialogue_id AND c.key = u.item"""
    )
    execute(
        f"""UPDATE {table} u SET candidate_id = f.id, source_id = f.source_id, n_meant = f.n
           FROM (SELECT c.dialogue_id, s.key, c.source_id, min(c.id) AS id, count(*) AS n
                 FROM annotation_candidate c JOIN annotation_source s ON s.id = c.source_id
                 WHERE c.dialogue_id IN (SELECT dialogue_id FROM {table} WHERE item = '')
                 GROUP BY c.dialogue_id, s.key, c.source_id) f
           WHERE u.unit = 'response' AND u.candidate_id IS NULL AND u.item = ''
               AND f.dialogue_id = u.dialogue_id AND f.key = u.source"""
    )


def _create_sources(study: Study, reference: str, log: ErrorLog) -> int:
    """Create the sources of missing candidates, which cannot be made without one. Return how many."""
    text = gettext("is empty, and %(item)r is not in the study: name the source to create it")
    refuse_units(log, f"{MISSING} AND source = ''", "source", text)
    rows = fetch(f"SELECT source FROM import_unit WHERE {MISSING} GROUP BY source ORDER BY min(line)")
    return _add_sources(study, [key for (key,) in rows], reference, MISSING, log)


def _add_sources(study: Study, keys: list[str], reference: str, named_by: str, log: ErrorLog) -> int:
    """Add the sources that units with this condition name. Refuse these units if there are too many sources."""
    if len(keys) > MOST_SOURCES:
        text = gettext("is one of more than %(most)s: is this the right column?")
        refuse_units(log, named_by, "source", text % {"most": MOST_SOURCES})
        return 0
    return note_made(add_sources(study, keys, reference))


def create_candidates(study: Study, table: str) -> int:
    return insert_made(
        "candidate",
        f"""INSERT INTO annotation_candidate (dialogue_id, source_id, key, text, metadata)
           SELECT u.dialogue_id, s.id, u.key, '', '{{}}'
           FROM (SELECT DISTINCT ON (dialogue_id, 2)
                     dialogue_id, coalesce(nullif(item, ''), source) AS key, source, line
                 FROM {table} WHERE {MISSING}
                 ORDER BY dialogue_id, 2, line) u
           JOIN annotation_source s ON s.study_id = %s AND s.key = u.source
           ORDER BY u.line""",
        [study.pk],
    )


def _check_candidates(log: ErrorLog) -> None:
    text = gettext(
        "the dialogue %(dialogue)r has several candidates from %(source)r: name the candidate in an item column"
    )
    refuse_units(log, "n_meant > 1", "item", text)
    text = gettext("%(name)r is not a candidate of the dialogue %(dialogue)r")
    refuse_units(log, MISSING, "item", text, create_missing())
    other = "source <> (SELECT s.key FROM annotation_source s WHERE s.id = source_id)"
    text = gettext("in the study, %(item)r is from a source other than %(source)r")
    refuse_units(log, f"unit = 'response' AND source <> '' AND {other}", "source", text)
    other = """source <> (SELECT s.key FROM annotation_source s JOIN annotation_dialogue d ON d.source_id = s.id
        WHERE d.id = dialogue_id)"""
    text = gettext("in the study, %(dialogue)r is from a source other than %(source)r")
    refuse_units(log, f"unit = 'dialogue' AND source <> '' AND {other}", "source", text)
