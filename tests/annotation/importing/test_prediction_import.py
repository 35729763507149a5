"""Scores and labels made by machines: of candidates and dialogues the study has, all or nothing."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.importing import ImportRejected, PredictionOptions, import_predictions
from annotation.models import Metric, Prediction, Study
from tests.annotation.importing.conftest import NOW, Write, errors_of
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory
from tests.factories_protocols import make_scale_version


def bring(study: Study, path: Path, *, is_dry_run: bool = False, **options):
    return import_predictions(study, path, options=PredictionOptions(**options), is_dry_run=is_dry_run, now=NOW)


@pytest.fixture
def material(study: Study) -> Study:
    """Two dialogues with a candidate of each of two sources."""
    sources = [SourceFactory(study=study, key=key, is_reference=not at) for at, key in enumerate(("gold", "bot"))]
    for name in ("d1", "d2"):
        dialogue = DialogueFactory(study=study, key=name)
        for source in sources:
            CandidateFactory(dialogue=dialogue, source=source, key=f"{name}-{source.key}")
    return study


@pytest.fixture
def whole(db: None) -> Study:
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    DialogueFactory(study=study, key="d1")
    DialogueFactory(study=study, key="d2")
    return study


def stored(study: Study, key: str) -> dict[str, object]:
    rows = Prediction.objects.filter(metric__study=study, metric__key=key, metric__is_active=True)
    found = rows.values_list("candidate__key", "dialogue__key", "value", "option__key")
    return {candidate or dialogue: (value, option) for candidate, dialogue, value, option in found}


def test_one_metric_by_dialogue_and_source(material: Study, write: Write) -> None:
    path = write("dialogue_id,model,score", "d1,bot,0.5", "d2,bot,-1e-3", "d2,gold,", name="bleu.csv")
    summary = bring(material, path, metric="BLEU")
    assert stored(material, "BLEU") == {"d1-bot": (0.5, None), "d2-bot": (-0.001, None)}
    assert summary.counts == {"metrics_new": 1, "predictions_new": 2, "predictions_unchanged": 0}
    metric = material.metrics.get()
    assert (metric.kind, metric.criterion, metric.origin, metric.higher_is_better) == ("score", None, "imported", True)


def test_scores_come_from_a_list_of_objects_too(material: Study, write: Write) -> None:
    bring(material, write('[{"item": "d1-bot", "score": 0.5},\n {"item": "d2-bot", "score": null}]'), metric="BLEU")
    assert stored(material, "BLEU") == {"d1-bot": (0.5, None)}


def test_a_candidate_can_be_named_alone(material: Study, write: Write) -> None:
    bring(material, write("candidate_id;nll", "d1-gold;1.5", "d2-bot;2"), metrics=["nll"], lower_is_better=["nll"])
    assert stored(material, "nll") == {"d1-gold": (1.5, None), "d2-bot": (2.0, None)}
    assert not material.metrics.get().higher_is_better


def test_several_columns_are_several_metrics_and_labels_belong_to_their_criterion(material: Study, write: Write):
    path = write("item,bleu,judge,other", "d1-bot,0.1,Appropriate,x", "d2-bot,,not-appropriate,y", "d1-gold,0.9,,z")
    summary = bring(material, path, metrics=["bleu", "judge=appropriateness"])
    assert stored(material, "bleu") == {"d1-bot": (0.1, None), "d1-gold": (0.9, None)}
    assert stored(material, "judge") == {"d1-bot": (None, "appropriate"), "d2-bot": (None, "not-appropriate")}
    assert [(each.kind, each.criterion and each.criterion.key) for each in material.metrics.all()] == [
        ("score", None), ("label", "appropriateness"),
    ]  # fmt: skip
    assert "other" in summary.notes[0]


def test_a_label_may_have_a_value_beside_it(material: Study, write: Write) -> None:
    path = write("item,label,value", "d1-bot,unsure,0.2", "d2-bot,Appropriate,0.8")
    bring(material, path, metric="classifier", criterion="appropriateness")
    assert stored(material, "classifier") == {"d1-bot": (0.2, "unsure"), "d2-bot": (0.8, "appropriate")}


def test_numbers_that_are_answers_are_labels_and_others_are_scores(whole: Study, write: Write) -> None:
    path = write("dialogue,judge,mean", "d1,5,4.5", "d2,1.0,1")
    bring(whole, path, metrics=["judge=fluency", "mean=fluency"])
    assert stored(whole, "judge") == {"d1": (None, "p5"), "d2": (None, "p1")}
    assert stored(whole, "mean") == {"d1": (4.5, None), "d2": (1.0, None)}


def test_a_mapped_column_goes_before_the_usual_name(material: Study, write: Write) -> None:
    path = write("id,dialogue,what,score", "d1,zzz,bot,0.3")
    bring(material, path, columns={"dialogue": "id", "source": "what"}, metric="m")
    assert stored(material, "m") == {"d1-bot": (0.3, None)}


def test_the_same_file_again_changes_nothing_and_more_rows_are_added(material: Study, write: Write) -> None:
    first, more = write("item,m", "d1-bot,1", name="a.csv"), write("item,m", "d1-bot,1", "d2-bot,2", name="b.csv")
    bring(material, first, metrics=["m"])
    assert bring(material, first, metrics=["m"]).counts == {
        "metrics_new": 0, "predictions_new": 0, "predictions_unchanged": 1,
    }  # fmt: skip
    assert bring(material, more, metrics=["m"]).counts["predictions_new"] == 1
    assert Prediction.objects.count() == 2


def test_a_dry_run_stores_nothing(material: Study, write: Write) -> None:
    summary = bring(material, write("item,m", "d1-bot,1"), metrics=["m"], is_dry_run=True)
    assert summary.counts["predictions_new"] == 1
    assert not Metric.objects.exists()
    assert not Prediction.objects.exists()


@pytest.mark.parametrize(
    ("lines", "options", "error"),
    [
        (["d1-bot,x"], {}, (2, "m", "'x' is not a number")),
        (["d1-bot,nan"], {}, (2, "m", "'nan' is not a number")),
        (["d1-bot,1e999"], {}, (2, "m", "is not a number")),
        (["d1-bot,1_000"], {}, (2, "m", "is not a number")),
        (["d1-bot,1", "d9-bot,2"], {}, (3, "dialogue", "'d9-bot' is not in the study")),
        (["d1-bot,1", "d1-bot,1"], {}, (3, "m", "repeats line 2")),
        ([",1"], {}, (2, "item", "is empty")),
        (["d1-bot,1,2"], {}, (2, "", "has 3 values")),
        (["d1-bot,"], {}, (0, "", "contains no predictions")),
        (["d1-bot,maybe"], {"metrics": ["m=appropriateness"]}, (2, "m", "is not an answer to appropriateness")),
        (["d1-bot,1"], {"metrics": ["m=beauty"]}, (1, "criterion", "'beauty' is not in the protocol")),
        (["d1-bot,1"], {"metrics": ["x"]}, (1, "metrics", "has no column 'x'")),
        (["d1-bot,1"], {"metrics": ["item"]}, (1, "metrics", "identifies what was rated, so it cannot be a metric")),
        (["d1-bot,1"], {"metrics": ["m", "M"]}, (1, "metrics", "named twice")),
        (["d1-bot,1"], {"metrics": []}, (1, "value", "no column found")),
        (["d1-bot,1"], {"metrics": [], "columns": {"label": "m"}}, (1, "criterion", "name the criterion")),
        (["d1-bot,1"], {"columns": {"nose": "m"}}, (1, "map", "is not a field")),
        (["d1-bot,1"], {"columns": {"item": "nose"}}, (1, "map", "no column 'nose'")),
        (["d1-bot,1"], {"lower_is_better": ["n"]}, (1, "lower_is_better", "is not a metric of this import")),
    ],
)
def test_what_is_wrong_is_named_by_line_and_field_and_changes_nothing(
    material: Study, write: Write, lines: list[str], options: dict, error: tuple[int, str, str]
) -> None:
    found = errors_of(bring, material, write("item,m", *lines), **{"metrics": ["m"]} | options)
    assert [each[:2] for each in found] == [error[:2]]
    assert error[2] in found[0][2]
    assert not Metric.objects.exists()


def test_a_source_with_two_candidates_and_another_source_are_refused(material: Study, write: Write) -> None:
    bot = material.sources.get(key="bot")
    CandidateFactory(dialogue=material.dialogues.get(key="d1"), source=bot, key="second")
    several = errors_of(bring, material, write("dialogue,source,m", "d1,bot,1"), metrics=["m"])
    other = errors_of(bring, material, write("dialogue,item,source,m", "d1,second,gold,1"), metrics=["m"])
    none = errors_of(bring, material, write("dialogue,source,m", "d1,nobody,1"), metrics=["m"])
    assert ("several candidates" in several[0][2], other[0][:2], none[0][:2]) == (True, (2, "source"), (2, "item"))


def test_another_value_or_another_kind_for_a_known_metric_is_refused(material: Study, write: Write) -> None:
    bring(material, write("item,m", "d1-bot,1"), metrics=["m"])
    changed = errors_of(bring, material, write("item,m", "d2-bot,3", "d1-bot,2"), metrics=["m"])
    kind = errors_of(bring, material, write("item,m", "d1-bot,unsure"), metrics=["m=appropriateness"])
    assert changed[0][:2] == (3, "m")
    assert "another prediction" in changed[0][2]
    assert "already has another metric with this name" in kind[0][2]
    assert stored(material, "m") == {"d1-bot": (1.0, None)}


def test_more_errors_than_are_shown_are_counted(material: Study, write: Write) -> None:
    path = write("item,m,n", *(f"d1-bot,x{n},y" for n in range(150)))
    with pytest.raises(ImportRejected) as refused:
        bring(material, path, metrics=["m", "n"])
    assert (len(refused.value.errors), refused.value.n_errors) == (200, 300)


def test_metrics_of_another_study_are_not_touched(material: Study, write: Write) -> None:
    other = StudyFactory()
    bring(material, write("item,m", "d1-bot,1"), metrics=["m"])
    assert errors_of(bring, other, write("item,m", "d1-bot,1"), metrics=["m"])[0][:2] == (2, "dialogue")


def test_sets_and_models_cannot_be_predicted_yet(db: None, write: Write) -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="model"))
    assert "only predictions about responses" in errors_of(bring, study, write("item,m", "a,1"), metrics=["m"])[0][2]


def test_the_command_imports_and_names_the_file_in_its_errors(material: Study, write: Write, capsys) -> None:
    good, bad = write("item,ppl", "d1-bot,7", name="good.csv"), write("item,ppl", "d1-bot,high", name="bad.csv")
    call_command("import_predictions", material.slug, str(good), metrics="ppl", lower_is_better="ppl", note="GPT-2")
    assert "predictions new: 1" in capsys.readouterr().out
    assert (material.metrics.get().note, material.metrics.get().higher_is_better) == ("GPT-2", False)
    with pytest.raises(CommandError, match=r"1 error\. Nothing was imported"):
        call_command("import_predictions", material.slug, str(bad), metrics="ppl")
    assert f"{bad}:2: ppl: 'high' is not a number" in capsys.readouterr().err
