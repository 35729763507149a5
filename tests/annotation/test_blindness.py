"""What an annotator's session receives holds no source, reference, hidden reason or foreign answer."""

import html
import json
import re
from collections.abc import Iterator
from itertools import product
from uuid import uuid4

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import URLResolver, get_resolver
from django.utils import timezone

from annotation.models import Assignment, Candidate, Dialogue, Source
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from protocols.models import Explanation, Option
from protocols.specs import spec_of
from tests.cast import Cast, make_cast
from tests.factories import ParticipantFactory, SourceFactory, StudyFactory, make_batch
from tests.factories_protocols import (
    CriterionFactory,
    ExplanationFactory,
    OptionFactory,
    VersionFactory,
    make_scale_version,
    publish,
)
from tests.working import rate_everything, record

pytestmark = pytest.mark.django_db
LINK = re.compile(r"""(?:href|src|action|data-[a-z-]+)=["'](/[^"'#]*)""")
FOREIGN_TEXT = "somebody else thought long about this"


class Session:
    """An annotator's browser that remembers everything it was sent."""

    def __init__(self, cast: Cast) -> None:
        self.client = Client()
        self.client.force_login(cast.annotator.user)
        self.received: list[tuple[str, str]] = []

    def get(self, url: str) -> str:
        return self._keep(url, self.client.get(url))

    def post(self, url: str, data: dict, **kwargs) -> str:
        return self._keep(f"POST {url}", self.client.post(url, data, **kwargs))

    def _keep(self, url: str, response) -> str:
        assert response.status_code < 500, url
        body = b"".join(response) if response.streaming else response.content
        cookies = response.cookies.output()
        text = f"{response.headers} {cookies} {html.unescape(body.decode('utf-8', 'replace'))}"
        self.received.append((url, text))
        return text if "Location" not in response.headers else text + f' href="{response["Location"]}"'

    def crawl(self, *starts: str) -> set[str]:
        """Follow every link of every page, as long as there are new ones."""
        seen: set[str] = set()
        front = set(starts)
        while front:
            url = front.pop()
            seen.add(url)
            if not url.startswith(("/static/", "/accounts/")):
                front |= {html.unescape(found) for found in LINK.findall(self.get(url))} - seen
        return seen


@pytest.fixture
def cast(db: None) -> Cast:
    """The usual people under a protocol whose hidden words nobody would write."""
    version = VersionFactory(order="criterion_first")
    for place, name in enumerate(("appropriateness", "correctness")):
        criterion = CriterionFactory(version=version, key=name, position=place)
        for at, (role, asks) in enumerate(
            (("positive", "explanation"), ("negative", "explanation"), ("unsure", "free_text"))
        ):
            option = OptionFactory(
                criterion=criterion, key=f"zzoption{place}{at}", label=f"Answer {at}", role=role, asks=asks, position=at
            )
            if asks == "explanation":
                hidden = f"zzreason{place}{at}"
                ExplanationFactory(option=option, key=hidden, sub_dimension=f"Zzsub{place}{at}", position=0)
    return make_cast(protocol_version=publish(version))


@pytest.fixture
def secrets(cast: Cast) -> set[str]:
    """Make everything hidden recognisable, and rate the batch as somebody else."""
    for number, source in enumerate(Source.objects.all()):
        source.key, source.name = f"zzkey{number}secret", f"Zzname{number}Secret"
        source.save()
    Dialogue.objects.update(metadata={"zzmetadata": "zzvalue"})
    Candidate.objects.update(metadata={"zzmetadata": "zzvalue"})
    other = claim_seat(cast.annotators[1], cast.batch, now=timezone.now())
    rate_everything(other, now=timezone.now())
    _explain(other)
    hidden = {word for row in _explanations(cast).values_list("key", "sub_dimension") for word in row}
    sources = {word for row in Source.objects.values_list("key", "name") for word in row}
    people = {cast.annotators[1].pseudonym, cast.annotators[1].user.username, "is_reference"}
    keys = set(Candidate.objects.values_list("key", flat=True)) | {"zzmetadata", "zzvalue", "sub_dimension"}
    keys |= set(Option.objects.filter(criterion__version=cast.study.protocol_version).values_list("key", flat=True))
    return hidden | sources | people | keys | {FOREIGN_TEXT}


def _explanations(cast: Cast) -> QuerySet[Explanation]:
    return Explanation.objects.filter(option__criterion__version=cast.study.protocol_version)


def _explain(assignment: Assignment) -> None:
    criterion = spec_of(assignment.batch.study.protocol_version).by_key["appropriateness"]
    unsure = criterion.options[2].code
    item = assignment.batch.items.all()[0].token
    record(assignment, Submission(item, criterion.key, Given(unsure, (), FOREIGN_TEXT), uuid4()), now=timezone.now())


def leaks(session: Session, secrets: set[str]) -> list[tuple[str, str]]:
    patterns = {word: re.compile(rf"(?<![a-z]){re.escape(word)}(?![a-z])", re.IGNORECASE) for word in secrets}
    return [(url, word) for url, text in session.received for word, found in patterns.items() if found.search(text)]


def test_no_page_from_the_list_of_work_to_the_thanks_tells_anything(cast: Cast, secrets: set[str]):
    session = Session(cast)
    session.get("/work/")
    session.post(f"/work/claim/{cast.batch.token}/", {})
    assignment = Assignment.objects.get(participant=cast.annotator)
    visited = session.crawl("/", "/work/", f"/work/{assignment.token}/", f"/work/{assignment.token}/submit/")
    for position in (0, 1):
        session.get(f"/work/{assignment.token}/{position}/")
        visited |= {session.get(f"/work/{assignment.token}/{position}/{number}/") for number in range(7)}
    _answer_everything(session, assignment)
    session.get(f"/work/{assignment.token}/submit/")
    session.post(f"/work/{assignment.token}/submit/", {"feedback": "Fine."})
    session.get(f"/work/{assignment.token}/thanks/")
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.SUBMITTED
    assert len(session.received) > 30
    assert leaks(session, secrets) == []


def _answer_everything(session: Session, assignment: Assignment) -> None:
    criteria = spec_of(assignment.batch.study.protocol_version).criteria
    for criterion, item in product(criteria, assignment.batch.items.all()):
        body = {
            "assignment": str(assignment.token),
            "item": str(item.token),
            "criterion": criterion.key,
            "option": "2",
            "explanations": [each.code for each in criterion.options[1].explanations],
            "client_key": str(uuid4()),
        }
        session.post("/api/v1/answers/", json.dumps(body), content_type="application/json")


def test_pages_of_whole_dialogues_name_no_source_and_no_scenario(cast: Cast):
    version = make_scale_version(1, unit="dialogue")
    study = StudyFactory(protocol_version=version)
    batch = make_batch(study, n_sources=0)
    source = SourceFactory(study=study, key="zzkeysecret", name="Zznamesecret")
    study.dialogues.update(source=source, scenario="zzscenario")
    batch.items.update(source=source)
    participant = ParticipantFactory(study=study, user=cast.annotator.user)
    session = Session(cast)
    assignment = claim_seat(participant, batch, now=timezone.now())
    rate_everything(assignment, now=timezone.now())
    session.crawl("/work/", f"/work/{assignment.token}/", f"/work/{assignment.token}/submit/")
    session.post(f"/work/{assignment.token}/submit/", {"feedback": ""})
    session.get(f"/work/{assignment.token}/thanks/")
    assert len(session.received) > 10
    assert leaks(session, {source.key, source.name, "zzscenario"}) == []


def test_refusals_tell_nothing_either(cast: Cast, secrets: set[str]):
    session = Session(cast)
    assignment = claim_seat(cast.annotator, cast.batch, now=timezone.now())
    for changed in ({"option": "9"}, {"explanations": ["z"]}, {"criterion": "none"}, {"item": str(uuid4())}, {}):
        body = {
            "assignment": str(assignment.token),
            "item": str(cast.batch.items.all()[0].token),
            "criterion": "appropriateness",
            "option": "3",
            "client_key": str(uuid4()),
        }
        session.post("/api/v1/answers/", json.dumps(body | changed), content_type="application/json")
    assert leaks(session, secrets) == []


def test_no_address_of_the_site_opens_for_an_annotator_what_is_hidden(cast: Cast, secrets: set[str]):
    session = Session(cast)
    for url in sorted(set(addresses(get_resolver(), cast))):
        session.get(url)
    assert len(session.received) > 40
    assert leaks(session, secrets) == []


def addresses(resolver: URLResolver, cast: Cast, before: str = "/") -> Iterator[str]:
    """Every route of the site with the study's, batch's and people's own values put in; the admin stands for itself."""
    for entry in resolver.url_patterns:
        path = before + str(entry.pattern).lstrip("^").rstrip("$")
        if isinstance(entry, URLResolver):
            if "admin" not in path and "accounts" not in path:
                yield from addresses(entry, cast, path)
        elif entry.name != "api_schema":  # the schema is the same for everybody and names roles
            yield re.sub(r"<(?:(\w+):)?(\w+)>", lambda found: _value(found, cast), path)


def _value(found: re.Match, cast: Cast) -> str:
    values = {"slug": cast.study.slug, "key": cast.batch.key, "table": "votes", "ending": "csv"}
    values |= {"position": "0", "number": "1", "pk": "1"}
    if found[1] == "uuid":
        return str(cast.batch.token)
    return values.get(found[2], cast.study.join_token)
