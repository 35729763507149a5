"""Create and change studies; open and close studies and batches."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Batch, Membership, Rating, Seat, Study
from annotation.selectors.imported_batches import imported_only
from annotation.selectors.without_texts import why_unreadable
from annotation.services import activity
from annotation.services.people import add_member
from annotation.services.refusals import Refused
from protocols.models import ProtocolVersion
from protocols.translating import languages_of

SETTINGS = frozenset({
    "name", "description", "protocol_version", "seats", "majority_rule", "word_scale", "kappa_floor",
    "equivalence_margin", "platform", "pay_amount", "pay_currency", "consent_text", "consent_version",
    "content_language", "text_format", "expected_minutes", "max_minutes", "is_joinable", "is_clearing_on_join",
})  # fmt: skip
TEXTS = frozenset({"description", "consent_text"})  # too long for a line of the log
LOGGED_KEYS = 50


@transaction.atomic
def create_study(
    *, slug: str, name: str, protocol_version: ProtocolVersion, owner: User | None, now: datetime, **settings: Any
) -> Study:
    """Create a draft study. Its owner, if there is one, becomes a member. Raise ValidationError."""
    study = Study(slug=slug, name=name)
    _change(study, {"protocol_version": protocol_version, **settings})
    activity.log(study, owner, "study_made", about=study.slug, details={"protocol": str(protocol_version)}, now=now)
    if owner is not None:
        add_member(study, user=owner, role=Membership.Role.OWNER, by=owner, now=now)
    return study


def ensure_study(*, slug: str, protocol_version: ProtocolVersion, now: datetime, **values: Any) -> tuple[Study, bool]:
    """Return the study of this slug and whether it is new. Raise Refused if it follows another protocol version."""
    study = Study.objects.select_related("protocol_version__protocol").filter(slug=slug).first()
    if study is None:
        return create_study(slug=slug, protocol_version=protocol_version, now=now, **values), True
    if study.protocol_version_id != protocol_version.pk:
        message = _("Study %(slug)s already exists and follows %(old)s, not %(new)s. Choose another slug.")
        names = {"slug": slug, "old": study.protocol_version, "new": protocol_version}
        raise Refused("other_protocol", message % names)
    return study, False


@transaction.atomic
def update_study(study: Study, *, now: datetime, by: User | None = None, **settings: Any) -> Study:
    """Change settings. Raise ValidationError; the protocol version is fixed once items were made for its unit."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    version = settings.get("protocol_version", locked.protocol_version)
    if version.pk != locked.protocol_version_id and locked.batches.exists():
        message = _("The study already has batches, so its protocol version cannot change. Create another study.")
        raise ValidationError({"protocol_version": message})
    language = settings.get("content_language", locked.content_language)
    if language != locked.content_language and Rating.objects.filter(batch__study=study).exists():
        message = _("The study already has answers, and a question in different words is a different question.")
        raise ValidationError({"content_language": message})
    main = Rating.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN)
    if settings.get("text_format", locked.text_format) != locked.text_format and main.exists():
        message = _("The study already has main answers, given to texts that were displayed differently.")
        raise ValidationError({"text_format": message})
    if settings.get("equivalence_margin", locked.equivalence_margin) != locked.equivalence_margin and main.exists():
        message = _("The study already has main answers, and a margin has to be named before them.")
        raise ValidationError({"equivalence_margin": message})
    before = {name: getattr(locked, name) for name in settings.keys() & SETTINGS}
    _change(locked, settings)
    changed = activity.changes(before, {name: getattr(locked, name) for name in before})
    texts = sorted(TEXTS & changed.keys())
    if changed:
        details = {"changed": {name: pair for name, pair in changed.items() if name not in TEXTS}, "texts": texts}
        activity.log(locked, by, "settings", details=details, now=now)
    return locked


def _change(study: Study, settings: dict[str, Any]) -> None:
    unknown = settings.keys() - SETTINGS
    if unknown:
        raise ValidationError(
            _("Studies do not have these settings: %(names)s.") % {"names": ", ".join(sorted(unknown))}
        )
    for name, value in settings.items():
        setattr(study, name, value)
    version = study.protocol_version
    if study.pk is None and version.status != ProtocolVersion.Status.PUBLISHED:
        if version.status == ProtocolVersion.Status.DRAFT:
            text = _("%(version)s is a draft. Publish it first.")
        else:
            text = _("%(version)s is retired. Choose a published version.")
        raise ValidationError({"protocol_version": text % {"version": version}})
    languages = languages_of(version)
    if study.content_language and study.content_language not in languages:
        message = _("The protocol has no texts in this language. Choose one of: %(languages)s.")
        raise ValidationError({"content_language": message % {"languages": ", ".join(languages)}})
    if study.minutes_expected > study.minutes_at_most:
        message = _("The expected time of a batch cannot exceed its maximum time of %(minutes)s minutes.")
        raise ValidationError({"expected_minutes": message % {"minutes": study.minutes_at_most}})
    study.full_clean()
    study.save()


@transaction.atomic
def open_study(study: Study, *, now: datetime, by: User | None = None) -> Study:
    """Let annotators claim seats of the open batches. Raise Refused if the study has no batches."""
    if not study.batches.exists():
        raise Refused("no_batches", _("There is nothing to rate yet: import dialogues and make batches first."))
    return _set_study_status(study, Study.Status.OPEN, by, now)


@transaction.atomic
def close_study(study: Study, *, now: datetime, by: User | None = None) -> Study:
    """Stop claims and answers. The study can always be opened again."""
    return _set_study_status(study, Study.Status.CLOSED, by, now)


def _set_study_status(study: Study, status: str, by: User | None, now: datetime) -> Study:
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    before, locked.status = locked.status, status
    locked.full_clean()
    locked.save(update_fields=["status"])
    if before != status:
        activity.log(locked, by, f"study_{status}", about=locked.slug, details={"before": before}, now=now)
    return locked


@transaction.atomic
def set_batch_status(study: Study, *, keys: Iterable[str], status: str, now: datetime, by: User | None = None) -> int:
    """Open or close the named batches. Return how many changed. Raise Refused for one that is empty or has no texts.

    People who have begun a closed batch may finish it. A batch that only imports have filled gets free seats once it
    opens, as many as the study wants: otherwise nobody could ever rate it.
    """
    batches = Batch.objects.filter(study=study, key__in=list(keys)).exclude(status=status)
    # Locked in the order of keys, so that two people who press the button at once do not deadlock.
    locked = list(batches.order_by("pk").select_for_update(no_key=True))
    if status == Batch.Status.OPEN and any(batch.n_items == 0 for batch in locked):
        raise Refused("empty_batch", _("A batch without items cannot be opened."))
    if status == Batch.Status.OPEN and (reason := why_unreadable(locked)):
        raise Refused("without_texts", reason)
    changed = Batch.objects.filter(pk__in=[batch.pk for batch in locked])
    if status == Batch.Status.OPEN:
        _add_free_seats(imported_only(changed), study.seats)
    if locked:
        named = [batch.key for batch in locked]
        details = {"n": len(named), "keys": named[:LOGGED_KEYS]}
        about = ", ".join(named[:3]) + (" …" if len(named) > 3 else "")
        activity.log(study, by, f"batches_{status}", about=about, details=details, now=now)
    # The version rises although no result changes, because open boards look at it.
    return changed.update(status=status, ratings_version=F("ratings_version") + 1)


def _add_free_seats(batches: QuerySet[Batch], n_seats: int) -> None:
    for batch_id, last in batches.annotate(last=Max("seats__number")).values_list("pk", "last"):
        first = (last or 0) + 1
        Seat.objects.bulk_create(Seat(batch_id=batch_id, number=first + at) for at in range(n_seats))
