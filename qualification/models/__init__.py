from qualification.models.acceptance import AcceptancePlan, Review, Sample, SampledItem
from qualification.models.adjudication import AdjudicationPlan, Case, Comparison, Disagreement, ReRating
from qualification.models.checks import CheckPlan, Flag, KnownAnswer, SignalMark, SignalState
from qualification.models.pay import PayEntry, PayMark, PayPlan
from qualification.models.qualifying import Attempt, ComprehensionQuestion, ComprehensionTry, Qualification
from qualification.models.recruitment import ConsentText, Demographics, Entry, Recruitment

__all__ = [
    "AcceptancePlan", "AdjudicationPlan", "Attempt", "Case", "CheckPlan", "Comparison", "ComprehensionQuestion",
    "ComprehensionTry", "ConsentText", "Demographics", "Disagreement", "Entry", "Flag", "KnownAnswer", "PayEntry",
    "PayMark", "PayPlan", "Qualification", "ReRating", "Recruitment", "Review", "Sample", "SampledItem",
    "SignalMark", "SignalState",
]  # fmt: skip
