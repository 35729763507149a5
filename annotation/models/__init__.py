from annotation.models.activity import ActivityLog
from annotation.models.agreement import AgreementCell, AgreementSnapshot, AnnotatorCell
from annotation.models.datasheet import DatasheetAnswer
from annotation.models.jobs import (
    ExportChunk,
    ExportJob,
    Heartbeat,
    ImportChunk,
    ImportedRows,
    ImportJob,
    KeptReport,
)
from annotation.models.marks import ItemMark, MarkChange
from annotation.models.material import Candidate, Dialogue, Source
from annotation.models.predictions import JudgeCall, JudgeRun, Metric, Prediction
from annotation.models.rating import Rating, RatingRevision
from annotation.models.study import Group, Membership, Participant, StatusChange, Study
from annotation.models.work import Assignment, Batch, IdenticalPair, Item, Reading, Seat

__all__ = [
    "ActivityLog",
    "AgreementCell",
    "AgreementSnapshot",
    "AnnotatorCell",
    "Assignment",
    "Batch",
    "Candidate",
    "DatasheetAnswer",
    "Dialogue",
    "ExportChunk",
    "ExportJob",
    "Group",
    "Heartbeat",
    "IdenticalPair",
    "ImportChunk",
    "ImportJob",
    "ImportedRows",
    "Item",
    "ItemMark",
    "JudgeCall",
    "JudgeRun",
    "KeptReport",
    "MarkChange",
    "Membership",
    "Metric",
    "Participant",
    "Prediction",
    "Rating",
    "RatingRevision",
    "Reading",
    "Seat",
    "Source",
    "StatusChange",
    "Study",
]
