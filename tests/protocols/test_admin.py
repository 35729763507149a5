import pytest
from django.urls import reverse

from protocols.models import Criterion, Option, Protocol, ProtocolVersion

MODELS = [Protocol, ProtocolVersion, Criterion, Option]


def page(model, name, *args):
    return reverse(f"admin:protocols_{model._meta.model_name}_{name}", args=args)


def change_page(row):
    return page(type(row), "change", row.pk)


@pytest.mark.parametrize("model", MODELS)
def test_every_list_can_be_browsed(admin_client, frozen, model):
    assert admin_client.get(page(model, "changelist")).status_code == 200


@pytest.mark.parametrize("model", [ProtocolVersion, Criterion, Option])
def test_pages_of_a_published_version_offer_no_change(admin_client, frozen, model):
    for row in model.objects.all():
        html = admin_client.get(change_page(row)).content.decode()
        assert 'name="_save"' not in html
        assert "<textarea" not in html
        assert "deletelink" not in html
        assert admin_client.post(change_page(row), {}).status_code == 403
        assert admin_client.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("model", [ProtocolVersion, Criterion, Option])
def test_pages_of_a_draft_can_be_saved(admin_client, draft, model):
    for row in model.objects.all():
        assert 'name="_save"' in admin_client.get(change_page(row)).content.decode()


def test_a_published_version_leads_to_its_parts(admin_client, frozen):
    html = admin_client.get(change_page(frozen)).content.decode()
    assert change_page(frozen.criteria.get()) in html


@pytest.mark.parametrize("model", [Criterion, Option])
def test_parts_are_added_on_the_page_of_their_parent_only(admin_client, draft, model):
    assert admin_client.get(page(model, "add")).status_code == 403


def test_a_draft_can_be_edited_with_its_parts(admin_client, draft):
    option = Option.objects.get(key="no")
    (explanation,) = option.explanations.all()
    form = {
        "key": "no", "label": "Nope", "definition": "", "role": "negative", "value": "", "asks": "explanation",
        "position": 2, "explanations-TOTAL_FORMS": 1, "explanations-INITIAL_FORMS": 1,
        "explanations-0-id": explanation.pk, "explanations-0-option": option.pk, "explanations-0-key": "dull",
        "explanations-0-text": "It sends me to sleep.", "explanations-0-sub_dimension": "Dullness",
        "explanations-0-position": 1,
    }  # fmt: skip
    assert admin_client.post(change_page(option), form).status_code == 302
    option.refresh_from_db()
    assert (option.label, option.explanations.get().text) == ("Nope", "It sends me to sleep.")


def act(client, action, version):
    return client.post(
        page(ProtocolVersion, "changelist"), {"action": action, "_selected_action": [version.pk]}, follow=True
    ).content.decode()


def test_a_draft_is_published_by_the_action(admin_client, draft):
    assert "Small 1.0 is published" in act(admin_client, "publish", draft)
    assert ProtocolVersion.objects.get().status == "published"


def test_a_draft_with_faults_is_not_published_and_says_why(admin_client, draft):
    Option.objects.filter(key="no").update(asks="nothing")
    assert "is not published" in act(admin_client, "publish", draft)
    assert ProtocolVersion.objects.get().status == "draft"


def test_a_published_version_cannot_be_deleted_by_the_action(admin_client, frozen):
    act(admin_client, "delete_selected", frozen)
    assert ProtocolVersion.objects.filter(pk=frozen.pk).exists()


def test_the_name_of_a_published_protocol_is_read_only(admin_client, frozen):
    html = admin_client.get(change_page(frozen.protocol)).content.decode()
    assert 'name="name"' not in html


def test_status_hash_and_time_are_never_fields_of_a_form(admin_client, draft):
    html = admin_client.get(change_page(draft)).content.decode()
    for name in ("status", "sha256", "published_at"):
        assert f'name="{name}"' not in html
