"""Bringing material and ratings into a study: checked as a whole, stored all or nothing, twice as once."""

from annotation.services.importing.columns import parse_map
from annotation.services.importing.dialogues import import_dialogues
from annotation.services.importing.formats import DIALOGUE_FORMATS
from annotation.services.importing.outcome import ImportRejected, ImportSummary, LineError
from annotation.services.importing.prediction_cells import PredictionOptions
from annotation.services.importing.predictions import CSV_PREDICTIONS, import_predictions
from annotation.services.importing.preview import Preview, preview
from annotation.services.importing.ratings import CSV_RATINGS, JSONL_LABELS, import_ratings
from annotation.services.importing.shapes import DialogueOptions
from annotation.services.importing.votes import RatingOptions

__all__ = [
    "CSV_PREDICTIONS",
    "CSV_RATINGS",
    "DIALOGUE_FORMATS",
    "JSONL_LABELS",
    "DialogueOptions",
    "ImportRejected",
    "ImportSummary",
    "LineError",
    "PredictionOptions",
    "Preview",
    "RatingOptions",
    "import_dialogues",
    "import_predictions",
    "import_ratings",
    "parse_map",
    "preview",
]
