"""Prolific: three parameters, and an address with a completion code at the end."""

from qualification.recruitment.platforms.base import Bonus, Demography, Provider, Sheet, Work


def _approval(work: Work) -> tuple[str, ...]:
    return (work.session,)


def _bonus(bonus: Bonus) -> tuple[str, ...]:
    return bonus.person, f"{bonus.amount:.2f}"


PROLIFIC = Provider(
    key="prolific",
    name="Prolific",
    person="PROLIFIC_PID",
    platform_study="STUDY_ID",
    session="SESSION_ID",
    link_parameters="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    home="https://app.prolific.com",
    end_path="/submissions/complete",
    code_field="cc",
    approvals=Sheet(_approval),  # pasted into "Bulk approve": one submission a line
    # Submissions that ended with another code are dealt with by what that code does on Prolific.
    approved_states=frozenset({"done"}),
    bonuses=Sheet(_bonus),  # pasted into "Bulk bonus payment"
    demography=Demography(
        person="Participant id",
        session="Submission id",
        apart=frozenset({
            "Status", "Custom study tncs accepted at", "Started at", "Completed at", "Reviewed at", "Archived at",
            "Time taken", "Completion code",
        }),
        unknown=frozenset({"DATA_EXPIRED", "CONSENT_REVOKED"}),
    ),
)  # fmt: skip
