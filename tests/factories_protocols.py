"""A factory for every model of protocols, and published versions as studies use them."""

import factory
from factory.django import DjangoModelFactory

from protocols import models as protocols
from tests.clock import NOW


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
        made = protocols.Option.objects.bulk_create(
            protocols.Option(
                criterion=criterion, key=key, label=label, definition=text, role=role, asks=asks, position=at
            )
            for at, (key, label, text, role, asks, _) in enumerate(options)
        )
        protocols.Explanation.objects.bulk_create(
            protocols.Explanation(option=option, key=key, text=sentence, sub_dimension=hidden, position=number)
            for option, (*_, explanations) in zip(made, options, strict=True)
            for number, (key, sentence, hidden) in enumerate(explanations)
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
