"""Fetch objects for those who may see them, as annotation.access does. Otherwise raise Http404 or PermissionDenied."""

from typing import TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import Http404

from annotation.access import Person, Right, study_for
from annotation.models import Item, Participant
from qualification.models import (
    Attempt,
    Case,
    ComprehensionQuestion,
    Disagreement,
    Entry,
    Flag,
    Recruitment,
    Review,
    Sample,
)

Row = TypeVar("Row", bound=Model)


def _first(rows: QuerySet[Row], missing: str) -> Row:
    """Return the first row. Raise Http404 with the message `missing` if there is none."""
    found = rows.first()
    if found is None:
        raise Http404(missing)
    return found


def recruitment_by_link(token: str, provider: str) -> Recruitment:
    """Return a recruitment by its link, without an account: the platform shows the link to everybody it recruits."""
    found = Recruitment.objects.select_related("study__protocol_version__protocol")
    return _first(found.filter(study__join_token=token, provider=provider).exclude(provider=""), "No such link.")


def entry_for(user: Person, slug: str) -> Entry:
    """Return the user's own entry through a recruitment platform."""
    entries = Entry.objects.select_related("study__recruitment", "participant__user")
    return _first(entries.filter(study__slug=slug, participant__user=user.pk or 0), "No such entry.")


def question_for(user: Person, slug: str, pk: int) -> ComprehensionQuestion:
    """Return a question about the guidelines, for those who may change the qualification."""
    study = study_for(user, slug, Right.CONFIGURE)
    return _first(ComprehensionQuestion.objects.filter(qualification__study=study, pk=pk), "No such question.")


def last_attempt_for(participant: Participant) -> Attempt:
    """Return the last attempt, the only one that can still be decided. The participant is authorised already."""
    return _first(Attempt.objects.filter(participant=participant).order_by("-number"), "No attempt.")


def sample_for(user: Person, slug: str, pk: int, right: Right) -> Sample:
    study = study_for(user, slug, right)
    found = Sample.objects.select_related("batch__group", "controller", "protocol_version", "overridden_by")
    sample = _first(found.filter(batch__study=study, pk=pk), "No such sample.")
    sample.batch.study = study
    return sample


def labelled_review_for(user: Person, slug: str, pk: int) -> Review:
    """Return the user's own unfinished review of a sample whose labels are shown."""
    sample = sample_for(user, slug, pk, Right.REVIEW)
    mine = sample.reviews.filter(participant__user=user.pk or 0, is_second=False)
    review = mine.filter(counted_at=None, given_back_at=None).select_related("participant", "batch__study").first()
    if review is None or sample.plan["is_blind"]:
        raise Http404("No such review.")
    review.sample = sample
    return review


def flag_for(user: Person, slug: str, pk: int) -> Flag:
    """Return a flag on an annotator, for those who decide who may rate."""
    study = study_for(user, slug, Right.CLEAR)
    flags = Flag.objects.select_related("participant").filter(participant__study=study, pk=pk)
    return _first(flags, "No such flag.")


def flagged_item_for(user: Person, slug: str, token: UUID, right: Right) -> Item:
    """Return an item that somebody has flagged. Items that were never flagged are not found."""
    study = study_for(user, slug, right)
    found = Item.objects.select_related("dialogue", "candidate", "batch").filter(batch__study=study, token=token)
    item = _first(found.filter(marks__flagged_at__isnull=False), "No such flagged item.")
    item.batch.study = study
    return item


def disagreement_for(user: Person, slug: str, pk: int) -> Disagreement:
    """Return a disagreement, for those who settle it. One of an earlier round is found too, as history."""
    study = study_for(user, slug, Right.TEACH)
    found = Disagreement.objects.select_related(
        "item__dialogue", "item__candidate", "item__batch", "criterion", "option", "settled_by"
    )
    disagreement = _first(found.filter(item__batch__study=study, pk=pk), "No such disagreement.")
    disagreement.item.batch.study = study
    return disagreement


def case_for(user: Person, slug: str, pk: int) -> Case:
    study = study_for(user, slug, Right.TEACH)
    found = Case.objects.select_related("item__dialogue", "item__candidate", "criterion", "option")
    case = _first(found.filter(study=study, pk=pk), "No such case.")
    case.study = study
    return case
