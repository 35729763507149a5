import copy

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.services.researchers import admit
from protocols.bundles import dump_bundle
from protocols.models import Criterion, Option, Protocol, ProtocolVersion
from tests.factories import UserFactory
from tests.protocols.admin_page import faults, parts, typed
from tests.protocols.conftest import SMALL

ADD = "admin:protocols_protocolversion_add"
SCALE = [{"key": str(n), "label": str(n), "role": "neutral", "asks": "nothing", "value": n} for n in (1, 2, 3)]


@pytest.fixture
def client(db) -> Client:
    """Of an account that is a researcher and nothing else."""
    user: User = UserFactory(username="ada")
    admit(user)
    client = Client(raise_request_exception=True)
    client.force_login(user)
    return client


def page(model, name, *args):
    return reverse(f"admin:protocols_{model._meta.model_name}_{name}", args=args)


def change_page(row):
    return page(type(row), "change", row.pk)


def new_page(client: Client, criteria: list, **fields: object) -> dict:
    return typed(client.get(reverse(ADD))) | {"name": "Tone", "slug": "tone"} | parts("criteria", criteria) | fields


def filled_in(criterion: dict) -> dict:
    """With what a form always sends."""
    return {"kind": "single", "scale": "nominal", "required": "on"} | criterion


def small_criteria() -> list:
    (criterion,) = copy.deepcopy(SMALL["criteria"])
    criterion["options"] = [{"asks": "nothing"} | option for option in criterion["options"]]
    return [filled_in(criterion)]


def two_criteria() -> list:
    return [
        filled_in({"key": "tone", "name": "Tone", "question": "Which tone?", "options": copy.deepcopy(SCALE)}),
        filled_in({"key": "why", "name": "Why", "question": "Why so?", "options": copy.deepcopy(SCALE)}),
    ]


# --- looking ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("model", [Protocol, ProtocolVersion])
def test_every_list_can_be_browsed(client, frozen, model):
    assert client.get(page(model, "changelist")).status_code == 200


def test_a_protocol_leads_to_its_versions(client, frozen):
    assert change_page(frozen) in client.get(change_page(frozen.protocol)).content.decode()


def test_a_published_version_is_shown_with_the_reason_and_offers_no_change(client, frozen):
    html = client.get(change_page(frozen)).content.decode()

    assert "To make changes, create a new draft from it" in html
    assert "A: Hello" in html, "a worked example is shown as it is typed"
    assert "yes | Hello there | It greets back." in html
    for sign in ('name="_save"', 'name="_publish"', "<textarea", "deletelink", "djn-remove-handler"):
        assert sign not in html
    assert client.post(change_page(frozen), {}).status_code == 403
    assert client.post(page(ProtocolVersion, "delete", frozen.pk), {"post": "yes"}).status_code == 403


def test_a_page_of_many_parts_takes_few_queries(client, he_bundle, django_assert_max_num_queries):
    from protocols.services import store_bundle
    from tests.protocols.conftest import NOW

    version = store_bundle(he_bundle, publish=False, now=NOW)[0]
    with django_assert_max_num_queries(80):
        client.get(change_page(version))


def test_the_name_of_a_published_protocol_is_read_only(client, frozen):
    assert 'name="name"' not in client.get(change_page(frozen.protocol)).content.decode()


def test_status_hash_and_time_are_never_fields_of_a_form(client, draft):
    html = client.get(change_page(draft)).content.decode()
    for name in ("status", "sha256", "published_at"):
        assert f'name="{name}"' not in html


def test_a_published_version_is_shown_in_the_words_of_a_draft(client, frozen):
    html = client.get(change_page(frozen)).content.decode()

    for said in ("What is rated:", "Each response", "Role in the report", "One of the answers"):
        assert said in html
    assert "Criterion first" not in html


def test_to_add_a_protocol_is_to_add_its_first_version(client):
    answer = client.get(page(Protocol, "add"))

    assert (answer.status_code, answer["Location"]) == (302, reverse(ADD))


def test_a_protocol_without_a_version_leads_to_its_first(client):
    protocol = Protocol.objects.create(slug="empty", name="Empty")

    assert f"{reverse(ADD)}?protocol={protocol.pk}" in client.get(change_page(protocol)).content.decode()
    form = client.get(reverse(ADD), {"protocol": protocol.pk}).context["adminform"].form
    assert form["protocol"].value() == str(protocol.pk)


# --- making ----------------------------------------------------------------------------------------
def test_a_protocol_from_scratch_is_stored_with_all_of_its_parts(client):
    answer = client.post(
        reverse(ADD), new_page(client, small_criteria(), name="Small protocol", slug="small", version="1.0")
    )

    assert answer.status_code == 302, faults(answer)
    (version,) = ProtocolVersion.objects.all()
    stored = dump_bundle(version)
    assert (stored["protocol"], stored["name"], stored["version"]) == ("small", "Small protocol", "1.0")
    (criterion,) = stored["criteria"]
    assert [option["key"] for option in criterion["options"]] == ["yes", "no"]
    assert criterion["options"][1]["explanations"] == [
        {"key": "dull", "text": "It bores.", "sub_dimension": "Dullness"}
    ]
    assert criterion["examples"][0]["history"] == [{"speaker": "A", "text": "Hello"}]
    (candidate,) = criterion["examples"][0]["candidates"]
    wanted = {"text": "Hello there", "option": "yes", "why": "It greets back.", "speaker": "", "explanations": []}
    assert candidate == wanted


def test_it_is_published_with_the_same_press(client):
    answer = client.post(reverse(ADD), new_page(client, small_criteria(), _publish="1", is_sure="on"), follow=True)

    assert ProtocolVersion.objects.get().status == "published"
    assert "Tone 0.1 is published." in answer.content.decode()
    assert "published and cannot be changed" in answer.content.decode()


def test_it_is_not_published_before_somebody_is_sure(client):
    answer = client.post(reverse(ADD), new_page(client, small_criteria(), _publish="1"))

    assert "To publish, tick the box beside “Save and publish”" in answer.content.decode()
    assert not ProtocolVersion.objects.exists()


def test_a_draft_shows_what_is_often_a_mistake(client, draft):
    html = client.get(change_page(draft)).content.decode()

    assert "criterion 1: There is no option for annotators who cannot tell." in html


def test_keys_that_are_left_empty_are_made_from_the_names(client):
    criteria = two_criteria()
    for criterion in criteria:
        criterion |= {"key": "", "name": "How polite?"}
        criterion["options"] = [option | {"key": ""} for option in criterion["options"]]
    criteria[1]["name"] = "How polite"

    answer = client.post(reverse(ADD), new_page(client, criteria, slug=""))

    assert answer.status_code == 302, faults(answer)
    assert Protocol.objects.get().slug == "tone"
    assert [each.key for each in Criterion.objects.all()] == ["how-polite", "how-polite-2"]
    assert [each.key for each in Option.objects.filter(criterion__key="how-polite")] == ["1", "2", "3"]


def test_criteria_and_answers_may_be_named_as_annotators_read_them(client):
    criteria = two_criteria()
    criteria[0] |= {"key": "", "name": "Tone of voice", "options": [{"label": "Kind"}, {"label": "Rude"}]}
    criteria[0]["options"] = [{"role": "neutral", "asks": "nothing"} | option for option in criteria[0]["options"]]
    criteria[0]["examples"] = [{"title": "Thanks", "history": "A: Thanks", "candidates": "kind | You are welcome"}]
    criteria[1]["when"] = "Tone of voice = Rude"

    answer = client.post(reverse(ADD), new_page(client, criteria))

    assert answer.status_code == 302, faults(answer)
    first, second = dump_bundle(ProtocolVersion.objects.get())["criteria"]
    assert [each["option"] for each in first["examples"][0]["candidates"]] == ["kind"]
    assert second["when"] == [{"criterion": "tone-of-voice", "options": ["rude"]}]


def test_the_reasons_of_an_example_response_are_typed_behind_it_by_their_names_in_the_report(client):
    criteria = small_criteria()
    criteria[0]["examples"][0]["candidates"] = "No | So what? | It greets nobody. | dullness\nyes | Hi"
    criteria[0]["options"][1]["explanations"].append({"key": "", "text": "It is rude.", "sub_dimension": "Insult"})

    answer = client.post(reverse(ADD), new_page(client, criteria))

    assert answer.status_code == 302, faults(answer)
    version = ProtocolVersion.objects.get()
    first, second = dump_bundle(version)["criteria"][0]["examples"][0]["candidates"]
    assert (first["option"], first["explanations"]) == ("no", ["dull"])
    assert (second["option"], second["explanations"]) == ("yes", [])
    shown = typed(client.get(change_page(version)))["criteria-0-examples-0-candidates"]
    assert shown == "no | So what? | It greets nobody. | dull\nyes | Hi"


def test_a_reason_that_the_answer_of_an_example_does_not_have_is_refused(client):
    found = refused(client, small_criteria(), **{"criteria-0-examples-0-candidates": "yes | Hi | | Dullness"})

    assert "Dullness, which is not an explanation of this option" in str(found["criteria-0-examples-0-candidates"])


def test_dimensions_are_typed_as_lines(client):
    data = new_page(client, small_criteria(), dimensions="Warmth: How kind it is.\nDepth: How far it goes.")

    assert client.post(reverse(ADD), data).status_code == 302
    (version,) = ProtocolVersion.objects.all()
    assert [each["name"] for each in version.dimensions] == ["Warmth", "Depth"]
    assert typed(client.get(change_page(version)))["dimensions"].startswith("Warmth: How kind it is.")


def test_a_new_version_joins_a_protocol_that_exists(client, frozen):
    data = new_page(client, small_criteria(), name="", slug="", protocol=frozen.protocol_id, version="2.0")

    assert client.post(reverse(ADD), data).status_code == 302
    assert frozen.protocol.versions.count() == 2


def test_neither_a_taken_key_nor_a_taken_version_replaces_anything(client, frozen):
    taken = client.post(reverse(ADD), new_page(client, small_criteria(), slug="small"))
    again = client.post(
        reverse(ADD), new_page(client, small_criteria(), name="", slug="", protocol=frozen.protocol_id, version="1.0")
    )

    assert "Is the key of an existing protocol" in str(faults(taken)["slug"])
    assert "version" in faults(again)
    assert ProtocolVersion.objects.count() == 1


def test_a_protocol_needs_a_name_or_one_that_exists(client):
    assert "name" in faults(client.post(reverse(ADD), new_page(client, small_criteria(), name="", slug="")))


# --- changing --------------------------------------------------------------------------------------
def test_a_draft_is_saved_as_it_stands_on_the_page(client, draft):
    before = dump_bundle(draft)

    assert client.post(change_page(draft), typed(client.get(change_page(draft)))).status_code == 302
    assert dump_bundle(ProtocolVersion.objects.get()) == before


def test_two_parts_change_places_by_their_numbers(client, draft):
    data = typed(client.get(change_page(draft)))
    data |= {"criteria-0-options-0-position": 2, "criteria-0-options-1-position": 1}

    assert client.post(change_page(draft), data).status_code == 302
    assert [(each.key, each.position) for each in Option.objects.all()] == [("no", 1), ("yes", 2)]


def test_a_criterion_is_deleted_with_its_parts(client):
    client.post(reverse(ADD), new_page(client, two_criteria()))
    draft = ProtocolVersion.objects.get()
    data = typed(client.get(change_page(draft))) | {"criteria-0-DELETE": "on"}

    assert client.post(change_page(draft), data).status_code == 302
    assert [each.key for each in Criterion.objects.all()] == ["why"]
    assert Option.objects.count() == 3


def test_what_somebody_else_has_saved_meanwhile_is_not_overwritten(client, draft):
    data = typed(client.get(change_page(draft))) | {"welcome": "Mine"}
    ProtocolVersion.objects.filter(pk=draft.pk).update(welcome="Theirs")

    answer = client.post(change_page(draft), data)

    assert "Somebody else has saved this draft" in answer.content.decode()
    assert ProtocolVersion.objects.get().welcome == "Theirs"


def test_a_draft_is_deleted_with_its_parts_and_a_published_version_is_not(admin_client, draft):
    assert admin_client.post(page(ProtocolVersion, "delete", draft.pk), {"post": "yes"}).status_code == 302
    assert not ProtocolVersion.objects.exists()
    assert not Option.objects.exists()


def test_a_published_version_cannot_be_deleted_by_the_action(admin_client, frozen):
    act(admin_client, "delete_selected", frozen, post="yes")
    assert ProtocolVersion.objects.filter(pk=frozen.pk).exists()


def test_a_new_draft_is_made_of_a_published_version(client, frozen):
    answer = client.post(reverse("admin:protocols_protocolversion_draft", args=[frozen.pk]), follow=True)

    draft = ProtocolVersion.objects.get(status="draft")
    assert (draft.version, draft.parent) == ("1.1", frozen)
    assert answer.redirect_chain[-1][0] == change_page(draft)


# --- faults ----------------------------------------------------------------------------------------
def refused(client: Client, criteria: list, **fields: object) -> dict[str, list[str]]:
    answer = client.post(reverse(ADD), new_page(client, criteria, **fields))
    assert answer.status_code == 200
    assert not ProtocolVersion.objects.exists(), "nothing is saved where there is a fault"
    return faults(answer)


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"when": [{"criterion": "none", "options": ["1"]}]}, "criteria-1-when", "none"),
        ({"when": [{"criterion": "tone", "options": ["9"]}]}, "criteria-1-when", "not an option here"),
        ({"key": "tone"}, "criteria-1-key", "used twice"),
        ({"scale": "ordinal", "options": [o | {"value": ""} for o in SCALE]}, "criteria-1-options-0-value", "missing"),
        ({"options": SCALE[:1]}, "criteria-1-options", "At least 2".lower()),
        ({"kind": "computed"}, "criteria-1-rules", "0 entries"),
        ({"question": ""}, "criteria-1-question", "required"),
    ],
)
def test_a_fault_stands_beside_its_field_and_nothing_is_saved(client, change, field, said):
    criteria = two_criteria()
    criteria[1] |= change

    found = refused(client, criteria)

    assert said in str(found[field]).lower()


def test_all_faults_of_a_page_are_said_at_once_and_none_contradicts_another(client):
    criteria = two_criteria()
    criteria[0]["options"][0] |= {"key": "Too Casual!"}
    criteria[0]["examples"] = [{"title": "Thanks", "history": "A: Thanks", "candidates": "Too posh | You are welcome"}]
    criteria[1] |= {"scale": "ordinal", "when": "Manners = good", "question": ""}
    criteria[1]["options"][0] |= {"value": ""}
    criteria[1]["options"][2] |= {"value": 2}

    found = refused(client, criteria)

    assert {field: said for field, (said,) in found.items()} == {
        "criteria-0-options-0-key": "“Too Casual!” is not a key. Use lowercase letters, digits, - and _, or leave it "
        "empty. For example: too-casual",
        "criteria-0-examples-0-candidates": "Line 1, option: Is Too posh, which is not an option here. "
        "Expected: one of: 1, 2, 3.",
        "criteria-1-question": "This field is required.",
        "criteria-1-options-0-value": "Is missing on an ordinal or interval scale. Expected: a number.",
        "criteria-1-options-2-value": "2 is used twice. Expected: a different one for each.",
        "criteria-1-when": "Line 1, criterion: Is Manners, which is not a criterion. Expected: one of: tone.",
    }


def test_a_field_that_cannot_be_read_is_told_one_fault(client):
    found = refused(client, two_criteria(), slug="Big Tone", version="", **{"criteria-0-options-0-value": "many"})

    assert {field: len(said) for field, said in found.items()} == {
        "slug": 1, "version": 1, "criteria-0-options-0-value": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    ("history", "said"),
    [('[{"who": "A"}]', "who"), ("Hello", "names no speaker"), ("A:", "empty")],
)
def test_a_dialogue_that_cannot_be_read_is_refused(client, history, said):
    found = refused(client, small_criteria(), **{"criteria-0-examples-0-history": history})

    assert said in str(found["criteria-0-examples-0-history"])


def test_translations_are_checked_too(client):
    assert "translations" in refused(client, small_criteria(), translations='{"it": {"criteria": {"none": {}}}}')
    assert "This is not JSON" in str(refused(client, small_criteria(), translations="it: Calore")["translations"])


def test_reasons_that_would_never_show_are_refused(client):
    criteria = small_criteria()
    criteria[0]["options"][1]["asks"] = "nothing"

    assert "criteria-0-options-1-asks" in refused(client, criteria)


# --- publishing from the list ------------------------------------------------------------------------
def act(client, action, version, **more):
    data = {"action": action, "_selected_action": [version.pk], **more}
    return client.post(page(ProtocolVersion, "changelist"), data, follow=True).content.decode()


def test_a_draft_is_published_by_the_action(client, draft):
    assert "Small protocol 1.0 is published" in act(client, "publish", draft)
    assert ProtocolVersion.objects.get().status == "published"


def test_a_draft_with_faults_is_not_published_and_says_why(client, draft):
    Option.objects.filter(key="no").update(asks="nothing")
    assert "was not published" in act(client, "publish", draft)
    assert ProtocolVersion.objects.get().status == "draft"
