from annotation.models.agreement import AgreementCell, AgreementSnapshot
from annotation.models.jobs import Heartbeat, ImportChunk, ImportJob
from annotation.models.material import Candidate, Dialogue, Source
from annotation.models.rating import Rating, RatingRevision
from annotation.models.study import Membership, Participant, Study
from annotation.models.work import Assignment, Batch, Item, Reading, Seat

__all__ = [
    "AgreementCell",
    "AgreementSnapshot",
    "Assignment",
    "Batch",
    "Candidate",
    "Dialogue",
    "Heartbeat",
    "ImportChunk",
    "ImportJob",
    "Item",
    "Membership",
    "Participant",
    "Rating",
    "RatingRevision",
    "Reading",
    "Seat",
    "Source",
    "Study",
]
