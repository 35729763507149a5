"""Amazon Mechanical Turk, closed since 2026-09-30: its files, for studies that recruited there."""

from parley.formulas import quote_formula
from qualification.recruitment.platforms.base import Provider, Sheet

APPROVE, REJECT = "x", "The attention checks were missed."
# Qualification work is paid. People whose time ran out are left out: a person has to decide about them.
ADVICE = {"done": (APPROVE, ""), "screened_out": (APPROVE, ""), "failed_attention": ("", REJECT)}


MTURK = Provider(
    key="mturk",
    name="Amazon Mechanical Turk",
    person="workerId",
    platform_study="hitId",
    session="assignmentId",
    is_closed=True,
    approvals=Sheet(
        lambda work: (work.platform_study, work.session, work.person, *ADVICE[work.state]),
        ("HITId", "AssignmentId", "WorkerId", "Approve", "Reject"),
    ),
    approved_states=frozenset(ADVICE),
    bonuses=Sheet(
        lambda bonus: (bonus.person, bonus.session, f"{bonus.amount:.2f}", quote_formula(bonus.reason)),
        ("WorkerId", "AssignmentId", "BonusAmount", "Reason"),
    ),
)
