"""Restore tables of an archive that have no import of their own: stage them by COPY, then store them by key."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from annotation.importing.copying import NULL, copy_in, copy_text, execute, fetch, spool_file
from annotation.importing.outcome import ImportRejected, LineError
from annotation.models import Assignment, Dialogue, Participant, Study
from annotation.selectors.comparisons import ITEM_TEXT
from parley.formulas import unquote_formula

# The item that a staged row `s` names by its keys.
FOUND_ITEM = f"""LEFT JOIN annotation_dialogue dialogue
        ON dialogue.study_id = %(study)s AND dialogue.key = s.dialogue
    LEFT JOIN annotation_source source ON source.study_id = %(study)s AND source.key = s.source
    LEFT JOIN annotation_candidate candidate ON candidate.dialogue_id = dialogue.id AND candidate.key = s.item
    JOIN annotation_item item ON item.batch_id = batch.id AND item.unit = s.unit
        AND item.dialogue_id IS NOT DISTINCT FROM dialogue.id AND item.source_id IS NOT DISTINCT FROM source.id
        AND item.candidate_id IS NOT DISTINCT FROM candidate.id
        AND (item.unit <> 'comparison' OR {ITEM_TEXT} = s.item)"""


def stage(table: str, columns: str, path: Path) -> int:
    """Make a temporary table of the file's rows, empty cells as NULL. Return how many. Columns: `name type, ...`."""
    names = [column.split()[0] for column in columns.split(", ")]
    n_rows = 0
    with connection.cursor() as cursor, spool_file() as file:
        for line, cells in _rows(path, names):
            values = (copy_text(unquote_formula(cell)) if cell else NULL for cell in cells)
            file.write(b"\t".join([str(line).encode(), *values]) + b"\n")
            n_rows += 1
        cursor.execute(f"CREATE TEMP TABLE {table} (line bigint, {columns}) ON COMMIT DROP")
        copy_in(cursor, table, f"line, {', '.join(names)}", file)
        cursor.execute(f"ANALYZE {table}")
        cursor.execute("SET LOCAL enable_nestloop = on")  # statistics are fresh: a few rows need no hash of everything
    return n_rows


def _rows(path: Path, names: list[str]) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            if next(reader, None) != names:
                raise faulty(path, 1, _("does not have the columns of a Parley archive"))
            for cells in reader:
                if len(cells) != len(names):
                    raise faulty(path, reader.line_num, _("has too many or too few values"))
                yield reader.line_num, cells
        except (csv.Error, UnicodeDecodeError) as error:
            raise faulty(path, reader.line_num, str(error)) from None


def faulty(path: Path, line: int, reason: str) -> ImportRejected:
    return ImportRejected([LineError(line, path.name, reason)])


def refuse(path: Path, table: str, column: str, known: Iterable[str], reason: str) -> None:
    """Raise ImportRejected for the first row of a staged file whose value in `column` is not a known one."""
    rows = fetch(f"SELECT line FROM {table} WHERE NOT {column} = ANY(ARRAY{list(known)}) ORDER BY line LIMIT 1")
    if rows:
        raise faulty(path, rows[0][0], reason)


def restore_rows(
    path: Path,
    table: str,
    columns: str,
    sql: str,
    params: Sequence[Any] | Mapping[str, Any],
    *,
    known: Mapping[str, tuple[Iterable[str], str]] | None = None,
    lost: str,
) -> int:
    """Stage the file's rows and store them with `sql`. Return how many. Raise ImportRejected.

    `known` is {column: (its possible values, what is wrong with others)}; `lost` says why a row cannot be stored.
    """
    n_rows = stage(table, columns, path)
    for column, (values, reason) in (known or {}).items():
        refuse(path, table, column, values, reason)
    if execute(sql, params) != n_rows:
        raise faulty(path, 0, lost)
    execute(f"DROP TABLE {table}")
    return n_rows


def restore_ids(study: Study, path: Path) -> int:
    """Restore dialogues and candidates without texts. Return the number of rows. Raise ImportRejected."""
    columns = "dialogue text, conversation text, scenario text, author text, item text, source text"
    n_rows = stage("archive_id", columns, path)
    execute(
        """INSERT INTO annotation_dialogue
               (study_id, key, conversation, scenario, source_id, position, turns, metadata, batch_key, digest,
                is_textless)
           SELECT %(study)s, s.dialogue, min(s.conversation), coalesce(min(s.scenario), ''), min(author.id),
               (SELECT coalesce(max(position) + 1, 0) FROM annotation_dialogue WHERE study_id = %(study)s)
               + row_number() OVER (ORDER BY min(s.line)) - 1, '[]', '{}', '', '', true
           FROM archive_id s
           LEFT JOIN annotation_source author ON author.study_id = %(study)s AND author.key = s.author
           WHERE NOT EXISTS (SELECT FROM annotation_dialogue d WHERE d.study_id = %(study)s AND d.key = s.dialogue)
           GROUP BY s.dialogue""",
        {"study": study.pk},
    )
    n_new = execute(
        """INSERT INTO annotation_candidate (dialogue_id, source_id, key, text, metadata)
           SELECT d.id, source.id, s.item, '', '{}' FROM archive_id s
           JOIN annotation_dialogue d ON d.study_id = %s AND d.key = s.dialogue
           JOIN annotation_source source ON source.study_id = %s AND source.key = s.source
           WHERE s.item IS NOT NULL ORDER BY s.line""",
        [study.pk] * 2,
    )
    if n_new != fetch("SELECT count(*) FROM archive_id WHERE item IS NOT NULL")[0][0]:
        raise faulty(path, 0, _("refers to a source that is not in the settings"))
    execute("DROP TABLE archive_id")
    return n_rows


ITEM_COLUMNS = (
    "batch text, unit text, position int, item_token text, dialogue text, source text, item text, shown jsonb, "
    "is_check boolean"
)
# A comparison that is a check shows a pair again.
AGAIN = "(s.unit = 'comparison' AND s.is_check)"
# A comparison of whole dialogues names these without a candidate.
OTHER = """(SELECT other.id FROM annotation_dialogue other
            WHERE other.study_id = %(study)s AND s.unit = 'comparison' AND s.shown -> 1 ->> 1 IS NULL
                AND other.key = s.shown -> 1 ->> 0)"""
ITEMS = f"""
    INSERT INTO annotation_item (batch_id, unit, dialogue_id, source_id, candidate_id, token, position, is_check,
        other_dialogue_id, shown)
    SELECT batch.id, s.unit, d.id, source.id, c.id, gen_random_uuid(), s.position, s.is_check,
        {OTHER}, coalesce((SELECT array_agg(shown.id ORDER BY pair.at)
            FROM jsonb_array_elements(s.shown) WITH ORDINALITY AS pair (keys, at)
            JOIN annotation_dialogue of ON of.study_id = %(study)s AND of.key = pair.keys ->> 0
            JOIN annotation_candidate shown ON shown.dialogue_id = of.id AND shown.key = pair.keys ->> 1), '{{}}')
    FROM archive_item s
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    LEFT JOIN annotation_dialogue d ON d.study_id = %(study)s AND d.key = s.dialogue
    LEFT JOIN annotation_source source ON source.study_id = %(study)s AND source.key = s.source
    LEFT JOIN annotation_candidate c ON c.dialogue_id = d.id AND c.key = s.item
    WHERE (s.dialogue IS NULL) = (d.id IS NULL) AND (s.source IS NULL) = (source.id IS NULL)
        AND (s.unit = 'comparison' OR (s.item IS NULL) = (c.id IS NULL)) AND NOT {AGAIN}
        AND (s.unit <> 'comparison' OR s.shown -> 1 ->> 1 IS NOT NULL OR {OTHER} IS NOT NULL)
    ORDER BY s.line
"""
REPETITIONS = f"""
    INSERT INTO annotation_item (batch_id, unit, dialogue_id, other_dialogue_id, token, position, is_check, shown,
        repeats_id)
    SELECT item.batch_id, item.unit, item.dialogue_id, item.other_dialogue_id, gen_random_uuid(), s.position, true,
        item.shown, item.id
    FROM archive_item s
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    JOIN annotation_dialogue d ON d.study_id = %(study)s AND d.key = s.dialogue
    JOIN annotation_item item ON item.batch_id = batch.id AND item.unit = 'comparison' AND item.dialogue_id = d.id
    LEFT JOIN annotation_candidate candidate ON candidate.id = item.candidate_id
    WHERE {AGAIN} AND ({ITEM_TEXT})::jsonb || '["again"]' = s.item::jsonb
    ORDER BY s.line
"""


def restore_items(study: Study, path: Path) -> int:
    """Restore items with new tokens, because annotators may know the old ones. Return how many."""
    lost = _("refers to batches, dialogues or candidates that are not in the archive")
    n_items = stage("archive_item", ITEM_COLUMNS, path)
    if execute(ITEMS, {"study": study.pk}) + execute(REPETITIONS, {"study": study.pk}) != n_items:
        raise faulty(path, 0, lost)
    execute("DROP TABLE archive_item")
    execute(
        """UPDATE annotation_batch b SET n_items = (
               SELECT count(*) FROM annotation_item i WHERE i.batch_id = b.id AND NOT i.is_check)
           WHERE b.study_id = %s""",
        [study.pk],
    )
    return n_items


def restore_people(study: Study, folder: Path, seats: dict[str, int], *, now: datetime) -> int:
    """Restore annotators, their work and the seats they held. Return how many annotators.

    Work done in Parley still counts as such in times and pay, although no account is behind it.
    """
    annotators = folder / "annotators.csv"
    columns = "annotator text, status text, consented_at timestamptz, consent_version text"
    n_annotators = stage("archive_annotator", columns, annotators)
    refuse(annotators, "archive_annotator", "status", Participant.Status.values, _("has an unknown status"))
    execute(
        """INSERT INTO annotation_participant
               (study_id, pseudonym, token, status, is_imported, consented_at, consent_version, created_at)
           SELECT %s, annotator, gen_random_uuid(), status, true, consented_at, coalesce(consent_version, ''), %s
           FROM archive_annotator ORDER BY line""",
        [study.pk, now],
    )
    execute("DROP TABLE archive_annotator")
    _restore_work(study, folder / "assignments.csv")
    _restore_seats(study, seats)
    execute("DROP TABLE archive_work")
    return n_annotators


WORK_COLUMNS = (
    "batch text, annotator text, status text, seat int, seed bigint, claimed_at timestamptz, "
    "submitted_at timestamptz, comment text, is_imported boolean, round int"
)


def _restore_work(study: Study, path: Path) -> None:
    n_rows = stage("archive_work", WORK_COLUMNS, path)
    refuse(path, "archive_work", "status", Assignment.Status.values, _("has an unknown status"))
    n_new = execute(
        """INSERT INTO annotation_assignment
               (batch_id, participant_id, token, status, seed, claimed_at, submitted_at, feedback, is_imported,
                has_added_seat, round)
           SELECT b.id, p.id, gen_random_uuid(), s.status, s.seed, s.claimed_at, s.submitted_at,
               coalesce(s.comment, ''), s.is_imported, s.is_imported, s.round
           FROM archive_work s
           JOIN annotation_batch b ON b.study_id = %s AND b.key = s.batch
           JOIN annotation_participant p ON p.study_id = %s AND p.pseudonym = s.annotator
           ORDER BY s.line""",
        [study.pk] * 2,
    )
    if n_new != n_rows:
        raise faulty(path, 0, _("refers to batches or annotators that are not in the archive"))


def _restore_seats(study: Study, seats: dict[str, int]) -> None:
    """Restore as many seats as there were, with the numbers that annotators held. Leases have ended."""
    execute(
        """INSERT INTO annotation_seat (batch_id, number)
           SELECT b.id, n FROM unnest(%s::text[], %s::int[]) AS wanted (batch, n_seats)
           JOIN annotation_batch b ON b.study_id = %s AND b.key = wanted.batch
           CROSS JOIN LATERAL (
               SELECT n, row_number() OVER (ORDER BY bool_or(is_held) DESC, n) AS place
               FROM (SELECT s.seat AS n, true AS is_held FROM archive_work s
                     WHERE s.batch = wanted.batch AND s.seat IS NOT NULL
                     UNION ALL SELECT n, false FROM generate_series(1, 2 * wanted.n_seats) free (n)) numbers
               GROUP BY n) numbers
           WHERE place <= wanted.n_seats
           ORDER BY b.id, n""",
        [list(seats), list(seats.values()), study.pk],
    )
    execute(
        """UPDATE annotation_seat seat SET assignment_id = a.id
           FROM archive_work s
           JOIN annotation_batch b ON b.study_id = %s AND b.key = s.batch
           JOIN annotation_participant p ON p.study_id = %s AND p.pseudonym = s.annotator
           JOIN annotation_assignment a ON a.batch_id = b.id AND a.participant_id = p.id AND a.round = s.round
           WHERE seat.batch_id = b.id AND seat.number = s.seat""",
        [study.pk] * 2,
    )


def restore_purposes(study: Study, path: Path) -> None:
    """Restore the purposes of dialogues that are not for the main work. Raise ImportRejected."""
    restore_rows(
        path,
        "archive_purpose",
        "dialogue text, purpose text",
        """UPDATE annotation_dialogue d SET purpose = s.purpose FROM archive_purpose s
           WHERE d.study_id = %s AND d.key = s.dialogue""",
        [study.pk],
        known={"purpose": (Dialogue.Purpose.values, _("has an unknown purpose"))},
        lost=_("refers to dialogues that are not in the archive, or to the same dialogue twice"),
    )


def restore_datasheet(study: Study, path: Path) -> None:
    """Restore the texts without their authors, who had accounts elsewhere."""
    stage("archive_datasheet", "question text, text text, updated_at timestamptz", path)
    execute(
        """INSERT INTO annotation_datasheetanswer (study_id, question, text, updated_at)
           SELECT %s, question, coalesce(text, ''), updated_at FROM archive_datasheet ORDER BY line""",
        [study.pk],
    )
    execute("DROP TABLE archive_datasheet")
