"""Studies of any size in seconds: rows made inside PostgreSQL, people and seats through Parley's own services."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from annotation.models import Assignment, Batch, Item, Membership, Participant, Rating, Source, Study
from annotation.services.agreement import rebuild_study
from annotation.services.claiming import claim_seat
from bench.load import Client, Request
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, spec_of

N_SOURCES = 5
TURNS = [
    "Last week I said I was afraid of the exam. It went well, but I am still tired and I hardly sleep.",
    "That sounds like a long week. What is it that keeps you awake when you lie down in the evening?",
    "Mostly I go through the questions again and think of everything I should have written instead.",
    "And is there somebody you can talk to about it, or do you keep these thoughts to yourself?",
]
RESPONSE = "Perhaps it helps to write them down before you go to bed, so that they can wait until the morning."


@dataclass(frozen=True, slots=True)
class Shape:
    """`n_responses`: sources that answer each dialogue; `n_votes`: rated already, by annotators who have finished."""

    n_dialogues: int
    per_batch: int
    n_responses: int = 1
    n_votes: int = 0
    seats: int = 3


# Each names the study %(study)s; foreign keys are known to hold, so their checks are left out.
MATERIAL = (
    """INSERT INTO annotation_dialogue
        (study_id, key, conversation, position, turns, metadata, batch_key, digest, is_textless)
    SELECT %(study)s, 'd' || n, 'd' || n, n, %(turns)s::jsonb, '{}', '', repeat('0', 64), false
    FROM generate_series(0, %(n_dialogues)s - 1) n""",
    """INSERT INTO annotation_candidate (dialogue_id, source_id, key, text, metadata)
    SELECT d.id, s.id, 'c' || d.position || '-' || n, %(response)s, '{}'
    FROM annotation_dialogue d CROSS JOIN generate_series(0, %(n_responses)s - 1) n
    JOIN annotation_source s ON s.study_id = d.study_id AND s.position = (d.position + n) %% %(n_sources)s
    WHERE d.study_id = %(study)s""",
    """INSERT INTO annotation_batch (study_id, key, token, kind, status, position, n_items, ratings_version, created_at)
    SELECT %(study)s, 'b' || n, gen_random_uuid(), 'main', 'open', n, %(per_batch)s * %(n_responses)s, 0, now()
    FROM generate_series(0, %(n_dialogues)s / %(per_batch)s - 1) n""",
    """INSERT INTO annotation_item (batch_id, dialogue_id, candidate_id, source_id, token, position)
    SELECT b.id, d.id, c.id, c.source_id, gen_random_uuid(), d.position %% %(per_batch)s
    FROM annotation_candidate c JOIN annotation_dialogue d ON d.id = c.dialogue_id
    JOIN annotation_batch b ON b.study_id = d.study_id AND b.position = d.position / %(per_batch)s
    WHERE d.study_id = %(study)s""",
    """INSERT INTO annotation_seat (batch_id, number)
    SELECT b.id, n FROM annotation_batch b CROSS JOIN generate_series(1, %(seats)s) n WHERE b.study_id = %(study)s""",
)
VOTES = (
    """INSERT INTO annotation_assignment
        (batch_id, participant_id, token, status, seed, claimed_at, submitted_at, feedback, is_imported)
    SELECT b.id, p.id, gen_random_uuid(), 'submitted', 1, now(), now(), '', false
    FROM annotation_batch b JOIN annotation_participant p ON p.study_id = b.study_id WHERE b.study_id = %(study)s""",
    """UPDATE annotation_seat s SET assignment_id = a.id
    FROM (SELECT id, batch_id, row_number() OVER (PARTITION BY batch_id ORDER BY id) AS place
        FROM annotation_assignment) a
    JOIN annotation_batch b ON b.id = a.batch_id AND b.study_id = %(study)s
    WHERE s.batch_id = a.batch_id AND s.number = a.place""",
    """INSERT INTO annotation_rating (assignment_id, item_id, criterion_id, batch_id, option_id, explanations,
        free_text, revision, active_ms, answered_at, created_at, updated_at)
    SELECT a.id, i.id, o.criterion_id, b.id, o.id, '{}', '', 1, 4000, now(), now(), now()
    FROM annotation_batch b
    JOIN annotation_assignment a ON a.batch_id = b.id
    JOIN annotation_item i ON i.batch_id = b.id
    JOIN protocols_criterion c ON c.version_id = %(version)s
    JOIN (SELECT *, row_number() OVER (PARTITION BY criterion_id ORDER BY position) AS place
        FROM protocols_option) o ON o.criterion_id = c.id
        AND o.place = ('{1,1,1,1,1,1,2,2,2,3}'::int[])[1 + (hashint8(i.id * 7 + c.id + a.id %% 3) & 1023) %% 10]
    WHERE b.study_id = %(study)s""",
    "UPDATE annotation_batch SET ratings_version = 1 WHERE study_id = %(study)s",
)


def make_study(slug: str, shape: Shape) -> Study:
    """An open study under the he-protocol; with votes, its figures are computed too."""
    version = ProtocolVersion.objects.filter(protocol__slug="he-protocol").latest("pk")
    fields = {"slug": slug, "name": slug, "status": Study.Status.OPEN, "seats": shape.seats, "seed": 7}
    study = Study.objects.create(protocol_version=version, **fields)
    Source.objects.bulk_create(
        Source(study=study, key=f"s{n}", name=f"Source {n}", is_reference=n == 0, position=n) for n in range(N_SOURCES)
    )
    fill(study, shape, MATERIAL)
    if shape.n_votes:
        make_people(study, shape.n_votes)
        fill(study, shape, VOTES)
        _check_votes(study)
        rebuild_study(study, now=timezone.now())
    return study


def _check_votes(study: Study) -> None:
    """Everybody has answered everything: a figure that was measured on fewer votes than it names would be a lie."""
    n_items = Item.objects.filter(batch__study=study).count()
    wanted = n_items * study.participants.count() * len(spec_of(study.protocol_version).criteria)
    found = Rating.objects.filter(batch__study=study).count()
    if found != wanted:
        raise RuntimeError(f"{study.slug} has {found:,} votes instead of {wanted:,}")


@transaction.atomic
def fill(study: Study, shape: Shape, statements: tuple[str, ...]) -> None:
    turns = [{"speaker": "AB"[at % 2], "text": text} for at, text in enumerate(TURNS)]
    values = {name: getattr(shape, name) for name in Shape.__slots__} | {
        "study": study.pk,
        "version": study.protocol_version_id,
        "n_sources": N_SOURCES,
        "turns": json.dumps(turns),
        "response": RESPONSE,
    }
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement, values)
        cursor.execute("ANALYZE")


def make_people(study: Study, n: int, role: str = Membership.Role.ANNOTATOR) -> list[Participant]:
    """Members who may rate, and have read the guidelines. Without a password: nobody signs in here."""
    first = User.objects.count()
    users = [User(username=f"{study.slug}-{first + at}", password="!") for at in range(n)]
    User.objects.bulk_create(users)
    Membership.objects.bulk_create(Membership(study=study, user=user, role=role) for user in users)
    known = {"status": Participant.Status.CLEARED, "briefed_version": study.protocol_version}
    people = [Participant(study=study, user=user, pseudonym=user.username, **known) for user in users]
    return Participant.objects.bulk_create(people)


def headers_of(user: User) -> dict[str, str]:
    """What a browser sends once the user has signed in."""
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "parley.backends.AccountBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    token = get_random_string(32)
    return {
        "Accept": "*/*",
        "Accept-Encoding": "gzip, deflate, br",
        "Accept-Language": "en",
        "Content-Type": "application/json",
        "Cookie": f"csrftoken={token}; sessionid={store.session_key}",
        "X-CSRFToken": token,
    }


class Annotator:
    """Somebody with a seat, who answers in the order of the screen and begins again at the end."""

    def __init__(self, participant: Participant, batch: Batch) -> None:
        self.headers = headers_of(participant.user)
        self.assignment = claim_seat(participant, batch, now=timezone.now())
        self._requests = _screen(self.assignment)

    def client(self, n_answers: int, path: str = "/api/v1/answers/", *, with_pages: bool = True) -> Client:
        """The next answers; with pages, the next dialogue is fetched where the browser fetches it."""
        taken: list[Request] = []
        while n_answers:
            request = next(self._requests)
            if request.method == "POST":
                taken.append(Request(path, "POST", request.body))
                n_answers -= 1
            elif with_pages:
                taken.append(request)
        return Client(self.headers, taken)


def seat_annotators(study: Study, n: int) -> list[Annotator]:
    """As many annotators, in as few batches as their seats allow."""
    batches = [batch for batch in study.batches.all() for _ in range(study.seats)]
    return [Annotator(who, batch) for who, batch in zip(make_people(study, n), batches[:n], strict=True)]


def _screen(assignment: Assignment) -> Iterator[Request]:
    spec = spec_of(assignment.batch.study.protocol_version)
    items = Item.objects.filter(batch=assignment.batch_id).order_by("position", "pk").values_list("position", "token")
    dialogues = [(at, [token for _, token in group]) for at, group in itertools.groupby(items, key=lambda row: row[0])]
    while True:
        for position, tokens in dialogues:
            yield Request(f"/work/{assignment.token}/{position}/", is_timed=False)
            for criterion, token in itertools.product(spec.criteria, tokens):
                yield Request("", "POST", json.dumps(answer(assignment, criterion, str(token))))


def answer(assignment: Assignment, criterion: CriterionSpec, item: str) -> dict[str, object]:
    option = criterion.options[0]
    return {
        "assignment": str(assignment.token),
        "item": item,
        "criterion": criterion.key,
        "option": option.code,
        "explanations": [option.explanations[0].code] if option.explanations else [],
        "free_text": "",
        "active_ms": 4200,
        "client_key": str(uuid4()),
        "age_ms": 3,
    }
