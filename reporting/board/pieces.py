"""Render the pieces of the board once per version of its numbers, and cache them for all viewers."""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from annotation.models import Study
from reporting.board.acceptance import acceptance_figures
from reporting.board.page import board_page
from reporting.board.progress import work_figures
from reporting.board.quality_page import quality_page
from reporting.board.rate import rate_of
from reporting.board.rows import Stamp
from reporting.record.record import acceptance_part

# Seconds in the shared cache. The pace is a minute old at most, and so are changes that make no new version (the name
# of a source, for example).
KEPT = 60
LONGEST = 200  # characters of a choice; the names of batches, criteria and annotators are shorter
FIRST_PAGES = {("page", "1"), ("people", "1")}  # forms of the board send them, plain links do not: one cache entry
SHARED = {"worker": "_worker_banner", "live": "reporting/board/_summary", "progress": "reporting/board/_progress"}


@dataclass(frozen=True, slots=True)
class BoardPart:
    """A page of the board. `name` is its URL name, `read` returns the template context, `pieces` is {name: template}.

    `choices` are the query parameters that it knows.
    """

    name: str
    template: str
    read: Callable[[Study, Mapping[str, str]], dict[str, Any]]
    choices: tuple[str, ...]
    pieces: Mapping[str, str]


AGREEMENT = BoardPart(
    "board",
    "reporting/board/board.html",
    board_page,
    ("batch", "criterion", "page", "statistic"),
    {
        "form": "reporting/board/_form",
        "definition": "reporting/board/_definition",
        "agreement": "reporting/board/_table",
        "pairings": "reporting/board/_pairings",
        "picture": "reporting/board/_picture",
        "pairs_note": "reporting/board/_pairs_note",
        "pairs": "reporting/board/_pair_picture",
        "pair_list": "reporting/board/_pair_list",
        "batches": "reporting/board/_batches",
        "pager": "reporting/board/_pager",
    },
)
QUALITY = BoardPart(
    "board_quality",
    "reporting/board/quality.html",
    quality_page,
    ("annotator", "chart", "criterion", "page", "people"),
    {
        "form": "reporting/board/_quality_form",
        "scope": "reporting/board/_quality_scope",
        "people": "reporting/board/_quality_people",
        "people_pager": "reporting/board/_quality_pager",
        "course_note": "reporting/board/_quality_course",
        "course": "reporting/board/_quality_course_picture",
        "batch_drift": "reporting/board/_quality_batches",
        "pager": "reporting/board/_pager",
    },
)


@dataclass(frozen=True, slots=True)
class Board:
    """The rendered board. `pieces` is {name: HTML}, `chosen` has the query parameters of what is shown."""

    pieces: dict[str, str]
    chosen: dict[str, str]
    has_batches: bool

    @property
    def places(self) -> dict[str, str]:
        """Return {id of the element that holds the piece: HTML}."""
        return {f"board-{name.replace('_', '-')}": piece for name, piece in self.pieces.items()}


def board_of(study: Study, part: BoardPart, query: Mapping[str, str], stamp: Stamp, *, now: datetime) -> Board:
    """Return the board, from the cache if it was rendered for the same version and choices within this minute."""
    asked = {name: query.get(name, "")[:LONGEST] for name in part.choices}
    choices = {name: value for name, value in asked.items() if value and (name, value) not in FIRST_PAGES}
    key = _key(study, part, choices, stamp, now)
    if packed := cache.get(key):
        pieces, chosen, has_batches = json.loads(zlib.decompress(packed))
        # Only this module writes these entries, and their HTML was rendered by templates.
        return Board({name: mark_safe(piece) for name, piece in pieces.items()}, chosen, has_batches)  # noqa: S308
    board = _made(study, part, choices, stamp, now)
    # Compressed to a tenth of its size: in a busy minute the cache holds one board per version.
    told = json.dumps([board.pieces, board.chosen, board.has_batches])
    cache.set(key, zlib.compress(told.encode(), level=1), KEPT)
    return board


def _key(study: Study, part: BoardPart, choices: dict[str, str], stamp: Stamp, now: datetime) -> str:
    """Return the cache key, of everything a piece depends on, including settings that change without a new version."""
    minute = int(now.timestamp()) // KEPT
    settings = [study.pk, study.slug, study.name, study.kappa_floor, study.word_scale]
    settings += [study.protocol_version_id, study.seed]
    told = json.dumps([part.name, settings, choices, str(stamp), minute], sort_keys=True)
    return f"board:{hashlib.sha256(told.encode()).hexdigest()}"


def _made(study: Study, part: BoardPart, choices: dict[str, str], stamp: Stamp, now: datetime) -> Board:
    page = part.read(study, choices)
    data = page["data"]
    rate = rate_of(data.total, data.progress, now=now)
    context = page | {
        "study": study,
        "part": part.name,
        "work": work_figures(data.progress, data.seats, data.total, rate),
        "acceptance": acceptance_figures(acceptance_part(study)),
        "worker_is_silent": stamp.is_worker_silent,
    }
    pieces = {**SHARED, **part.pieces} if data.lines else SHARED
    return Board(
        pieces={name: render_to_string(f"{template}.html", context) for name, template in pieces.items()},
        chosen=page["chosen"],
        has_batches=bool(data.lines),
    )
