"""A factory for every model, and builders of the few things that are made of many rows."""

from datetime import UTC, datetime, timedelta

import factory
from django.contrib.auth.models import User
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation import models as annotation
from protocols import models as protocols

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class UserFactory(DjangoModelFactory):
    """Without a password: argon2 is slow by design, and `force_login` needs none."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person-{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")


# --- protocols -----------------------------------------------------------------------------------
class ProtocolFactory(DjangoModelFactory):
    class Meta:
        model = protocols.Protocol

    slug = factory.Sequence(lambda n: f"protocol-{n}")
    name = factory.LazyAttribute(lambda protocol: protocol.slug.replace("-", " ").title())


class VersionFactory(DjangoModelFactory):
    """A draft. `publish` it once its criteria are there: a published version is frozen."""

    class Meta:
        model = protocols.ProtocolVersion

    protocol = factory.SubFactory(ProtocolFactory)
    version = factory.Sequence(lambda n: f"1.{n}")
    guidelines_short = "Read the dialogue, then judge the response as the **next** turn."
    guidelines = "# How to rate\n\nRead the whole dialogue first.\n\n- One response at a time.\n- No hurry."


class CriterionFactory(DjangoModelFactory):
    class Meta:
        model = protocols.Criterion

    version = factory.SubFactory(VersionFactory)
    key = factory.Sequence(lambda n: f"criterion-{n}")
    name = factory.LazyAttribute(lambda criterion: criterion.key.replace("-", " ").capitalize())
    question = factory.LazyAttribute(lambda criterion: f"How do you judge the {criterion.name}?")
    definition = "What it means."
    position = factory.Sequence(lambda n: n)


class OptionFactory(DjangoModelFactory):
    class Meta:
        model = protocols.Option

    criterion = factory.SubFactory(CriterionFactory)
    key = factory.Sequence(lambda n: f"option-{n}")
    label = factory.LazyAttribute(lambda option: option.key.replace("-", " ").capitalize())
    role = protocols.Option.Role.POSITIVE
    position = factory.Sequence(lambda n: n)


class ExplanationFactory(DjangoModelFactory):
    class Meta:
        model = protocols.Explanation

    option = factory.SubFactory(OptionFactory)
    key = factory.Sequence(lambda n: f"explanation-{n}")
    text = factory.Sequence(lambda n: f"Reason number {n}.")
    sub_dimension = factory.Sequence(lambda n: f"HiddenDimension{n}")
    position = factory.Sequence(lambda n: n)


class ExampleFactory(DjangoModelFactory):
    class Meta:
        model = protocols.Example

    criterion = factory.SubFactory(CriterionFactory)
    title = "A visit to the doctor"
    history = factory.LazyFunction(lambda: [{"speaker": "A", "text": "How did it go at the doctor's?"}])
    candidates = factory.LazyFunction(lambda: [{"text": "Well, thank you.", "option": "yes", "why": "It answers."}])
    position = factory.Sequence(lambda n: n)


# --- the study and its people ----------------------------------------------------------------------
class StudyFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Study

    slug = factory.Sequence(lambda n: f"study-{n}")
    name = factory.LazyAttribute(lambda study: study.slug.replace("-", " ").capitalize())
    protocol_version = factory.LazyFunction(lambda: make_he_version())  # noqa: PLW0108 - defined below
    status = annotation.Study.Status.OPEN
    seats = 3
    seed = 7


class MembershipFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Membership

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    role = annotation.Membership.Role.ANNOTATOR


class ParticipantFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Participant

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    pseudonym = factory.Sequence(lambda n: f"P{n:04}")
    standing = annotation.Participant.Standing.CLEARED


# --- material --------------------------------------------------------------------------------------
class SourceFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Source

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"source-{n}")
    name = factory.LazyAttribute(lambda source: source.key.capitalize())
    position = factory.Sequence(lambda n: n)


class DialogueFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Dialogue

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"dialogue-{n}")
    position = factory.Sequence(lambda n: n)
    turns = factory.LazyFunction(
        lambda: [
            {"speaker": "A", "text": "You told me about the exam in June. How do you feel about it now?"},
            {"speaker": "B", "text": "A bit better, but it still comes back to me in the evening."},
        ]
    )
    digest = "0" * 64


class CandidateFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Candidate

    dialogue = factory.SubFactory(DialogueFactory)
    source = factory.SubFactory(SourceFactory, study=factory.SelfAttribute("..dialogue.study"))
    key = factory.Sequence(lambda n: f"candidate-{n}")
    text = factory.Sequence(lambda n: f"I see, and what do you do when it comes back? ({n})")


# --- work ------------------------------------------------------------------------------------------
class BatchFactory(DjangoModelFactory):
    """Open, and without items or seats: `make_batch` makes a whole one."""

    class Meta:
        model = annotation.Batch

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"batch-{n}")
    status = annotation.Batch.Status.OPEN
    position = factory.Sequence(lambda n: n)


class ItemFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Item

    batch = factory.SubFactory(BatchFactory)
    candidate = factory.SubFactory(
        CandidateFactory,
        dialogue=factory.SubFactory(DialogueFactory, study=factory.SelfAttribute("...batch.study")),
    )
    dialogue = factory.SelfAttribute("candidate.dialogue")
    source = factory.SelfAttribute("candidate.source")
    unit = factory.LazyAttribute(lambda item: "response" if item.candidate else "dialogue")
    position = factory.Sequence(lambda n: n)


class AssignmentFactory(DjangoModelFactory):
    """Without a seat: `take_seat` gives one as a claim does."""

    class Meta:
        model = annotation.Assignment

    batch = factory.SubFactory(BatchFactory)
    participant = factory.SubFactory(ParticipantFactory, study=factory.SelfAttribute("..batch.study"))
    seed = 11
    claimed_at = factory.LazyFunction(timezone.now)


class SeatFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Seat

    batch = factory.SubFactory(BatchFactory)
    number = factory.Sequence(lambda n: n + 1)


# --- ratings and what is derived from them -----------------------------------------------------------
class RatingFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Rating

    assignment = factory.SubFactory(AssignmentFactory)
    batch = factory.SelfAttribute("assignment.batch")
    item = factory.SubFactory(ItemFactory, batch=factory.SelfAttribute("..batch"))
    criterion = factory.LazyAttribute(lambda rating: rating.batch.study.protocol_version.criteria.all()[0])
    option = factory.LazyAttribute(lambda rating: rating.criterion.options.all()[0])
    answered_at = factory.LazyFunction(timezone.now)
    created_at = factory.SelfAttribute("answered_at")
    updated_at = factory.SelfAttribute("answered_at")


class RevisionFactory(DjangoModelFactory):
    class Meta:
        model = annotation.RatingRevision

    rating = factory.SubFactory(RatingFactory)
    number = factory.SelfAttribute("rating.revision")
    option = factory.SelfAttribute("rating.option")
    client_key = factory.Faker("uuid4", cast_to=None)
    answered_at = factory.SelfAttribute("rating.answered_at")
    received_at = factory.SelfAttribute("rating.answered_at")


class SnapshotFactory(DjangoModelFactory):
    class Meta:
        model = annotation.AgreementSnapshot

    batch = factory.SubFactory(BatchFactory)
    study = factory.SelfAttribute("batch.study")
    computed_at = factory.LazyFunction(timezone.now)


class CellFactory(DjangoModelFactory):
    class Meta:
        model = annotation.AgreementCell

    snapshot = factory.SubFactory(SnapshotFactory)
    criterion = factory.LazyAttribute(lambda cell: cell.snapshot.study.protocol_version.criteria.all()[0])
    histogram = factory.LazyFunction(lambda: {"2,1,0": 3})


class ImportJobFactory(DjangoModelFactory):
    class Meta:
        model = annotation.ImportJob

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    kind = annotation.ImportJob.Kind.DIALOGUES
    file_name = "dialogues.jsonl"
    file_sha256 = "0" * 64


class ImportChunkFactory(DjangoModelFactory):
    class Meta:
        model = annotation.ImportChunk

    job = factory.SubFactory(ImportJobFactory)
    number = factory.Sequence(lambda n: n)
    data = b""


class ExportJobFactory(DjangoModelFactory):
    """A finished one, with a file of nothing."""

    class Meta:
        model = annotation.ExportJob

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    format = "long-csv"
    file_name = "ratings.csv"
    status = annotation.ExportJob.Status.DONE
    created_at = factory.LazyFunction(timezone.now)
    finished_at = factory.SelfAttribute("created_at")


class JudgeRunFactory(DjangoModelFactory):
    class Meta:
        model = annotation.JudgeRun

    study = factory.SubFactory(StudyFactory)
    user = factory.SubFactory(UserFactory)
    name = factory.Sequence(lambda n: f"judge-{n}")
    protocol_version = factory.SelfAttribute("study.protocol_version")
    criteria = factory.LazyAttribute(lambda run: [run.study.protocol_version.criteria.all()[0].pk])
    endpoint = "https://api.example.org/v1"
    model = "model-1"
    seed = 7
    status = annotation.JudgeRun.Status.DONE
    created_at = factory.LazyFunction(timezone.now)
    started_at = factory.SelfAttribute("created_at")


class MetricFactory(DjangoModelFactory):
    """A score without predictions."""

    class Meta:
        model = annotation.Metric

    study = factory.SubFactory(StudyFactory)
    key = factory.Sequence(lambda n: f"metric-{n}")
    name = factory.SelfAttribute("key")
    kind = annotation.Metric.Kind.SCORE
    created_at = factory.LazyFunction(timezone.now)


class PredictionFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Prediction

    metric = factory.SubFactory(MetricFactory)
    candidate = factory.SubFactory(
        CandidateFactory, dialogue=factory.SubFactory(DialogueFactory, study=factory.SelfAttribute("...metric.study"))
    )
    value = 0.5


class JudgeCallFactory(DjangoModelFactory):
    """A question that has no answer yet."""

    class Meta:
        model = annotation.JudgeCall

    run = factory.SubFactory(JudgeRunFactory)
    candidate = factory.SubFactory(
        CandidateFactory, dialogue=factory.SubFactory(DialogueFactory, study=factory.SelfAttribute("...run.study"))
    )
    criterion = factory.LazyAttribute(lambda call: call.run.protocol_version.criteria.get(pk=call.run.criteria[0]))
    attempt = 1
    prompt = factory.LazyFunction(lambda: {"model": "model-1", "messages": []})
    status = annotation.JudgeCall.Status.FAILED
    is_last = False
    latency_ms = 12
    sent_at = factory.LazyFunction(timezone.now)


class HeartbeatFactory(DjangoModelFactory):
    class Meta:
        model = annotation.Heartbeat
        django_get_or_create = ("queue",)

    queue = "live"
    beaten_at = factory.LazyFunction(timezone.now)


# --- builders --------------------------------------------------------------------------------------
# (key, label, definition, role, asks, ((explanation key, text, hidden sub-dimension), ...))
HE_CRITERIA = {
    "appropriateness": (
        "Is the response a fitting thing to say at this point of the dialogue?",
        "A fitting response makes sense after the last turn and belongs to this conversation.",
        (
            ("appropriate", "Appropriate", "It makes sense as the next turn.", "positive", "explanation",
             (("follows", "It follows from what was said.", "Coherence"),)),
            ("not-appropriate", "Not appropriate", "It does not make sense here.", "negative", "explanation",
             (("breaks", "It does not follow from what was said.", "Incoherence"),)),
            ("unsure", "I don't know", "You cannot decide.", "unsure", "free_text", ()),
        ),
    ),
    "contextualization": (
        "Does the response refer to this dialogue?",
        "A contextualized response takes up something that was said before.",
        (
            ("contextualized", "Contextualized", "It takes up the dialogue.", "positive", "nothing", ()),
            ("not-contextualized", "Not contextualized", "It could be said anywhere, or invents.", "negative",
             "explanation",
             (("anywhere", "It could be said in any dialogue.", "Genericness"),
              ("invents", "It mentions something that was never said.", "Hallucination"))),
            ("unsure", "I don't know", "You cannot decide.", "unsure", "free_text", ()),
        ),
    ),
    "listening": (
        "Does the speaker listen?",
        "A listening speaker shows interest in what the other one said.",
        (
            ("listening", "Listening", "The speaker is attentive.", "positive", "nothing", ()),
            ("not-listening", "Not listening", "The speaker is not attentive.", "negative", "nothing", ()),
            ("unsure", "I don't know", "You cannot decide.", "unsure", "nothing", ()),
        ),
    ),
    "correctness": (
        "Is the response correct language?",
        "Correct language is free of errors of grammar and of needless repetition.",
        (
            ("correct", "Correct", "There are no errors.", "positive", "nothing", ()),
            ("not-correct", "Not correct", "There are errors.", "negative", "explanation",
             (("errors", "It has errors of grammar.", "Grammaticality"),
              ("repeats", "It repeats itself.", "Repetition"))),
            ("unsure", "I don't know", "You cannot decide.", "unsure", "free_text", ()),
        ),
    ),
}  # fmt: skip
HIDDEN_WORDS = ("Coherence", "Incoherence", "Genericness", "Hallucination", "Grammaticality", "Repetition")


def publish(version: protocols.ProtocolVersion) -> protocols.ProtocolVersion:
    version.status = protocols.ProtocolVersion.Status.PUBLISHED
    version.published_at = NOW
    version.sha256 = f"{version.pk:064x}"
    version.save()
    return version


def make_he_version(n_criteria: int = 4, **fields: object) -> protocols.ProtocolVersion:
    """The he-protocol in the tests' words: criterion first, three options, explanations. Published."""
    version = VersionFactory(protocol__name="HE protocol", order="criterion_first", **fields)
    for place, (key, (question, definition, options)) in enumerate(list(HE_CRITERIA.items())[:n_criteria]):
        criterion = CriterionFactory(version=version, key=key, question=question, definition=definition, position=place)
        for at, (option_key, label, text, role, asks, explanations) in enumerate(options):
            option = OptionFactory(
                criterion=criterion, key=option_key, label=label, definition=text, role=role, asks=asks, position=at
            )
            for number, (explanation_key, sentence, hidden) in enumerate(explanations):
                ExplanationFactory(
                    option=option, key=explanation_key, text=sentence, sub_dimension=hidden, position=number
                )
    return publish(version)


def make_scale_version(n_criteria: int = 2, **fields: object) -> protocols.ProtocolVersion:
    """Item first: `n_criteria` ordinal questions, 5 down to 1, on one page, with nothing to explain. Published."""
    version = VersionFactory(order="item_first", **fields)
    names = ("Fluency", "Coherence", "Consistency", "Diversity")
    for place in range(n_criteria):
        criterion = CriterionFactory(
            version=version, key=names[place].lower(), name=names[place], scale="ordinal", position=place
        )
        for at, value in enumerate(range(5, 0, -1)):
            OptionFactory(
                criterion=criterion, key=f"p{value}", label=f"{value} points", role="neutral", value=value, position=at
            )
    return publish(version)


def make_batch(
    study: annotation.Study,
    n_dialogues: int = 2,
    n_sources: int = 3,
    *,
    position: int = 0,
    **fields: object,
) -> annotation.Batch:
    """A batch with its items and free seats; its dialogues are new. No source: whole dialogues are rated."""
    batch = BatchFactory(
        study=study, position=position, n_items=n_dialogues * max(n_sources, 1), **{"key": f"{position + 1}", **fields}
    )
    sources = _sources(study, n_sources)
    before = study.dialogues.count()
    dialogues = annotation.Dialogue.objects.bulk_create(
        DialogueFactory.build(study=study, position=before + place) for place in range(n_dialogues)
    )
    candidates = annotation.Candidate.objects.bulk_create(
        CandidateFactory.build(dialogue=dialogue, source=source) for dialogue in dialogues for source in sources
    )
    annotation.Item.objects.bulk_create(
        ItemFactory.build(batch=batch, position=dialogue.position - before, **judged)
        for dialogue, judged in _judged(dialogues, candidates)
    )
    annotation.Seat.objects.bulk_create(
        annotation.Seat(batch=batch, number=number + 1) for number in range(study.seats)
    )
    return batch


def _judged(dialogues: list, candidates: list) -> list[tuple[annotation.Dialogue, dict[str, object]]]:
    """Every candidate, or every dialogue where there are none."""
    whole = [(dialogue, {"dialogue": dialogue, "candidate": None, "source": None}) for dialogue in dialogues]
    return [
        (each.dialogue, {"dialogue": each.dialogue, "candidate": each, "source": each.source}) for each in candidates
    ] or whole


def _sources(study: annotation.Study, n_sources: int) -> list[annotation.Source]:
    names = ["Ground truth", *(f"Model {chr(ord('A') + n)}" for n in range(n_sources - 1))]
    return [
        annotation.Source.objects.get_or_create(
            study=study,
            key=names[n].lower().replace(" ", "_"),
            defaults={"name": names[n], "is_reference": n == 0, "position": n},
        )[0]
        for n in range(n_sources)
    ]


def make_annotator(study: annotation.Study, name: str, **fields: object) -> annotation.Participant:
    """A member who rates: account, membership and a participation that is cleared."""
    membership = MembershipFactory(study=study, user__username=name)
    return ParticipantFactory(study=study, user=membership.user, **fields)


def take_seat(
    participant: annotation.Participant, batch: annotation.Batch, *, minutes: float = 90
) -> annotation.Assignment:
    """The state a claim leaves behind, without the claim. Negative minutes: the lease has ended already."""
    assignment = AssignmentFactory(batch=batch, participant=participant)
    seat = batch.seats.filter(assignment=None).order_by("number").first()
    seat.assignment = assignment
    seat.lease_expires_at = timezone.now() + timedelta(minutes=minutes)
    seat.save()
    return assignment
