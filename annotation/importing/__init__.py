"""Import material and ratings. A file is checked as a whole and stored as a whole; importing it twice is safe."""

from annotation.importing.columns import parse_map
from annotation.importing.dialogues import import_dialogues
from annotation.importing.formats import DIALOGUE_FORMATS
from annotation.importing.outcome import ImportRejected, ImportSummary, LineError
from annotation.importing.prediction_cells import PredictionOptions
from annotation.importing.predictions import CSV_PREDICTIONS, import_predictions
from annotation.importing.preview import Preview, preview
from annotation.importing.ratings import CSV_RATINGS, JSONL_LABELS, import_ratings
from annotation.importing.shapes import DialogueOptions
from annotation.importing.votes import RatingOptions

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
