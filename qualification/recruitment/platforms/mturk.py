"""Amazon Mechanical Turk, closed since 2026-09-30: its files, for studies that recruited there."""

from parley.formulas import quote_formula
from qualification.recruitment.platforms.base import Bonus, Provider, Sheet, Work

APPROVE, REJECT = "x", "The attention checks were missed."
# Qualification work is paid. People whose time ran out are left out: a person has to decide about them.
ADVICE = {"done": (APPROVE, ""), "screened_out": (APPROVE, ""), "failed_attention": ("", REJECT)}


def _approval(work: Work) -> tuple[str, ...]:
    return work.platform_study, work.session, work.person, *ADVICE[work.state]


def _bonus(bonus: Bonus) -> tuple[str, ...]:
    return bonus.person, bonus.session, f"{bonus.amount:.2f}", quote_formula(bonus.reason)


MTURK = Provider(
    key="mturk",
    name="Amazon Mechanical Turk",
    person="workerId",
    platform_study="hitId",
    session="assignmentId",
    is_closed=True,
    approvals=Sheet(_approval, ("HITId", "AssignmentId", "WorkerId", "Approve", "Reject")),
    approved_states=frozenset(ADVICE),
    bonuses=Sheet(_bonus, ("WorkerId", "AssignmentId", "BonusAmount", "Reason")),
)
