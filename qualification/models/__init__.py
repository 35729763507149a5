from qualification.models.checks import CheckPlan, Flag, KnownAnswer, SignalMark, SignalState
from qualification.models.confirming import Case, Comparison, ConfirmPlan, Disagreement, SecondLook
from qualification.models.control import Check, ControlPlan, Draw, Inspection
from qualification.models.pay import PayEntry, PayMark, PayPlan
from qualification.models.qualifying import Attempt, ComprehensionQuestion, ComprehensionTry, Qualification
from qualification.models.recruitment import ConsentText, Demographics, Entry, Recruitment

__all__ = [
    "Attempt",
    "Case",
    "Check",
    "CheckPlan",
    "Comparison",
    "ComprehensionQuestion",
    "ComprehensionTry",
    "ConfirmPlan",
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
    "Recruitment",
    "SecondLook",
    "SignalMark",
    "SignalState",
]
