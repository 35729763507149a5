"""Bringing material and ratings into a study: checked as a whole, stored all or nothing, twice as once."""

from annotation.services.importing.dialogues import import_dialogues
from annotation.services.importing.formats import DIALOGUE_FORMATS
from annotation.services.importing.outcome import ImportRejected, ImportSummary, LineError
from annotation.services.importing.shapes import DialogueOptions

__all__ = [
    "DIALOGUE_FORMATS",
    "DialogueOptions",
    "ImportRejected",
    "ImportSummary",
    "LineError",
    "import_dialogues",
]
