"""A bundle brought in through its page: checked, stored, or refused with its errors."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from protocols.bundles import write_yaml
from protocols.documents import MAX_BYTES
from protocols.models import Protocol, ProtocolVersion
from tests.protocols.pages import HOSTILE, address, send, text_of


def test_checking_stores_nothing(staff, small):
    answer = send(staff, "check", write_yaml(small))
    assert "No errors found" in text_of(answer)
    assert "There is no option for annotators who cannot tell." in text_of(answer)
    assert "protocol: small" in text_of(answer)
    assert not Protocol.objects.exists()


@pytest.mark.parametrize(("action", "status"), [("draft", "draft"), ("publish", "published")])
def test_a_bundle_is_stored_as_asked(staff, small, action, status):
    assert send(staff, action, json.dumps(small))["Location"] == address("protocol_version")
    assert ProtocolVersion.objects.get().status == status


def test_a_file_is_as_good_as_a_text(staff, small):
    file = SimpleUploadedFile("small.yaml", b"\xef\xbb\xbf" + write_yaml(small).encode())
    assert send(staff, "draft", file=file)["Location"] == address("protocol_version")


def test_errors_are_shown_with_path_message_and_expectation_and_the_text_stays(staff, small):
    small["criteria"][0]["options"][1]["role"] = "wrong"
    for sent in ({"text": write_yaml(small)}, {"file": SimpleUploadedFile("b.yaml", write_yaml(small).encode())}):
        answer = send(staff, "publish", **sent)
        page = text_of(answer)
        assert answer.status_code == 422
        assert "criterion 1, answer 2" in page
        for text in ("criteria[0].options[1].role", "is &quot;wrong&quot;", "one of: positive", "protocol: small"):
            assert text in page, text
    assert not Protocol.objects.exists()


def test_the_same_bundle_again_says_so(staff, frozen, small):
    page = text_of(
        staff.post(reverse("protocol_import"), {"action": "publish", "text": json.dumps(small)}, follow=True)
    )
    assert "already exists here as a published version with the same contents. Nothing was added." in page
    assert "already exists here as a published version with the same contents." in text_of(
        send(staff, "check", json.dumps(small))
    )


def test_other_contents_under_a_version_that_exists_are_refused(staff, frozen, small):
    for action in ("check", "draft", "publish"):
        answer = send(staff, action, json.dumps(small | {"welcome": "Hi"}))
        assert answer.status_code == 422
        assert "already exists with different contents" in text_of(answer)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "Choose a file, or paste a text."),
        ({"text": "a: 1", "file": SimpleUploadedFile("b", b"a: 1")}, "not both"),
        ({"file": SimpleUploadedFile("b", b"\xff")}, "not UTF-8"),
        ({"file": SimpleUploadedFile("b", b"a" * (MAX_BYTES + 1))}, "too large"),
        ({"text": "a" * (MAX_BYTES + 1)}, "too large"),
        ({"text": "a: [1"}, "line 1"),
        ({"text": "extends: ../x.yaml"}, "needs a file"),
        ({"text": f"bundle: 1\nname: '{HOSTILE}"}, "line 2"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(staff, sent, said):
    for each in sent.values():
        getattr(each, "seek", lambda _: None)(0)
    answer = send(staff, "draft", **sent)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert "<img" not in text_of(answer)


def test_line_ends_of_browsers_do_not_count(staff, small):
    small["summary"] = "\n".join("x" for _ in range(1000))
    text = write_yaml(small)
    text += "#" + "y" * (MAX_BYTES - len(text) - 1)
    assert send(staff, "draft", text.replace("\n", "\r\n")).status_code == 302


def test_thousands_of_errors_are_counted_but_not_all_shown(staff, small):
    small["criteria"][0]["options"] = [{} for _ in range(150)]
    page = text_of(send(staff, "check", json.dumps(small)))
    assert page.count('<th scope="row">') == 200
    assert "301 errors found" in page


def test_a_tab_is_named_with_what_to_write_in_its_place(staff):
    page = text_of(send(staff, "check", "bundle: 1\ncriteria:\n\t- key: fit\n"))

    assert "starts with a tab" in page
    assert "spaces: YAML uses them to show what belongs together" in page
