"""Known answers come from a file, all or none, or from what the panel agrees on."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.importing.outcome import ImportRejected
from annotation.models import ActivityLog, Batch, Candidate, Dialogue
from annotation.services.claiming import submit_assignment
from annotation.services.refusals import Refused
from protocols.specs import spec_of
from qualification.checks.services.known_answers import import_known_answers, mark_from_panel
from qualification.models import KnownAnswer
from tests.annotation.importing.conftest import workbook
from tests.cast import Cast
from tests.factories import DialogueFactory, make_batch, take_seat
from tests.qualification.checks.factories import make_checks
from tests.working import rate_everything

HEADER = "dialogue,candidate,source,criterion,options,kind,explanation\n"


@pytest.fixture
def material(cast: Cast) -> Dialogue:
    """A dialogue that is in no batch, with a candidate of every source."""
    dialogue = make_checks(cast.study, 1)[0]
    KnownAnswer.objects.all().delete()
    Dialogue.objects.filter(pk=dialogue.pk).update(purpose="main", key="d-new")
    for at, candidate in enumerate(dialogue.candidates.order_by("pk")):
        Candidate.objects.filter(pk=candidate.pk).update(key=f"c{at}")
    return dialogue


def bring(cast: Cast, tmp_path: Path, rows: str, **options: bool):
    path = tmp_path / "known.csv"
    path.write_text(HEADER + rows)
    return import_known_answers(cast.study, path, by=cast.researcher, now=timezone.now(), **options)


def option_ids(cast: Cast, criterion: str, *places: int) -> list[int]:
    options = spec_of(cast.study.protocol_version).by_key[criterion].options
    return [options[place].id for place in places]


# --- files -----------------------------------------------------------------------------------------
def test_options_are_named_by_key_or_label_and_several_have_bars_between_them(cast: Cast, material, tmp_path):
    summary = bring(cast, tmp_path, "d-new,c0,,listening,listening|Not listening,gold,Because it does.\n")

    known = KnownAnswer.objects.get()
    assert known.options == sorted(option_ids(cast, "listening", 0, 1))
    assert (known.kind, known.unit, known.explanation) == ("gold", "response", "Because it does.")
    assert (known.candidate.key, known.source) == ("c0", known.candidate.source)
    assert summary.counts["known_answers_new"] == 1
    assert ActivityLog.objects.get(verb="known_answers_import").actor == cast.researcher


def test_a_candidate_may_be_named_by_its_source(cast: Cast, material, tmp_path):
    bring(cast, tmp_path, "d-new,,model_a,listening,listening,attention,\n")

    assert KnownAnswer.objects.get().candidate.source.key == "model_a"


def test_a_dialogue_of_no_main_batch_is_held_apart_and_one_of_a_batch_is_not(cast: Cast, material, tmp_path):
    dealt = cast.batch.items.first().candidate
    rows = f"d-new,c0,,listening,listening,gold,\n{dealt.dialogue.key},{dealt.key},,listening,listening,gold,\n"
    summary = bring(cast, tmp_path, rows)

    assert Dialogue.objects.get(key="d-new").purpose == "check"
    assert Dialogue.objects.get(pk=dealt.dialogue_id).purpose == "main"
    assert summary.counts["dialogues_held_apart"] == 1
    assert "Dialogues already in main batches: 1" in summary.notes[0]


def test_answers_for_training_hold_their_dialogue_for_training(cast: Cast, material, tmp_path):
    bring(cast, tmp_path, "d-new,c0,,listening,listening,training,It listens.\n")

    assert Dialogue.objects.get(key="d-new").purpose == "training"


def test_the_same_file_again_changes_nothing_and_another_answer_replaces(cast: Cast, material, tmp_path):
    bring(cast, tmp_path, "d-new,c0,,listening,listening,gold,\n")
    again = bring(cast, tmp_path, "d-new,c0,,listening,listening,gold,\n")
    other = bring(cast, tmp_path, "d-new,c0,,listening,not-listening,gold,\n")

    assert again.counts["known_answers_unchanged"] == 1
    assert other.counts["known_answers_changed"] == 1
    assert KnownAnswer.objects.get().options == option_ids(cast, "listening", 1)


ERRORS = [
    ("nowhere,c0,,listening,listening,gold,\n", "dialogue", "no dialogue 'nowhere'"),
    ("d-new,c9,,listening,listening,gold,\n", "candidate", "only: c0, c1, c2"),
    ("d-new,,,listening,listening,gold,\n", "candidate", "3 candidates match"),
    ("d-new,,nobody,listening,listening,gold,\n", "source", "no such candidate"),
    ("d-new,c0,,beauty,listening,gold,\n", "criterion", "not in the protocol"),
    ("d-new,c0,,listening,perhaps,gold,\n", "options", "is not an answer to listening"),
    ("d-new,c0,,listening,,gold,\n", "options", "is empty"),
    ("d-new,c0,,listening,listening,silver,\n", "kind", "is not one of gold, attention, training"),
]


@pytest.mark.parametrize(("row", "field", "reason"), ERRORS)
def test_an_error_names_line_and_column_and_nothing_is_stored(cast: Cast, material, tmp_path, row, field, reason):
    with pytest.raises(ImportRejected) as caught:
        bring(cast, tmp_path, "d-new,c1,,listening,listening,gold,\n" + row)

    error = caught.value.errors[0]
    assert (error.line, error.field) == (3, field)
    assert reason in error.reason
    assert not KnownAnswer.objects.exists()
    assert Dialogue.objects.get(key="d-new").purpose == "main"


def test_one_question_answered_in_two_lines_is_an_error_of_the_second(cast: Cast, material, tmp_path):
    with pytest.raises(ImportRejected) as caught:
        bring(cast, tmp_path, "d-new,c0,,listening,listening,gold,\nd-new,c0,,listening,not-listening,gold,\n")

    assert [(error.line, error.field) for error in caught.value.errors] == [(3, "dialogue")]


def test_a_dry_run_says_what_it_would_do_and_does_not(cast: Cast, material, tmp_path):
    summary = bring(cast, tmp_path, "d-new,c0,,listening,listening,gold,\n", is_dry_run=True)

    assert summary.counts["known_answers_new"] == 1
    assert not KnownAnswer.objects.exists()
    assert not ActivityLog.objects.filter(verb="known_answers_import").exists()


def test_a_file_without_a_needed_column_or_without_rows_is_refused(cast: Cast, tmp_path):
    path = tmp_path / "known.csv"
    for text, reason in (("dialogue,answer\nd,x\n", "no such column"), (HEADER, "no known answers")):
        path.write_text(text)
        with pytest.raises(ImportRejected) as caught:
            import_known_answers(cast.study, path, by=None, now=timezone.now())
        assert reason in caught.value.errors[0].reason


def test_the_command_brings_a_file_and_names_the_lines_that_are_wrong(cast: Cast, material, tmp_path, capsys):
    path = tmp_path / "known.csv"
    path.write_text(HEADER + "d-new,c0,,listening,listening,gold,\n")
    call_command("import_known_answers", cast.study.slug, str(path))
    assert "known answers new: 1" in capsys.readouterr().out

    path.write_text(HEADER + "d-new,c0,,listening,nothing,gold,\n")
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_known_answers", cast.study.slug, str(path))
    assert f"{path}:2: options:" in capsys.readouterr().err


def test_a_sheet_of_a_workbook_is_chosen(cast: Cast, material, tmp_path, capsys):
    rows = [line.split(",") for line in (HEADER.strip(), "d-new,c0,,listening,listening,gold,")]
    path = workbook(tmp_path / "known.xlsx", rows, [["notes"]])
    with pytest.raises(CommandError):
        call_command("import_known_answers", cast.study.slug, str(path))
    assert "sheet: the workbook has 2 sheets" in capsys.readouterr().err

    call_command("import_known_answers", cast.study.slug, str(path), "--sheet", "Sheet")
    assert "known answers new: 1" in capsys.readouterr().out


def test_reading_a_file_takes_as_many_queries_for_many_rows(cast: Cast, tmp_path, django_assert_max_num_queries):
    dialogues = make_checks(cast.study, 5)
    KnownAnswer.objects.all().delete()
    rows = [f"{d.key},{c.key},,listening,listening,gold,\n" for d in dialogues for c in d.candidates.all()]
    spec_of(cast.study.protocol_version)

    with django_assert_max_num_queries(16):
        bring(cast, tmp_path, "".join(rows))
    assert KnownAnswer.objects.count() == 15


# --- the panel ---------------------------------------------------------------------------------------
@pytest.fixture
def pilot(cast: Cast) -> Batch:
    """Three of the panel have rated a pilot: one of them says otherwise."""
    batch = make_batch(cast.study, 1, position=5, kind="pilot", key="pilot")
    Dialogue.objects.filter(items__batch=batch).update(purpose="qualification")
    for person, option in zip(cast.annotators, (0, 0, 1), strict=True):
        cast.study.participants.filter(pk=person.pk).update(panel="expert")
        rate_and_finish(person, batch, option)
    return batch


def rate_and_finish(person, batch: Batch, option: int) -> None:
    assignment = take_seat(person, batch)
    rate_everything(assignment, now=timezone.now(), option=option)
    submit_assignment(assignment, feedback="", now=timezone.now())


def test_the_majority_of_the_panel_becomes_gold_and_unanimity_asks_for_all(cast: Cast, pilot):
    with pytest.raises(Refused, match="no more answers that the panel agrees on"):
        mark_from_panel(cast.study, rule="unanimous", by=cast.researcher, now=timezone.now())

    stored = mark_from_panel(cast.study, rule="majority", by=cast.researcher, now=timezone.now())

    assert stored.n_new == 12
    assert set(KnownAnswer.objects.values_list("kind", flat=True)) == {"gold"}
    assert sorted(
        KnownAnswer.objects.get(candidate=pilot.items.first().candidate, criterion__key="listening").options
    ) == (option_ids(cast, "listening", 0))
    assert Dialogue.objects.filter(items__batch=pilot).distinct().get().purpose == "qualification"


def test_a_second_click_has_nothing_more_to_mark(cast: Cast, pilot):
    mark_from_panel(cast.study, rule="majority", by=cast.researcher, now=timezone.now())

    with pytest.raises(Refused, match="no more answers that the panel agrees on"):
        mark_from_panel(cast.study, rule="majority", by=cast.researcher, now=timezone.now())


def test_what_one_person_says_is_no_agreement_and_unsure_is_no_answer(cast: Cast):
    batch = make_batch(cast.study, 1, position=5, kind="pilot", key="pilot")
    cast.study.participants.filter(pk=cast.annotators[0].pk).update(panel="expert")
    rate_and_finish(cast.annotators[0], batch, 0)
    unsure = make_batch(cast.study, 1, position=6, kind="pilot", key="pilot-2")
    for person in cast.annotators[:2]:
        cast.study.participants.filter(pk=person.pk).update(panel="expert")
        rate_and_finish(person, unsure, 2)

    with pytest.raises(Refused, match="no more answers that the panel agrees on"):
        mark_from_panel(cast.study, rule="majority", by=cast.researcher, now=timezone.now())


def test_a_file_does_not_lose_its_answers_to_the_panel(cast: Cast, pilot, tmp_path):
    item = pilot.items.first()
    bring(cast, tmp_path, f"{item.dialogue.key},{item.candidate.key},,listening,not-listening,gold,\n")
    DialogueFactory(study=cast.study)

    assert mark_from_panel(cast.study, rule="majority", by=None, now=timezone.now()).n_new == 11
    assert KnownAnswer.objects.get(explanation="", options=option_ids(cast, "listening", 1))
