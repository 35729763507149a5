"""create_study and bootstrap."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import AgreementSnapshot, Rating, Study
from protocols.models import ProtocolVersion
from protocols.selectors import BUILTIN
from tests.factories import UserFactory
from tests.factories_protocols import make_he_version

pytestmark = pytest.mark.django_db
BASE = "http://rate.example"


def run(*args, **options) -> str:
    out = StringIO()
    call_command(*args, stdout=out, **options)
    return out.getvalue()


# --- create_study ---------------------------------------------------------------------------------
@pytest.fixture
def version():
    return make_he_version(protocol__slug="he-protocol", version="1.0")


def test_a_study_is_created_once(version):
    assert "created" in run("create_study", "talks", protocol="he-protocol", seats=7)
    assert "unchanged" in run("create_study", "talks", protocol="he-protocol@1.0", seats=3)

    study = Study.objects.get()
    assert (study.name, study.seats, study.protocol_version) == ("Talks", 7, version)


def test_another_protocol_for_the_same_slug_is_an_error(version):
    make_he_version(protocol=version.protocol, version="2.0")
    run("create_study", "talks", protocol="he-protocol@1.0")

    with pytest.raises(CommandError, match=r"follows he-protocol 1\.0, not he-protocol 2\.0"):
        run("create_study", "talks", protocol="he-protocol@2.0")


def test_the_first_superuser_owns_it_unless_somebody_is_named(version):
    first = User.objects.create_superuser("root")
    UserFactory(username="ada")

    run("create_study", "one", protocol="he-protocol")
    run("create_study", "two", protocol="he-protocol", owner="ada")

    owners = {each.study.slug: each.user for each in first.memberships.model.objects.all()}
    assert owners == {"one": first, "two": User.objects.get(username="ada")}


def test_without_any_superuser_a_study_has_no_owner_yet(version):
    run("create_study", "talks", protocol="he-protocol")

    assert not Study.objects.get().memberships.exists()


def test_a_dry_run_creates_nothing(version):
    assert "would be created" in run("create_study", "talks", protocol="he-protocol", dry_run=True)
    assert not Study.objects.exists()


def test_a_bundle_file_is_a_protocol_too():
    run("create_study", "talks", protocol=str(BUILTIN / "he-protocol-1.0.yaml"))

    assert Study.objects.get().protocol_version.status == ProtocolVersion.Status.PUBLISHED


def test_a_dry_run_with_a_bundle_stores_no_protocol_either():
    run("create_study", "talks", protocol=str(BUILTIN / "he-protocol-1.0.yaml"), dry_run=True)

    assert not ProtocolVersion.objects.exists()


@pytest.mark.parametrize(
    ("slug", "options", "said"),
    [
        ("talks", {"protocol": "nothing"}, "no protocol nothing"),
        ("talks", {"protocol": "nothing.yaml"}, "no file"),
        ("talks", {"owner": "nobody"}, "no account nobody"),
        ("talks", {"seats": 0}, "seat"),
        ("two words", {}, "slug"),
        ("new", {}, "Choose another slug"),
    ],
)
def test_what_is_wrong_is_said(version, slug, options, said):
    with pytest.raises(CommandError, match=said):
        run("create_study", slug, **{"protocol": "he-protocol"} | options)


# --- bootstrap ------------------------------------------------------------------------------------
def password_in(said: str) -> str:
    return said.partition("password ")[2].split(maxsplit=1)[0]


def test_the_first_start_makes_an_owner_and_a_study_and_says_where_to_go():
    said = run("bootstrap", base_url=f"{BASE}/")

    study = Study.objects.get(slug="sample")
    for path in (f"/join/{study.join_token}/", "/studies/sample/board/", "/admin/"):
        assert f"{BASE}{path}\n" in said
    owner = User.objects.get(username="owner")
    assert owner.is_superuser
    assert owner.check_password(password_in(said))
    assert study.memberships.get().user == owner


def test_later_starts_change_nothing_and_keep_the_password_to_themselves():
    password = password_in(run("bootstrap", base_url=BASE))
    before = list(Study.objects.values()), Rating.objects.count(), User.objects.count()

    said = run("bootstrap", base_url="http://elsewhere")

    assert "password" not in said
    assert password not in said
    assert "http://elsewhere/join/" in said
    assert before == (list(Study.objects.values()), Rating.objects.count(), User.objects.count())


def test_the_sample_study_can_be_joined_and_rated_and_has_figures():
    run("bootstrap", base_url=BASE)

    study = Study.objects.get(slug="sample")
    assert (study.status, study.seats, study.is_joinable, study.is_clearing_on_join) == ("open", 3, True, True)
    batches = list(study.batches.all())
    assert [(batch.status, batch.n_items) for batch in batches] == [("open", 9), ("open", 9)]
    assert [batch.seats.filter(assignment=None).count() for batch in batches] == [1, 1]
    assert study.sources.filter(is_reference=True).get().key == "ground_truth"
    assert Rating.objects.filter(batch__study=study).count() == 144
    assert AgreementSnapshot.objects.get(study=study, batch=None).n_ratings == 144
    assert "Sample data" in study.description
    assert {each.pseudonym for each in study.participants.all()} == {"simulated-1", "simulated-2"}


def test_a_visitor_of_the_sample_study_reads_the_guidelines_and_is_rating(client):
    run("bootstrap", base_url=BASE)
    study = Study.objects.get(slug="sample")

    invitation = client.get(reverse("join", args=[study.join_token])).content.decode()
    assert not [name for name in study.sources.values_list("name", flat=True) if name in invitation]
    client.post(reverse("join", args=[study.join_token]))
    batch = study.batches.first()
    page = client.post(reverse("claim", args=[batch.token]), {"has_read": "1"}, follow=True)

    assert page.status_code == 200
    assert page.resolver_match.url_name == "rate"


def test_an_installation_with_an_owner_of_its_own_gets_no_second_one(version):
    User.objects.create_superuser("root")

    said = run("bootstrap", base_url=BASE)

    assert not User.objects.filter(username="owner").exists()
    assert "/admin/" in said
