"""Find what the sweep of batch acceptance has to do: batches to sample, finished reviews, samples with lost votes."""

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.models import Assignment, Batch
from annotation.selectors.claims import has_a_full_round
from qualification.models import Disagreement, Review, Sample

CURRENT = F("sample__batch__study__protocol_version")


def finished_batches() -> QuerySet[Batch]:
    """Return the main batches to draw a sample from: one in each round, under one version of the protocol."""
    drawn = Sample.objects.filter(
        batch=OuterRef("pk"), round=OuterRef("round"), protocol_version=OuterRef("study__protocol_version")
    ).exclude(state=Sample.State.VOID)
    unsettled = Disagreement.objects.filter(item__batch=OuterRef("pk"), round=OuterRef("round"))
    unsettled = unsettled.exclude(state=Disagreement.State.SETTLED)
    wanted = Batch.objects.filter(
        kind=Batch.Kind.MAIN,
        n_items__gt=0,
        study__acceptance_plan__is_on=True,
        study__acceptance_plan__criterion__key=F("study__protocol_version__criteria__key"),
    )
    in_work = wanted.exclude(status=Batch.Status.DRAFT).filter(~Exists(drawn), ~Exists(unsettled))
    return in_work.filter(has_a_full_round()).order_by("pk")


def broken_samples() -> QuerySet[Sample]:
    """Return samples of the present round with a vote that has lost its seat since the sample was drawn."""
    lost = Sample.votes.through.objects.filter(sample=OuterRef("pk"), assignment__seat__isnull=True)
    current = Sample.objects.filter(
        round=F("batch__round"), protocol_version=F("batch__study__protocol_version")
    ).exclude(state=Sample.State.VOID)
    return current.filter(Exists(lost)).order_by("pk")


def finished_reviews() -> QuerySet[Review]:
    """Return reviews that the controller has submitted and that have not been counted."""
    done = Assignment.objects.filter(
        batch=OuterRef("batch"),
        status=Assignment.Status.SUBMITTED,
        seat__isnull=False,
        participant=OuterRef("participant"),
    )
    return under_way().filter(Exists(done), sample__protocol_version=CURRENT).order_by("pk")


def under_way() -> QuerySet[Review]:
    return Review.objects.filter(counted_at=None, given_back_at=None)


def stale_review_batches() -> QuerySet[Batch]:
    """Return open review batches of a version the study no longer follows: nobody has to finish them."""
    stale = under_way().exclude(sample__protocol_version=CURRENT)
    return Batch.objects.filter(status=Batch.Status.OPEN, sample_review__in=stale)
