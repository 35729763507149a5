"""Amazon Mechanical Turk's external question: a page in a frame of theirs, and a form that is posted back."""

from parley.formulas import quote_formula
from qualification.providers.base import Bonus, EndBy, Provider, Sheet, Work

APPROVE, REJECT = "x", "The attention checks were missed."
# Qualification work is paid (D-12); whose time ran out is for a person to decide.
VERDICTS = {"done": (APPROVE, ""), "screened_out": (APPROVE, ""), "failed_attention": ("", REJECT)}


def _approval(work: Work) -> tuple[str, ...]:
    return work.platform_study, work.session, work.person, *VERDICTS[work.state]


def _bonus(bonus: Bonus) -> tuple[str, ...]:
    return bonus.person, bonus.session, f"{bonus.amount:.2f}", quote_formula(bonus.reason)


MTURK = Provider(
    key="mturk",
    name="Amazon Mechanical Turk",
    person="workerId",
    platform_study="hitId",
    session="assignmentId",
    submit_to="turkSubmitTo",
    preview=("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"),
    end_by=EndBy.FORM,
    end_path="/mturk/externalSubmit",
    session_field="assignmentId",
    submit_hosts=("https://www.mturk.com", "https://workersandbox.mturk.com"),
    frame_hosts=("https://www.mturk.com", "https://worker.mturk.com", "https://workersandbox.mturk.com"),
    approvals=Sheet(_approval, ("HITId", "AssignmentId", "WorkerId", "Approve", "Reject")),
    approved_states=frozenset(VERDICTS),
    bonuses=Sheet(_bonus, ("WorkerId", "AssignmentId", "BonusAmount", "Reason")),
)
