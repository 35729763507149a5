"""Prolific: it sends three parameters, and expects a completion code in an address at the end."""

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
    # On Prolific, each other code has its own action, which handles the submissions that ended with it.
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
