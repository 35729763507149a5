"""Import dialogues: the whole file is checked first, then stored in one short transaction or not at all."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.importing.conversations import refuse_broken_conversations
from annotation.importing.copying import MANY, analyse, copy_in, execute, fetch, prepare_bulk
from annotation.importing.extent import Extent
from annotation.importing.files import ready
from annotation.importing.formats import dialogue_format, read_dialogues
from annotation.importing.layouts import TABLE_FORMATS
from annotation.importing.made import remember_dialogues
from annotation.importing.matching import Sides, about_wholes, grounded_in, refuse_unmatched
from annotation.importing.new_sources import doubts, named_nearly
from annotation.importing.outcome import (
    MOST_ERRORS,
    NAMED_SOURCES,
    STORING,
    BadField,
    ErrorLog,
    ImportRejected,
    ImportSummary,
    Progress,
    Remedy,
    no_progress,
    refuse,
    rejected,
)
from annotation.importing.remedies import replace_unused
from annotation.importing.removing import remove_unused, remove_unused_sources
from annotation.importing.shapes import DialogueOptions, ParsedDialogue
from annotation.importing.spool import DialogueSpool
from annotation.models import Candidate, Dialogue, ImportJob, Source, Study
from annotation.selectors.dialogues import unused_dialogues
from annotation.selectors.fitting_version import fitting_words
from parley.listing import both
from protocols.specs import spec_of

REFERENCE_KEYS = frozenset({"ground_truth", "reference", "human", "gold"})
COLUMNS = (
    "study_id, key, position, turns, metadata, batch_key, digest, is_textless, asker, conversation, context, scenario"
)
# Without the texts: counting those takes longer, and nothing is looked up by them.
COUNTED = (
    "annotation_dialogue (id, study_id, key, position, batch_key, conversation)",
    "annotation_candidate (id, dialogue_id, source_id, key)",
)
CHANGED = """
    SELECT d.id, d.key FROM dialogue_stage s JOIN annotation_dialogue d ON d.study_id = s.study_id AND d.key = s.key
    WHERE d.digest <> s.digest
"""
LABEL_FIELDS = ("label", "ratings", "reason")


def import_dialogues(
    study: Study,
    path: Path,
    *,
    format: str = "",
    options: DialogueOptions = DialogueOptions(),  # noqa: B008 - frozen
    is_dry_run: bool = False,
    is_archived: bool = False,
    progress: Progress = no_progress,
    extent: Extent | None = None,
    job: ImportJob | None = None,
    now: datetime,
) -> ImportSummary:
    """Store the dialogues of a file in the study, all or none. Importing the same file twice changes nothing.

    What an archive holds was in a study before, so it is not compared with what the protocol needs. The `extent` says
    how much of the file is read; without it, all. The `job` keeps what was made, so that it can be taken back.
    Raise ImportRejected with the errors of all lines.
    """
    del now  # dialogues carry no time; ratings do, and both imports are called alike
    extent = extent or Extent()
    spec = None if is_archived else spec_of(study.protocol_version)
    units = spec.units if spec else ()
    with ready(path, options.sheet) as file:
        name = dialogue_format(file, format, options)
        log, sides = ErrorLog(), Sides(units, format=name, grounded=grounded_in(spec) if spec else "")
        names = dict(study.sources.values_list("key", "name"))
        with DialogueSpool(study.pk) as spool:
            for dialogue in extent.of(read_dialogues(file, name, options, log, progress), log):
                with log.catching(dialogue.line):
                    _refuse_named_sources(dialogue, names)
                    refuse_unmatched(dialogue, units, name in TABLE_FORMATS)
                    spool.add(dialogue)
                    sides.add(dialogue)
            log.refuse_any(_beside(study, spool, name, is_dry_run))
            if not spool.lines:
                raise rejected(_("the file contains no dialogues"))
            known = dict.fromkeys([*spool.sources, *study.sources.values_list("key", flat=True)])
            if extent.is_whole and options.reference and options.reference not in known:
                some = _("no source is named %(name)r: use %(known)s")
                text = some if known else _("no source is named %(name)r: there are no sources")
                raise rejected(text % {"name": options.reference, "known": ", ".join(known)}, "reference")
            progress(file.stat().st_size, file.stat().st_size, STORING)
            found = sides if extent.is_whole else Sides()
            try:
                summary = _store(study, spool, found, ImportSummary(name, is_dry_run), options, job)
            except ImportRejected as error:
                error.beside = _beside(study, spool, name, is_dry_run)
                raise
    summary.warnings += about_wholes(options, units)
    if summary.counts["dialogues_new"] >= MANY and not is_dry_run:
        analyse(*COUNTED)
    return summary


def _beside(study: Study, spool: DialogueSpool, name: str, is_dry_run: bool) -> ImportSummary:
    """Return what is known about the sources of a file with errors."""
    new, warnings = named_nearly(study, spool.sources)
    return ImportSummary(name, is_dry_run, sources=new[:NAMED_SOURCES], warnings=[*warnings])


def _refuse_named_sources(dialogue: ParsedDialogue, names: dict[str, str]) -> None:
    """Raise BadField for a speaker or title named like a source: annotators must not learn who wrote what they rate."""
    if dialogue.source:
        _refuse_named_author(dialogue, names)
    for candidate in dialogue.candidates:
        known = _called(candidate.source, names)
        if candidate.speaker.casefold() in known:
            text = _("%(name)r is the source of this candidate, and annotators would see it: name the speaker instead")
            raise BadField("speaker", text % {"name": candidate.speaker})
        for panel in (*dialogue.context, *candidate.context):
            if panel["title"].casefold() in known:
                text = _("%(name)r is the source of a candidate, and annotators would see it: name what the text is")
                raise BadField("context", text % {"name": panel["title"]})


def _called(source: str, names: dict[str, str]) -> set[str]:
    """Return what a source is called, by its key and by its name."""
    return {source.casefold(), names.get(source, source).casefold()}


def _refuse_named_author(dialogue: ParsedDialogue, names: dict[str, str]) -> None:
    known = _called(dialogue.source, names)
    speaker = next((turn["speaker"] for turn in dialogue.turns if turn["speaker"].casefold() in known), None)
    if speaker is not None:
        text = _("%(name)r is the source of this dialogue, and annotators would see it: name the speaker instead")
        raise BadField("speaker", text % {"name": speaker})
    title = next((panel["title"] for panel in dialogue.context if panel["title"].casefold() in known), None)
    if title is not None:
        text = _("%(name)r is the source of this dialogue, and annotators would see it: name what the text is")
        raise BadField("context", text % {"name": title})


@transaction.atomic
def _store(
    study: Study,
    spool: DialogueSpool,
    sides: Sides,
    summary: ImportSummary,
    options: DialogueOptions,
    job: ImportJob | None,
) -> ImportSummary:
    lock_study(study)
    base = next_position(study)
    with connection.cursor() as cursor:
        prepare_bulk(cursor)
        new = add_sources(study, spool.sources, options.reference)
        n_replaced, replaced_sources, replaced = 0, set[int](), set[str]()
        if base == 0 and not spool.n_authors:  # the common case needs no comparison and takes half the time
            copy_in(cursor, "annotation_dialogue", COLUMNS, spool.dialogues)
            n_new = len(spool.lines)
        else:
            _stage(cursor, spool)
            if options.replace_unused:
                changed = dict(fetch(CHANGED))
                n_replaced, replaced_sources = remove_unused(study, changed)
                replaced = {*changed.values()} - {*study.dialogues.filter(pk__in=changed).values_list("key", flat=True)}
            n_new = _store_new(cursor, study, spool, base)
        if spool.has_conversations:
            refuse_broken_conversations(study, spool.lines, base)
        n_candidates = _store_candidates(cursor, study, spool, base)
    remove_unused_sources(study, replaced_sources)
    if job and not summary.is_dry_run:
        remember_dialogues(job, base)
    n_again = Candidate.objects.filter(dialogue__study=study, dialogue__key__in=replaced).count() if replaced else 0
    summary.counts = {
        "dialogues_new": n_new - n_replaced,
        "dialogues_unchanged": len(spool.lines) - n_new,
        **({"dialogues_replaced": n_replaced} if options.replace_unused else {}),
        "candidates_new": n_candidates - n_again,
        **({"candidates_replaced": n_again} if n_again else {}),
        "sources_new": len(new),
        **({"conversations_read": len(spool.conversations)} if spool.conversations else {}),
    }
    summary.sources = [source.key for source in new[:NAMED_SOURCES]]
    summary.notes = _notes(study, spool)
    summary.warnings = [*sides.warnings(study), *doubts(study, new), *fitting_words(study)]
    if summary.is_dry_run:
        transaction.set_rollback(True)
    return summary


def lock_study(study: Study) -> None:
    """Allow one import or dealing at a time per study. NO KEY lets annotators rate and join meanwhile."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def next_position(study: Study) -> int:
    last = Dialogue.objects.filter(study=study).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _stage(cursor: Any, spool: DialogueSpool) -> None:
    cursor.execute(
        f"CREATE TEMP TABLE dialogue_stage ON COMMIT DROP AS SELECT {COLUMNS} FROM annotation_dialogue WITH NO DATA"
    )
    copy_in(cursor, "dialogue_stage", COLUMNS, spool.dialogues)
    cursor.execute("ANALYZE dialogue_stage (key)")
    cursor.execute("CREATE TEMP TABLE author_stage (position int, source text) ON COMMIT DROP")
    copy_in(cursor, "author_stage", "position, source", spool.authors)
    cursor.execute("ANALYZE author_stage")


def _store_new(cursor: Any, study: Study, spool: DialogueSpool, base: int) -> int:
    """Store new dialogues and return how many. Raise ImportRejected if the study has one with other content."""
    author = """LEFT JOIN author_stage author USING (position)
        LEFT JOIN annotation_source source ON source.study_id = s.study_id AND source.key = author.source"""
    rows = fetch(
        f"""SELECT s.position, s.key, d.is_textless, s.turns <> d.turns, s.metadata <> d.metadata,
                  s.batch_key <> d.batch_key, s.asker <> d.asker, s.conversation <> d.conversation,
                  s.context <> d.context, d.source_id IS DISTINCT FROM source.id, s.scenario <> d.scenario,
                  d.id, count(*) OVER ()
           FROM dialogue_stage s {author} JOIN annotation_dialogue d ON d.study_id = s.study_id AND d.key = s.key
           WHERE d.digest <> s.digest ORDER BY s.position LIMIT %s""",
        [MOST_ERRORS],
    )
    unused = set(
        unused_dialogues(study).filter(pk__in=[pk for *_said, pk, _total in rows]).values_list("pk", flat=True)
    )
    errors = [
        (spool.lines[at], "dialogue_id", _what_changed(key, *flags), _what_to_do(flags[0], is_unused=pk in unused))
        for at, key, *flags, pk, _total in rows
    ]
    refuse(errors, rows[0][-1] if rows else 0)
    n_new = execute(
        f"""INSERT INTO annotation_dialogue ({COLUMNS}, source_id)
            SELECT s.study_id, s.key, s.position + %s, turns, metadata, batch_key, digest, is_textless, asker,
                conversation, context, scenario, source.id
            FROM dialogue_stage s {author}
            WHERE NOT EXISTS (SELECT FROM annotation_dialogue d WHERE d.study_id = s.study_id AND d.key = s.key)
            ORDER BY s.position""",
        [base],
    )
    cursor.execute("DROP TABLE dialogue_stage, author_stage")
    return n_new


def _what_changed(
    key: str,
    is_textless: bool,
    turns: bool,
    metadata: bool,
    batch: bool,
    asker: bool,
    conversation: bool,
    context: bool,
    source: bool,
    scenario: bool,
) -> str:
    if is_textless:
        text = _(
            "%(key)r is already in the study without texts, from imported ratings: import dialogues before ratings"
        )
        return text % {"key": key}
    # Translators: what differs, follows "with other"
    parts = (
        (_("turns"), turns),
        (_("metadata"), metadata),
        (pgettext("with other", "batch"), batch),
        (_("roles (who asks)"), asker),
        (pgettext("with other", "conversation"), conversation),
        (pgettext("with other", "context"), context),
        (pgettext("with other", "source"), source),
        (pgettext("with other", "scenario"), scenario),
    )
    named = both(name for name, is_changed in parts if is_changed) or _("candidates")
    return _("%(key)r is already in the study with different %(parts)s") % {"key": key, "parts": named}


def _what_to_do(is_textless: bool, *, is_unused: bool) -> Remedy | None:
    if is_textless:
        return None
    if not is_unused:
        return Remedy.everywhere(_("it is in use, so give the new dialogue another id"))
    return replace_unused()


def _store_candidates(cursor: Any, study: Study, spool: DialogueSpool, base: int) -> int:
    if not spool.n_candidates:
        return 0
    cursor.execute(
        """CREATE TEMP TABLE candidate_stage
               (position int, source text, key text, speaker text, text text, metadata jsonb, context jsonb,
                line int GENERATED ALWAYS AS IDENTITY) ON COMMIT DROP"""
    )
    copy_in(cursor, "candidate_stage", "position, source, key, speaker, text, metadata, context", spool.candidates)
    n_new = execute(
        """INSERT INTO annotation_candidate (dialogue_id, source_id, key, speaker, text, metadata, context)
           SELECT d.id, s.id, c.key, c.speaker, c.text, c.metadata, c.context FROM candidate_stage c
           JOIN annotation_dialogue d ON d.study_id = %s AND d.position = c.position + %s
           JOIN annotation_source s ON s.study_id = %s AND s.key = c.source
           ORDER BY c.line""",  # without it a join shuffles them, and an export lists sources and responses differently
        [study.pk, base, study.pk],
    )
    cursor.execute("DROP TABLE candidate_stage")
    return n_new


def add_sources(study: Study, keys: Iterable[str], reference: str) -> list[Source]:
    """Add the sources the study does not have, and mark the named reference. Return those that were added."""
    known = set(study.sources.values_list("key", flat=True))
    last = study.sources.aggregate(last=Max("position"))["last"] or 0
    new = [key for key in keys if key not in known]
    added = Source.objects.bulk_create(
        Source(study=study, key=key, name=key, is_reference=is_reference(key, reference), position=last + at)
        for at, key in enumerate(new, start=1)
    )
    study.sources.filter(key=reference, is_reference=False).update(is_reference=True)
    return added


def is_reference(key: str, reference: str) -> bool:
    if reference:
        return key == reference
    return key.casefold().replace(" ", "_").replace("-", "_") in REFERENCE_KEYS


def _notes(study: Study, spool: DialogueSpool) -> list[str]:
    notes = []
    labels = [name for name in LABEL_FIELDS if name in spool.metadata_fields]
    if labels:
        text = _(
            "%(names)s were stored with the dialogues. To use them as ratings too, import this file again as existing "
            "ratings."
        )
        notes.append(text % {"names": ", ".join(labels)})
    if spool.n_candidates and not study.sources.filter(is_reference=True).exists():
        text = _(
            "No source is marked as the ground truth. Nothing needs to be done unless one of them is: then import the "
            "file again and name it as the ground-truth source."
        )
        notes.append(text)
    return notes
