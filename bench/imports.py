"""100,000 dialogues of 8 utterances and 334 tokens, and 35,000 ratings, against COPY of the same rows.

The floor is COPY of ready-made lines into a table with the same columns and indexes, in the same database.
"""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
from django.db import connection
from django.utils import timezone

from annotation.importing import (
    DialogueOptions,
    RatingOptions,
    import_dialogues,
    import_ratings,
)
from annotation.importing.dialogues import COLUMNS
from annotation.importing.formats import read_dialogues
from annotation.importing.outcome import ErrorLog, no_progress
from annotation.importing.spool import DialogueSpool
from annotation.models import Dialogue, Rating, Study
from bench.rows import Goal, Row
from bench.servers import peak_megabytes
from protocols.models import ProtocolVersion

N_DIALOGUES = 100_000
WORDS_PER_UTTERANCE = 334 / 8
N_CONTEXTS, N_CANDIDATES, N_RATERS, N_VOTES = 1000, 7, 37, 5  # 35,000 ratings, as a published corpus has
VOCABULARY = ("the", "we", "you", "had", "been", "often", "house", "train", "doctor", "letter", "although", "perhaps")
DOMAINS = ("car", "digital", "education", "emotion", "finance", "legal")


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    """In turns with the floor, so that a machine that slows down slows both; the best of each counts."""
    n = N_DIALOGUES // 10 if is_quick else N_DIALOGUES
    dialogues, ratings = place / "dialogues.jsonl", place / "ratings.csv"
    write_dialogues(dialogues, n)
    turns = [(_copied(dialogues), _imported(dialogues)) for _ in range(2 if is_quick else 3)]
    floor, ours = (min(seconds) for seconds in zip(*turns, strict=True))
    what = f"import {n:,} dialogues"
    yield Row(what, ours, "s", "COPY", floor, Goal(4, of="ratio"), note="floor: the ready-made rows into equal tables")
    yield Row(f"{what}: peak memory", _peak_megabytes(dialogues), "MiB", goal=Goal(500), note="the whole process")
    _write_ratings(ratings)
    seconds, floor = _ratings(ratings)
    yield Row("import 35,000 ratings", seconds, "s", "COPY", floor, note="floor: ratings and revisions, ready-made")


# --- dialogues -----------------------------------------------------------------------------------
def write_dialogues(path: Path, n: int = N_DIALOGUES, seed: int = 11) -> None:
    rng = random.Random(seed)
    with path.open("wb") as file:
        for number in range(n):
            file.write(orjson.dumps(_dialogue(number, rng)) + b"\n")


def _dialogue(number: int, rng: random.Random) -> dict:
    n_turns = min(12, max(4, round(rng.gauss(8, 2))))
    texts = [
        " ".join(rng.choices(VOCABULARY, k=max(2, round(rng.expovariate(1 / WORDS_PER_UTTERANCE)))))
        for _ in range(n_turns)
    ]
    return {
        "id": f"b{number:06}",
        "domain": rng.choice(DOMAINS),
        "lang": "en",
        "utterances": [{"speaker": "AB"[at % 2], "text": text} for at, text in enumerate(texts)],
        "label": rng.randrange(3),
        "ratings": [{"annotator": f"a{rng.randrange(60):03}", "label": rng.randrange(3)} for _ in range(3)],
    }


def _imported(path: Path) -> float:
    with _study() as study:
        began = time.perf_counter()
        import_dialogues(study, path, now=timezone.now())
        return time.perf_counter() - began


def _copied(path: Path) -> float:
    """COPY of the very lines our import makes, parsing not counted."""
    with DialogueSpool(0) as spool, connection.cursor() as cursor:
        for dialogue in read_dialogues(path, "jsonl-utterances", DialogueOptions(), ErrorLog(), no_progress):
            spool.add(dialogue)
        cursor.execute("CREATE TABLE bench_floor (LIKE annotation_dialogue INCLUDING ALL)")
        try:
            spool.dialogues.seek(0)
            began = time.perf_counter()
            cursor.copy_expert(f"COPY bench_floor ({COLUMNS}) FROM STDIN", spool.dialogues, 1 << 20)
            return time.perf_counter() - began
        finally:
            cursor.execute("DROP TABLE bench_floor")


def _peak_megabytes(path: Path) -> float:
    with _study() as study:
        return peak_megabytes("import_dialogues", study.slug, str(path))


# --- ratings -------------------------------------------------------------------------------------
def _ratings(path: Path) -> tuple[float, float]:
    _write_ratings(path)
    with _study() as study:
        began = time.perf_counter()
        import_ratings(study, path, options=RatingOptions(create_missing=True), now=timezone.now())
        ours = time.perf_counter() - began
        return ours, sum(_copied_again(table) for table in ("annotation_rating", "annotation_ratingrevision"))


def _write_ratings(path: Path, seed: int = 11) -> None:
    rng = random.Random(seed)
    with path.open("w") as file:
        file.write("dialogue,item,source,criterion,rater,value\n")
        for context in range(N_CONTEXTS):
            for candidate in range(N_CANDIDATES):
                for rater in rng.sample(range(N_RATERS), N_VOTES):
                    file.write(
                        f"{context},{context}-{candidate},m{candidate % 3},coherence,r{rater},{rng.randint(1, 3)}\n"
                    )


def _copied_again(table: str) -> float:
    """COPY of the rows just stored into an equal, empty table."""
    with tempfile.TemporaryFile() as file, connection.cursor() as cursor:
        cursor.copy_expert(f"COPY {table} TO STDOUT", file)
        file.seek(0)
        cursor.execute(f"CREATE TABLE bench_floor (LIKE {table} INCLUDING ALL)")
        try:
            began = time.perf_counter()
            cursor.copy_expert("COPY bench_floor FROM STDIN", file)
            return time.perf_counter() - began
        finally:
            cursor.execute("DROP TABLE bench_floor")


# --- what both need ------------------------------------------------------------------------------
def _version() -> ProtocolVersion:
    return ProtocolVersion.objects.filter(protocol__slug="three-point-coherence").latest("pk")


@contextmanager
def _study() -> Iterator[Study]:
    """A study that is gone afterwards: the next measurement begins with tables as empty as this one."""
    study = Study.objects.create(slug=f"bench-{time.time_ns()}", name="Import benchmark", protocol_version=_version())
    try:
        yield study
    finally:
        _wipe(study)


def _wipe(study: Study) -> None:
    with connection.cursor() as cursor:
        for table, condition in WIPED:
            cursor.execute(f"DELETE FROM annotation_{table} WHERE {condition}", [study.pk])
        for model in (Dialogue, Rating):
            cursor.execute(f"VACUUM {model._meta.db_table}")


_BATCH = "batch_id IN (SELECT id FROM annotation_batch WHERE study_id = %s)"
WIPED = (
    ("ratingrevision", f"rating_id IN (SELECT id FROM annotation_rating WHERE {_BATCH})"),
    ("rating", _BATCH),
    ("seat", _BATCH),
    ("assignment", _BATCH),
    ("item", _BATCH),
    ("batch", "study_id = %s"),
    ("participant", "study_id = %s"),
    ("candidate", "dialogue_id IN (SELECT id FROM annotation_dialogue WHERE study_id = %s)"),
    ("source", "study_id = %s"),
    ("dialogue", "study_id = %s"),
    ("study", "id = %s"),
)
