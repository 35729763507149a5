from qualification.models.adjudication import AdjudicationPlan, Case, Comparison, Disagreement, ReRating
from qualification.models.checks import CheckPlan, Flag, KnownAnswer, SignalMark, SignalState
from qualification.models.control import Check, ControlPlan, Draw, Inspection
from qualification.models.pay import PayEntry, PayMark, PayPlan
from qualification.models.qualifying import Attempt, ComprehensionQuestion, ComprehensionTry, Qualification
from qualification.models.recruitment import ConsentText, Demographics, Entry, Recruitment

__all__ = [
    "AdjudicationPlan",
    "Attempt",
    "Case",
    "Check",
    "CheckPlan",
    "Comparison",
    "ComprehensionQuestion",
    "ComprehensionTry",
    "ConsentText",
    "ControlPlan",
    "Demographics",
    "Disagreement",
    "Draw",
    "Entry",
    "Flag",
    "Inspection",
    "KnownAnswer",
    "PayEntry",
    "PayMark",
    "PayPlan",
    "Qualification",
    "ReRating",
    "Recruitment",
    "SignalMark",
    "SignalState",
]
