"""Who gets past which door, by route and verb; the people who try, and what the parameters of a route stand for."""

from collections.abc import Iterator

from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from annotation.models import Assignment
from tests.cast import Cast
from tests.factories import (
    AssignmentFactory,
    ExportJobFactory,
    ImportJobFactory,
    JudgeRunFactory,
    MembershipFactory,
    MetricFactory,
    UserFactory,
    make_batch,
    take_seat,
)
from tests.marking import flag
from tests.qualification.acceptance.factories import make_labelled_review
from tests.qualification.adjudication.factories import CaseFactory, DisagreementFactory
from tests.qualification.checks.factories import FlagFactory
from tests.qualification.qualifying.factories import AttemptFactory, QuestionFactory
from tests.qualification.recruitment.factories import EntryFactory

ROLES = (
    "anonymous",
    "stranger",
    "staff",
    "annotator",
    "observer",
    "controller",
    "trainer",
    "lead",
    "researcher",
    "owner",
)
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

EVERYBODY = frozenset(ROLES)
SIGNED_IN = EVERYBODY - {"anonymous"}
WATCHERS = frozenset({"observer", "controller", "trainer", "lead", "researcher", "owner"})
READERS = WATCHERS - {"controller"}  # who checks labels blind reads no single answer
CLEARERS = frozenset({"lead", "researcher", "owner"})
MAKERS = frozenset({"researcher", "owner"})
OWNERS = frozenset({"owner"})
THE_ANNOTATOR = frozenset({"annotator"})  # to whom the assignment belongs
CONTROLLERS = CLEARERS | {"controller"}
TEACHERS = CLEARERS | {"trainer"}
THE_CONTROLLER = frozenset({"controller"})  # who has taken the sample
CREATORS = frozenset({"staff", "researcher", "owner"})  # the latter two are members of the group

# Who gets past the door, by route and verb. What is not listed is nobody's. HEAD is what GET is.
MAY: dict[str, dict[str, frozenset[str]]] = {
    "home": {"GET": EVERYBODY, "POST": EVERYBODY, "PUT": EVERYBODY, "PATCH": EVERYBODY, "DELETE": EVERYBODY,
             "OPTIONS": EVERYBODY},  # a signpost that reads nothing but who asks
    "healthz": dict.fromkeys(VERBS, EVERYBODY),
    "set_language": {"POST": EVERYBODY},
    "join": {"GET": EVERYBODY, "POST": EVERYBODY},
    "return": {"GET": EVERYBODY, "POST": EVERYBODY},
    "continue_as": {"POST": frozenset()},  # whoever the device's signed cookie names: see test_devices.py
    "enter": {"GET": EVERYBODY, "POST": EVERYBODY},
    "entry_end": {"GET": THE_ANNOTATOR, "POST": THE_ANNOTATOR},  # who came by a platform
    "about_you": {"GET": THE_ANNOTATOR, "POST": THE_ANNOTATOR},
    # the annotator's own work
    "work": {"GET": SIGNED_IN},
    "consent": {"GET": THE_ANNOTATOR, "POST": THE_ANNOTATOR},
    "claim": {"POST": THE_ANNOTATOR},
    "guidelines": {"GET": THE_ANNOTATOR},
    "welcome": {"GET": THE_ANNOTATOR},
    "past_batches": {"GET": THE_ANNOTATOR},
    "past_batch": {"GET": THE_ANNOTATOR},
    "guidelines_pdf": {"GET": THE_ANNOTATOR},
    "rate_start": {"GET": THE_ANNOTATOR},
    "rate": {"GET": THE_ANNOTATOR, "POST": THE_ANNOTATOR},
    "rate_dialogue": {"GET": THE_ANNOTATOR},
    "rate_open": {"POST": THE_ANNOTATOR},
    "briefed": {"POST": THE_ANNOTATOR},
    "work_items": {"GET": THE_ANNOTATOR},
    "item_list": {"GET": THE_ANNOTATOR},
    "submit": {"GET": THE_ANNOTATOR, "POST": THE_ANNOTATOR},
    "thanks": {"GET": THE_ANNOTATOR},
    # studies
    "studies": {"GET": SIGNED_IN},
    "study_new": {"GET": CREATORS, "POST": CREATORS},
    "study": {"GET": WATCHERS},
    "study_settings": {"GET": MAKERS, "POST": MAKERS},
    "study_status": {"POST": MAKERS},
    "study_protocol": {"GET": MAKERS, "POST": MAKERS},
    "study_import": {"GET": MAKERS, "POST": MAKERS},
    "study_import_preview": {"POST": MAKERS},
    "study_import_job": {"GET": MAKERS},
    "study_import_job_status": {"GET": MAKERS},
    "study_import_take_back": {"POST": MAKERS},
    "study_batches": {"GET": MAKERS, "POST": MAKERS},
    "study_dialogues": {"GET": MAKERS},
    "study_dialogues_remove": {"POST": MAKERS},
    "study_batches_status": {"POST": MAKERS},
    "study_batches_discard": {"POST": MAKERS},
    "study_people": {"GET": CLEARERS},
    "study_feedback": {"GET": CLEARERS},
    "participant_status": {"POST": CLEARERS},
    "study_clear_all": {"POST": CLEARERS},
    "study_panel": {"POST": CLEARERS},
    "study_invitation": {"POST": MAKERS},
    "study_member_add": {"POST": OWNERS},
    "study_account_create": {"POST": OWNERS},
    "study_member_role": {"POST": OWNERS},
    "study_researcher": {"POST": OWNERS},
    # recruitment
    "recruitment": {"GET": MAKERS, "POST": MAKERS},
    "recruitment_approvals": {"GET": MAKERS},
    "recruitment_bonuses": {"GET": MAKERS},
    "recruitment_paid": {"POST": MAKERS},
    "recruitment_demographics": {"POST": MAKERS},
    "recruitment_demographics_csv": {"POST": OWNERS},
    "recruitment_forget": {"POST": OWNERS},
    # pay, the log, the pilot
    "pay": {"GET": MAKERS, "POST": MAKERS},
    "pay_csv": {"POST": MAKERS},
    "pay_paid": {"POST": MAKERS},
    "pay_annotator": {"GET": MAKERS},
    "pay_bonus": {"POST": MAKERS},
    "pay_correction": {"POST": MAKERS},
    "activity": {"GET": OWNERS},
    "activity_file": {"POST": OWNERS},
    "pilot": {"GET": CLEARERS},
    "pilot_items": {"GET": CLEARERS},
    "pilot_panel": {"POST": CLEARERS},
    "pilot_take": {"POST": MAKERS},
    # protocols
    "protocols": {"GET": CREATORS},
    "protocol_new": {"GET": CREATORS, "POST": CREATORS},
    "protocol_import": {"GET": CREATORS, "POST": CREATORS},
    "protocol_compare": {"GET": CREATORS},
    "protocol_version": {"GET": CREATORS},
    "protocol_publish": {"POST": CREATORS},
    "protocol_retire": {"POST": CREATORS},
    "protocol_draft": {"POST": CREATORS},
    "protocol_export": {"GET": CREATORS},
    "protocol_edit": {"GET": CREATORS, "POST": CREATORS},
    "protocol_preview": {"GET": CREATORS, "POST": CREATORS},
    # checks during the work
    "checks": {"GET": CLEARERS},
    "checks_settings": {"GET": MAKERS, "POST": MAKERS},
    "known_answers_import": {"POST": MAKERS},
    "known_answers_panel": {"POST": MAKERS},
    "checks_insert": {"POST": MAKERS},
    "flag_decide": {"POST": CLEARERS},
    # reporting
    "board": {"GET": WATCHERS},
    "board_fragment": {"GET": WATCHERS},
    "board_quality": {"GET": WATCHERS},
    "board_quality_fragment": {"GET": WATCHERS},
    "report": {"GET": WATCHERS},
    "report_state": {"GET": WATCHERS},
    "report_json": {"GET": WATCHERS},
    "report_pdf": {"GET": WATCHERS},
    "report_table": {"GET": WATCHERS},
    "report_html": {"GET": WATCHERS},
    "report_latex": {"GET": WATCHERS},
    "report_xlsx": {"GET": WATCHERS},
    "report_figure_svg": {"GET": WATCHERS},
    "report_figure_png": {"GET": WATCHERS},
    "planner": {"GET": WATCHERS},
    "planner_json": {"GET": WATCHERS},
    "datasheet": {"GET": WATCHERS, "POST": MAKERS},
    "datasheet_markdown": {"GET": WATCHERS},
    "datasheet_json": {"GET": WATCHERS},
    "datasheet_form": {"GET": WATCHERS},
    "predictions": {"GET": WATCHERS},
    "predictions_csv": {"GET": WATCHERS},
    "predictions_distributions": {"GET": WATCHERS},
    "predictions_json": {"GET": WATCHERS},
    "predictions_people": {"GET": WATCHERS},
    "predictions_metric": {"GET": WATCHERS},
    "metric_delete": {"POST": MAKERS},
    "judge_runs": {"GET": MAKERS, "POST": MAKERS},
    "judge_run": {"GET": MAKERS},
    "judge_run_status": {"GET": MAKERS},
    "judge_run_act": {"POST": MAKERS},
    "exports": {"GET": READERS, "POST": READERS},
    "export_jobs": {"GET": READERS},
    "export_file": {"GET": READERS},
    # the qualification, and what its candidates see
    "quality": {"GET": WATCHERS},
    "flagged_items": {"GET": READERS},
    "flagged_fragment": {"GET": READERS},
    "flagged_item": {"GET": READERS, "POST": CLEARERS},
    "qualification": {"GET": CLEARERS, "POST": MAKERS},
    "qualification_curve": {"GET": CLEARERS},
    "qualification_question_add": {"POST": MAKERS},
    "qualification_question_delete": {"POST": MAKERS},
    "training_make": {"POST": MAKERS},
    "candidates": {"GET": CLEARERS},
    "candidate_decide": {"POST": CLEARERS},
    "qualification_state": {"GET": THE_ANNOTATOR},
    "comprehension": {"GET": THE_ANNOTATOR, "POST": THE_ANNOTATOR},
    "training_answer": {"GET": THE_ANNOTATOR},
    # batch acceptance
    "acceptance": {"GET": WATCHERS},
    "acceptance_plan": {"GET": MAKERS, "POST": MAKERS},
    "acceptance_plan_curve": {"GET": MAKERS},
    "acceptance_groups": {"GET": CLEARERS, "POST": CLEARERS},
    "acceptance_groups_move": {"POST": CLEARERS},
    "acceptance_groups_dealing": {"POST": CLEARERS},
    "acceptance_group_remove": {"POST": CLEARERS},
    "sample": {"GET": WATCHERS},
    "sample_take": {"POST": CONTROLLERS},
    "sample_give_back": {"POST": CONTROLLERS},
    "sample_decide": {"POST": CLEARERS},
    "sample_review": {"GET": THE_CONTROLLER},
    "sample_review_item": {"GET": THE_CONTROLLER, "POST": THE_CONTROLLER},
    # labels that two confirm, and the case library
    "adjudication": {"GET": TEACHERS},
    "adjudication_plan": {"GET": MAKERS, "POST": MAKERS},
    "disagreement": {"GET": TEACHERS, "POST": TEACHERS},
    "split_votes": {"GET": TEACHERS},
    "case_collect": {"POST": TEACHERS},
    "cases": {"GET": TEACHERS},
    "case_new": {"GET": TEACHERS, "POST": TEACHERS},
    "case_edit": {"GET": TEACHERS, "POST": TEACHERS},
    "case_shelf": {"POST": TEACHERS},
    "case_example": {"POST": TEACHERS},
    "case_training": {"POST": TEACHERS},
    # API
    "api_schema": {"GET": EVERYBODY, "OPTIONS": EVERYBODY},
    "api_token": {"POST": EVERYBODY, "DELETE": SIGNED_IN},
    "api_answers": {"POST": SIGNED_IN, "OPTIONS": SIGNED_IN},  # the assignment in the body says whose
    "api_several_answers": {"POST": SIGNED_IN, "OPTIONS": SIGNED_IN},
    "api_marks": {"POST": SIGNED_IN, "OPTIONS": SIGNED_IN},
    "api_studies": {"GET": SIGNED_IN, "POST": CREATORS},
    "api_study": {"GET": WATCHERS, "PATCH": MAKERS},
    "api_study_status": {"PUT": MAKERS},
    "api_members": {"GET": OWNERS, "POST": OWNERS},
    "api_member": {"PATCH": OWNERS, "DELETE": OWNERS},
    "api_participants": {"GET": CLEARERS},
    "api_participant": {"PATCH": CLEARERS},
    "api_imports": {"GET": MAKERS, "POST": MAKERS},
    "api_import": {"GET": MAKERS},
    "api_import_take_back": {"POST": MAKERS},
    "api_batches": {"GET": WATCHERS, "POST": MAKERS},
    "api_batch": {"GET": WATCHERS, "PATCH": MAKERS},
    "api_ratings": {"GET": READERS},
    "api_study_agreement": {"GET": WATCHERS, "OPTIONS": SIGNED_IN},
    "api_study_report": {"GET": WATCHERS, "OPTIONS": SIGNED_IN},
    "api_exports": {"GET": READERS, "POST": READERS},
    "api_export_formats": {"GET": READERS},
    "api_export": {"GET": READERS},
    "api_export_file": {"GET": READERS},
}  # fmt: skip
THEIR_OWN_DOORS = ("accounts/", "admin/")  # allauth's, and the admin's: see the tests at the end


def routes(patterns: list | None = None, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for each in get_resolver().url_patterns if patterns is None else patterns:
        path = prefix + str(each.pattern)
        if path.startswith(THEIR_OWN_DOORS):
            continue
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, path)
        else:
            yield path, each


ROUTES = list(routes())


def make_people(cast: Cast) -> dict[str, Client]:
    users: dict[str, User | None] = {
        "anonymous": None,
        "stranger": cast.stranger,
        "staff": UserFactory(username="staff", is_staff=True),
        "annotator": cast.annotator.user,
        "trainer": MembershipFactory(study=cast.study, role="trainer").user,
        **{name: getattr(cast, name) for name in ("observer", "controller", "lead", "researcher", "owner")},
    }
    clients = {}
    for name, user in users.items():
        clients[name] = Client(raise_request_exception=True)
        if user is not None:
            clients[name].force_login(user)
    return clients


def make_values(cast: Cast) -> dict[str, dict[str, object]]:
    """What the parameters of a route stand for, by route where the same word means different things."""
    cast.study.is_joinable, cast.study.consent_text = True, "You agree."
    cast.study.save()
    cast.study.participants.update(consent_version=cast.study.consent_version)
    job = ImportJobFactory(study=cast.study)
    assignment = take_seat(cast.annotator, cast.batch)
    member = cast.study.memberships.get(user=cast.observer)
    EntryFactory(study=cast.study, participant=cast.annotator)
    by_word = {"slug": cast.study.slug, "token": assignment.token, "pk": member.pk, "key": cast.batch.key,
               "position": 0, "number": 1, "provider": "prolific", "table": "agreement", "figure": "votes",
               "ending": "csv", "kind": "yaml", "criterion": "listening"}  # fmt: skip
    special = {
        "join": cast.study.join_token,
        "enter": cast.study.join_token,
        "recruitment_forget": cast.annotator.token,
        "return": "broken",
        "claim": cast.batch.token,
        "study_import_job": job.token,
        "study_import_job_status": job.token,
        "study_import_take_back": job.token,
        "api_import": job.token,
        "api_import_take_back": job.token,
        **dict.fromkeys(("export_file", "api_export", "api_export_file"), ExportJobFactory(study=cast.study).token),
        "predictions_metric": MetricFactory(study=cast.study).token,
        "metric_delete": MetricFactory(study=cast.study).token,
        **dict.fromkeys(("judge_run", "judge_run_status", "judge_run_act"), JudgeRunFactory(study=cast.study).token),
        "flagged_item": flagged_token(cast, assignment),
        "flag_decide": {"pk": FlagFactory(participant=cast.annotators[1]).pk},
        "participant_status": cast.annotators[1].token,
        **dict.fromkeys(("pay_annotator", "pay_bonus", "pay_correction"), cast.annotators[1].token),
        "activity_file": {"format": "csv"},
        **qualification_values(cast),
        **adjudication_values(cast),
        "api_participant": cast.annotators[1].token,
    }
    protocol = {"slug": cast.version.protocol.slug, "version": cast.version.version}
    of_protocols = {name: protocol for name in MAY if name.startswith("protocol")}
    tokens = {name: value if isinstance(value, dict) else {"token": value} for name, value in special.items()}
    return {name: by_word | of_protocols.get(name, {}) | tokens.get(name, {}) for name in MAY}


def flagged_token(cast: Cast, assignment: Assignment) -> object:
    item = cast.batch.items.first()
    flag(assignment, item)
    return item.token


def qualification_values(cast: Cast) -> dict[str, object]:
    """A candidate with an attempt, a question, and training work of the annotator."""
    training = make_batch(cast.study, position=91, kind="training")
    finished = AssignmentFactory(batch=training, participant=cast.annotator, status="expired")
    return {
        "candidate_decide": AttemptFactory(participant=cast.annotators[1]).participant.token,
        "qualification_question_delete": {"pk": QuestionFactory(qualification__study=cast.study).pk},
        "training_answer": finished.token,
    }


def adjudication_values(cast: Cast) -> dict[str, object]:
    item = cast.batch.items.first()
    criterion = cast.version.criteria.first()
    differing = DisagreementFactory(item=item, criterion=criterion)
    case = CaseFactory(study=cast.study, item=item, criterion=criterion)
    of_disagreements = ("disagreement", "case_collect")
    return {
        name: {"pk": differing.pk if name in of_disagreements else case.pk}
        for name in MAY
        if name.startswith(("case_", "disagreement"))
    }


def acceptance_values(cast: Cast) -> dict[str, dict[str, object]]:
    """A sample of one item that the controller has begun to check, which makes them a participant."""
    review = make_labelled_review(cast.study, cast.controller)
    position = review.batch.items.get().position
    return {
        name: {"pk": review.sample_id, "position": position}
        for name in MAY
        if name.startswith(("acceptance", "sample"))
    }
