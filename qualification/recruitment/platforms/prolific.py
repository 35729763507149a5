"""Prolific: it sends three parameters, and expects a completion code in an address at the end."""

from qualification.recruitment.platforms.base import Demography, Provider, Sheet

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
    approvals=Sheet(lambda work: (work.session,)),  # pasted into "Bulk approve": one submission a line
    # On Prolific, each other code has its own action, which handles the submissions that ended with it.
    approved_states=frozenset({"done"}),
    bonuses=Sheet(lambda bonus: (bonus.person, f"{bonus.amount:.2f}")),  # pasted into "Bulk bonus payment"
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
