"""One row per judgement: what stands in it, and that any text survives the way out and in."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings

from annotation.importing import ImportRejected, RatingOptions, import_ratings
from annotation.models import Rating, Study
from annotation.services.claiming import claim_seat
from annotation.services.status import set_status
from parley.formulas import quote_formula, unquote_formula
from protocols.answers import Given
from reporting.exports.long import COLUMNS
from tests.annotation.importing.conftest import builtin, dialogue, load
from tests.cast import Cast
from tests.factories import StudyFactory
from tests.marking import be_unsure, flag
from tests.qualification.recruitment.factories import EntryFactory
from tests.reporting.exports.conftest import NOW
from tests.reporting.exports.texts import ANY_TEXT
from tests.shipped import Work
from tests.working import record, submission

Written = Callable[..., bytes]


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_every_judgement_is_a_row_with_all_that_is_known(cast: Cast, written: Written) -> None:
    work = claim_seat(cast.annotator, cast.batch, now=NOW)
    item = cast.batch.items.order_by("pk").first()
    criterion = cast.version.criteria.get(key="correctness")
    option = criterion.options.get(key="not-correct")
    reasons = ("a", "b")
    given_ = Given(str(option.position + 1), reasons, "the grammar is quite wrong")
    sent = submission(item.token, "correctness", _code(option))
    record(work, sent.__class__(item.token, "correctness", given_, sent.client_key, active_ms=4321), now=NOW)
    (row,) = rows_of(written(cast.study, "long-csv"))
    assert list(row) == [column.name for column in COLUMNS]
    assert row["study"] == "wellbeing"
    assert (row["protocol"], row["protocol_sha256"]) == (cast.version.protocol.slug, cast.version.sha256)
    assert (row["batch"], row["batch_kind"], row["round"], row["unit"]) == ("1", "main", "1", "response")
    assert (row["dialogue"], row["source"], row["item"]) == (item.dialogue.key, item.source.key, item.candidate.key)
    assert row["item_token"] == str(item.token)
    assert (row["criterion"], row["annotator"]) == ("correctness", cast.annotator.pseudonym)
    assert (row["value"], row["label"], row["option"], row["role"]) == ("", "Not correct", "not-correct", "negative")
    assert row["explanations"] == "errors|repeats"
    assert row["sub_dimensions"] == "Grammaticality|Repetition"
    assert row["explanation_texts"] == "It has errors of grammar.|It repeats itself."
    assert (row["free_text"], row["active_ms"], row["revision"]) == ("the grammar is quite wrong", "4321", "1")
    assert (row["is_active"], row["has_seat"], row["is_excluded"], row["is_counted"]) == (
        "true",
        "true",
        "false",
        "true",
    )


def test_a_row_names_what_is_known_of_its_dialogue_and_where_the_annotator_came_from(
    rated: Cast, written: Written
) -> None:
    rated.study.dialogues.filter(pk=rated.batch.items.first().dialogue_id).update(metadata={"topic": "sleep", "n": 2})
    EntryFactory(study=rated.study, participant=rated.annotators[0], platform_study="65f0c")
    rows = rows_of(written(rated.study, "long-csv"))
    told = [json.loads(row["metadata"]) for row in rows if row["metadata"]]
    assert told
    assert all(each == {"topic": "sleep", "n": 2} for each in told)
    assert len(told) < len(rows)
    assert {(row["annotator"], row["platform_study"]) for row in rows} == {
        (who.pseudonym, "65f0c" if who == rated.annotators[0] else "") for who in rated.annotators
    }


def test_times_that_an_imported_file_did_not_have_are_empty(cast: Cast, written: Written, tmp_path: Path) -> None:
    item = cast.batch.items.order_by("pk").first()
    path = tmp_path / "ratings.csv"
    lines = ["dialogue,source,criterion,annotator,value,answered_at"]
    here = f"{item.dialogue.key},{item.source.key},listening"
    lines += [f"{here},timed,listening,2026-03-01T10:00:00Z", f"{here},untimed,listening,"]
    path.write_text("\n".join(lines), encoding="utf-8")
    import_ratings(cast.study, path, now=timezone.now(), options=RatingOptions(create_missing=True))
    times = {
        row["annotator"]: (row["answered_at"], row["active_ms"]) for row in rows_of(written(cast.study, "long-csv"))
    }
    assert times == {"timed": ("2026-03-01T10:00:00Z", ""), "untimed": ("", "")}
    table = pq.read_table(io.BytesIO(written(cast.study, "long-parquet"))).to_pylist()
    assert {(row["annotator"], row["answered_at"] is None, row["active_ms"]) for row in table} == {
        ("timed", False, None),
        ("untimed", True, None),
    }


def test_a_mark_of_the_annotator_stands_beside_each_answer_of_theirs_and_is_no_row(
    rated: Cast, written: Written
) -> None:
    work = rated.batch.assignments.get(participant=rated.annotators[0])
    item, other = rated.batch.items.order_by("pk")[:2]
    flag(work, item, "other", "An advert")
    be_unsure(work, other)
    rows = rows_of(written(rated.study, "long-csv"))
    assert len(rows) == 72
    marked = {(row["annotator"], row["item_token"], row["unsure"], row["flag"]) for row in rows}
    who = rated.annotators[0].pseudonym
    assert {each for each in marked if each[2:] != ("false", "")} == {
        (who, str(item.token), "false", "other"),
        (who, str(other.token), "true", ""),
    }


def _code(option):
    class Spec:
        code = str(option.position + 1)
        asks = option.asks

    return Spec


def test_an_excluded_annotator_is_marked_and_does_not_count(rated: Cast, written: Written) -> None:
    set_status(rated.annotators[1], status="excluded", now=NOW)
    rows = rows_of(written(rated.study, "long-csv"))
    out = [row for row in rows if row["annotator"] == rated.annotators[1].pseudonym]
    assert len(rows) == 72
    assert {(row["is_excluded"], row["has_seat"], row["is_counted"]) for row in out} == {("true", "false", "false")}
    assert sum(row["is_counted"] == "true" for row in rows) == 48


def test_several_choices_and_turns_have_columns_of_their_own(diqad: Work, written: Written) -> None:
    rows = rows_of(written(diqad.study, "long-csv"))
    assert "incomplete|less_proactive" in {row["choices"] for row in rows if row["criterion"] == "reasons_1"}
    assert {row["turns"] for row in rows if row["criterion"] == "support"} == {"2", ""}
    assert {row["value"] for row in rows if row["criterion"] == "score"} == {"2", "1", "0", ""}


def test_none_beside_another_choice_is_refused_when_the_file_comes_back(
    diqad: Work, written: Written, tmp_path: Path
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(written(diqad.study, "long-csv").replace(b"incomplete|less_proactive", b"incomplete|none"))
    with pytest.raises(ImportRejected) as refused:
        import_ratings(diqad.study, path, now=timezone.now())
    reasons = [error.reason for error in refused.value.errors if error.field == "choices"]
    assert reasons
    assert all("“none” cannot be combined with other answers" in reason for reason in reasons)


def test_parquet_holds_the_same_with_types(diqad: Work, written: Written) -> None:
    table = pq.read_table(io.BytesIO(written(diqad.study, "long-parquet"))).to_pylist()
    rows = rows_of(written(diqad.study, "long-csv"))
    assert len(table) == len(rows)
    for row, typed in zip(rows, table, strict=True):
        assert typed["criterion"] == row["criterion"]
        assert "|".join(typed["choices"]) == row["choices"]
        assert "|".join(map(str, typed["turns"])) == row["turns"]
        assert typed["is_counted"] is (row["is_counted"] == "true")
        assert (typed["value"] is None) is (row["value"] == "")
    assert table[0]["answered_at"].tzinfo is not None


def test_parquet_comes_back_with_several_choices_and_turns(diqad: Work, written: Written, tmp_path: Path) -> None:
    table = pq.read_table(io.BytesIO(written(diqad.study, "long-parquet")))
    others = pa.array([f"other-{name.as_py()}" for name in table["annotator"]])
    pq.write_table(table.set_column(table.column_names.index("annotator"), "annotator", others), tmp_path / "ratings")
    import_ratings(diqad.study, tmp_path / "ratings", now=timezone.now())
    imported = Rating.objects.filter(assignment__is_imported=True)
    answers = ("item", "criterion", "option", "choices", "turns", "explanations", "free_text", "answered_at")
    assert Counter(map(repr, imported.values_list(*answers))) == Counter(
        map(repr, Rating.objects.filter(is_active=True, assignment__is_imported=False).values_list(*answers))
    )


def test_an_empty_study_has_a_header_and_no_rows(cast: Cast, written: Written) -> None:
    assert rows_of(written(cast.study, "long-csv")) == []
    assert pq.read_table(io.BytesIO(written(cast.study, "long-parquet"))).num_rows == 0


def test_only_the_wanted_batches(rated: Cast, written: Written) -> None:
    assert rows_of(written(rated.study, "long-csv", kind="pilot")) == []
    assert len(rows_of(written(rated.study, "long-csv", kind="main"))) == 72


def test_names_are_there_only_when_asked_for(rated: Cast, written: Written) -> None:
    plain, named = (written(rated.study, "long-csv", with_names=names) for names in (False, True))
    usernames = {each.user.username for each in rated.annotators}
    assert not any(name in plain.decode() for name in usernames)
    assert {row["account"] for row in rows_of(named)} == usernames


def test_the_wide_table_has_a_column_per_annotator(rated: Cast, written: Written) -> None:
    rows = rows_of(written(rated.study, "wide-csv"))
    names = [each.pseudonym for each in rated.annotators]
    assert len(rows) == 24
    first = next(row for row in rows if row["criterion"] == "listening")
    assert [first[name] for name in names] == ["listening", "not-listening", "listening"]
    labels = rows_of(written(rated.study, "wide-csv", cell="label"))
    assert {row[names[1]] for row in labels if row["criterion"] == "listening"} == {"Not listening"}
    assert {row["n"] for row in rows} == {"3"}


# --- hostile texts ---------------------------------------------------------------------------------
@given(text=ANY_TEXT)
def test_a_quoted_formula_can_be_undone(text: str) -> None:
    quoted = quote_formula(text)
    assert unquote_formula(quoted) == text
    assert not quoted.startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.fixture
def two_studies(db: None) -> tuple[Study, Study]:
    """The first with a rating, the second with the same material."""
    version = builtin("three-point-coherence-1.0")
    return StudyFactory(protocol_version=version), StudyFactory(protocol_version=version)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=ANY_TEXT.filter(str.strip))
def test_the_export_of_ratings_is_imported_with_any_free_text(two_studies, written, tmp_path, write, text: str) -> None:
    """As the forms store it: stripped, in normal form."""
    import unicodedata

    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    first, second = two_studies
    if not first.dialogues.exists():
        lines = write(dialogue("d1"), dialogue("=d2"))
        for study in two_studies:
            load(study, lines)
        plain = write("dialogue,source,annotator,value", "=d2,bot,-x,2", name="ratings.csv")
        import_ratings(first, plain, now=timezone.now())
    Rating.objects.filter(batch__study=first).update(free_text=text)
    path = tmp_path / "out.csv"
    path.write_bytes(written(first, "long-csv"))
    Rating.objects.filter(batch__study=second).update(free_text=text)
    import_ratings(second, path, now=timezone.now())
    stored = Rating.objects.get(batch__study=second)
    assert stored.free_text == text
    path.write_bytes(written(first, "long-parquet"))
    assert import_ratings(second, path, now=timezone.now()).counts["ratings_unchanged"] == 1
    assert stored.assignment.participant.pseudonym == "-x"
    assert stored.item.dialogue.key == "=d2"


def test_every_column_is_explained_in_the_docs():
    page = (Path(__file__).parents[3] / "docs" / "researchers.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert {column.name for column in COLUMNS} - named == set()
