"""The pages of checks: flags in sentences, decisions, settings, known answers."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Item
from qualification.checks.selectors.evidence import sentences
from qualification.checks.services.flags import decide_flag
from qualification.models import CheckPlan, Flag, KnownAnswer
from tests.annotation.importing.conftest import workbook
from tests.cast import Cast
from tests.factories import ParticipantFactory
from tests.qualification.checks.factories import CheckPlanFactory, FlagFactory, make_checks

pytestmark = pytest.mark.django_db
EVIDENCE = {
    "gold": {"n": 48, "n_items": 12, "n_right": 20, "value": 0.4167, "low": 0.288, "high": 0.557, "threshold": 0.7},
    "attention": {"n": 6, "value": 3, "threshold": 1},
    "speed": {"n": 60, "value": -1.2, "z": -5.1, "p": 0.0004, "n_others": 9},
    "lines": {"what": "run", "n": 200, "value": 31, "p": 0.0005},
    "drift": {"n": 300, "value": 0.44, "low": 0.31, "high": 0.58, "threshold": 0.86, "n_latest": 50, "answer": 240},
    "kappa": {"n": 600, "value": 0.02, "low": -0.04, "high": 0.08, "threshold": 0.2},
}
SAID = {
    "gold": "20 of 48 answers to items with a known answer are correct (42%; 12 items).",
    "attention": "3 of 6 attention checks were missed.",
    "speed": "Takes 30% of the usual time on the same items (60 items).",
    "lines": "31 identical answers in a row among the latest 200.",
    "drift": "on 86% of the first 50 answers, and on 44% of the latest 50 (between 31% and 58%).",
    "kappa": "The whole interval is below the study's minimum of 0.20.",
}


def page(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


@pytest.fixture
def lead(client, cast: Cast):
    client.force_login(cast.lead)
    return client


@pytest.fixture
def researcher(client, cast: Cast):
    client.force_login(cast.researcher)
    return client


def settings_of(**changed: object) -> dict[str, object]:
    fields = {"gold_percent": 10, "attention_percent": 5, "gold_required": 0.7, "most_attention_missed": 1}
    return fields | {"looks_at_speed": "on"} | changed


# --- flags -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", list(EVIDENCE))
def test_the_evidence_of_each_kind_is_said_in_sentences(cast: Cast, lead, kind: str):
    FlagFactory(participant=cast.annotator, kind=kind, evidence=EVIDENCE[kind])

    text = lead.get(page("checks")).content.decode()

    assert SAID[kind] in text.replace("&#x27;", "'")
    assert "None" not in text


def test_one_answer_only_is_said_beside_that_of_the_others(cast: Cast):
    evidence = {"what": "monotony", "n": 80, "value": 1.0, "others": 0.62, "p": 0.00001}
    flag = FlagFactory(participant=cast.annotator, kind="lines", evidence=evidence)

    first, second = sentences(flag)
    assert first == "100% of the latest 80 answers are the same option."
    assert "62% of the other annotators' answers" in second


def test_a_lead_decides_with_a_reason_and_reads_it_in_the_history(cast: Cast, lead):
    flag = FlagFactory(participant=cast.annotator)

    answer = lead.post(page("flag_decide", flag.pk), {"decision": "paused", "reason": "Three misses."}, follow=True)

    text = answer.content.decode()
    assert "is paused: no new batches" in text
    assert "Three misses." in text
    assert "There are no open flags." in text
    assert Flag.objects.get(pk=flag.pk).decided_by == cast.lead


@pytest.mark.parametrize(
    ("posted", "said"),
    [
        ({"decision": "paused", "reason": " "}, "Give a reason."),
        ({"decision": "gone", "reason": "x"}, "no such decision"),
    ],
)
def test_a_decision_without_reason_or_of_another_name_is_refused(cast: Cast, lead, posted, said):
    flag = FlagFactory(participant=cast.annotator)

    text = lead.post(page("flag_decide", flag.pk), posted, follow=True).content.decode()

    assert said in text
    assert Flag.objects.get(pk=flag.pk).state == "open"


def test_a_flag_that_somebody_else_decided_meanwhile_says_so(cast: Cast, lead):
    flag = FlagFactory(participant=cast.annotator)
    decide_flag(flag, decision="dismissed", reason="Fine.", by=cast.owner, now=timezone.now())

    text = lead.post(
        page("flag_decide", flag.pk), {"decision": "excluded", "reason": "x"}, follow=True
    ).content.decode()

    assert "already decided" in text


def test_the_history_says_what_stays_payable(cast: Cast, lead):
    payable = {"batches": 3, "amount": "14.01", "currency": "GBP"}
    decided = {"state": "excluded", "decided_by": cast.lead, "decided_at": timezone.now(), "decision_reason": "Clicks."}
    FlagFactory(participant=cast.annotator, payable=payable, **decided)

    assert "3 finished batches stay payable: 14.01 GBP." in lead.get(page("checks")).content.decode()


def test_the_page_of_one_annotator_shows_their_flags_alone_and_people_link_to_it(cast: Cast, lead):
    FlagFactory(participant=cast.annotators[0])
    FlagFactory(participant=cast.annotators[1])
    name, other = cast.annotators[0].pseudonym, cast.annotators[1].pseudonym

    text = lead.get(page("checks"), {"annotator": name}).content.decode()
    assert f"<code>{name}</code>" in text
    assert f"<code>{other}</code>" not in text
    assert "Correct gold answers" in text
    assert f"{page('checks')}?annotator={name}" in lead.get(page("study_people")).content.decode()


def test_a_page_says_when_nobodys_work_is_looked_at(cast: Cast, lead):
    assert "No work is monitored yet" in lead.get(page("checks")).content.decode()
    CheckPlanFactory(study=cast.study)
    assert "keep rating until you decide" in lead.get(page("checks")).content.decode()


def test_flags_of_another_study_are_not_there(cast: Cast, lead):
    flag = FlagFactory()

    assert lead.post(page("flag_decide", flag.pk), {"decision": "paused", "reason": "x"}).status_code == 404


def test_the_pages_take_as_many_queries_for_many_flags(cast: Cast, client, django_assert_max_num_queries):
    CheckPlanFactory(study=cast.study)
    client.force_login(cast.owner)
    counts = []
    for _ in range(2):
        for number in range(12):
            person = ParticipantFactory(study=cast.study)
            decided = {"state": "dismissed", "decided_by": cast.lead, "decided_at": timezone.now()}
            FlagFactory(participant=person, **(decided if number % 2 else {}))
        with django_assert_max_num_queries(20) as captured:
            client.get(page("checks"))
            client.get(page("checks_settings"))
        counts.append(len(captured))
    assert counts[0] == counts[1]


# --- settings ----------------------------------------------------------------------------------------
def test_settings_are_saved_logged_and_begin_the_looking(cast: Cast, researcher):
    answer = researcher.post(page("checks_settings"), settings_of(), follow=True)

    assert "settings are saved" in answer.content.decode()
    plan = CheckPlan.objects.get(study=cast.study)
    assert (plan.gold_percent, plan.looks_at_speed, plan.looks_at_drift) == (10, True, False)
    assert ActivityLog.objects.get(verb="check_plan").details["gold_percent"] == 10


@pytest.mark.parametrize(
    ("name", "value"), [("gold_percent", 51), ("gold_required", 1.2), ("most_attention_missed", -1)]
)
def test_settings_out_of_range_are_refused_beside_their_field(cast: Cast, researcher, name: str, value: object):
    answer = researcher.post(page("checks_settings"), settings_of(**{name: value}))

    assert answer.status_code == 422
    assert not CheckPlan.objects.exists()


# --- known answers -----------------------------------------------------------------------------------
def upload(researcher, text: str, **form: object):
    file = SimpleUploadedFile("known.csv", text.encode())
    return researcher.post(page("known_answers_import"), {"file": file, **form})


def test_known_answers_come_in_through_the_page(cast: Cast, researcher):
    dialogue = make_checks(cast.study, 1)[0]
    KnownAnswer.objects.all().delete()
    key = dialogue.candidates.first().key

    answer = upload(researcher, f"dialogue,candidate,criterion,options\n{dialogue.key},{key},listening,listening\n")

    assert "New: 1, changed: 0" in answer.content.decode()
    assert KnownAnswer.objects.get().kind == "gold"


def test_a_sheet_of_a_workbook_is_chosen_on_the_page(cast: Cast, researcher, tmp_path):
    dialogue = make_checks(cast.study, 1)[0]
    KnownAnswer.objects.all().delete()
    row = [dialogue.key, dialogue.candidates.first().key, "listening", "listening"]
    rows = [["dialogue", "candidate", "criterion", "options"], row]
    content = workbook(tmp_path / "known.xlsx", rows, [["notes"]]).read_bytes()

    def sent(**form: str) -> str:
        file = SimpleUploadedFile("known.xlsx", content)
        return researcher.post(page("known_answers_import"), {"file": file, **form}).content.decode()

    assert "the workbook has 2 sheets" in sent()
    assert "New: 1, changed: 0" in sent(sheet="Sheet")


def test_errors_of_a_file_are_listed_by_line_and_column(cast: Cast, researcher):
    answer = upload(researcher, "dialogue,criterion,options\nnowhere,listening,listening\n")

    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Nothing was stored." in text
    assert '<th scope="row">2</th><td>dialogue</td>' in text


def test_a_click_inserts_the_checks_and_says_how_many(cast: Cast, researcher):
    make_checks(cast.study, 2)
    CheckPlanFactory(study=cast.study, gold_percent=50)

    answer = researcher.post(page("checks_insert"), follow=True)

    assert "Dialogues inserted: 1. Batches: 1." in answer.content.decode()
    assert Item.objects.filter(batch=cast.batch, is_check=True).count() == 3


def test_a_click_on_the_panel_without_panel_says_that_there_is_nothing(cast: Cast, researcher):
    answer = researcher.post(page("known_answers_panel"), {"rule": "majority"}, follow=True)

    assert "no more answers that the panel agrees on" in answer.content.decode()
