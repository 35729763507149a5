"""All functions that write protocols."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from protocols.bundles import VERSION_FIELDS, Bundle, bundle_hash, complete_bundle, dump_bundle
from protocols.editing import editable, revision_of
from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.schema import BundleError, InvalidBundle
from protocols.selectors import following_name, next_version_name

FIRST_DRAFT = "0.1"
FIRST_CRITERION: Bundle = {
    "key": "quality",
    "name": "Quality",
    "question": "Is it good?",
    "options": [
        {"key": "good", "label": "Good", "role": "positive"},
        {"key": "bad", "label": "Bad", "role": "negative"},
        {"key": "unsure", "label": "I don’t know", "role": "unsure"},
    ],
}
FIRST_COMPARISON: Bundle = {
    "key": "preference",
    "name": "Preference",
    "question": "Which response is better?",
    "options": [
        {"key": "first", "label": "Response 1", "role": "left"},
        {"key": "equal", "label": "Both are equally good", "role": "equal"},
        {"key": "second", "label": "Response 2", "role": "right"},
        {"key": "both_bad", "label": "Both are bad", "role": "both_bad"},
    ],
}


class VersionTaken(InvalidBundle):
    """The bundle clashes with a stored protocol or version."""


class NotDraft(ValueError):
    """The version is not a draft and cannot be changed."""


class ChangedMeanwhile(ValueError):
    """Somebody else has changed the version since the page was made."""


class NotPublished(ValueError):
    """The version is a draft and cannot be retired: no study can use it."""


def not_draft_sentence(version: ProtocolVersion) -> str:
    if version.status == ProtocolVersion.Status.RETIRED:
        sentence = _("%(version)s is retired and cannot be changed. To make changes, create a new draft from it.")
    else:
        sentence = _("%(version)s is published and cannot be changed. To make changes, create a new draft from it.")
    return sentence % {"version": version}


@transaction.atomic
def store_bundle(doc: Bundle, *, publish: bool, now: datetime) -> tuple[ProtocolVersion, bool]:
    """Store a bundle and return its version and whether it is new.

    If the same contents are stored already, this returns the existing version, published if `publish` is set.
    Raises InvalidBundle, or VersionTaken if the version exists with other contents.
    """
    full = complete_bundle(doc)
    protocol = _locked_protocol(full)
    version = protocol.versions.filter(version=full["version"]).first()
    is_new = version is None
    if version is None:
        version = ProtocolVersion.objects.create(protocol=protocol, **{field: full[field] for field in VERSION_FIELDS})
        _create_criteria(version, full)
    elif _hash_of(version) != bundle_hash(full):
        message = _("%(version)s already exists with different contents") % {"version": version}
        wanted = _('another version, such as "%(name)s"') % {"name": following_name(version.version)}
        raise VersionTaken([BundleError("version", message, wanted)])
    return (publish_version(version, now=now) if publish else version), is_new


@transaction.atomic
def store_shipped(doc: Bundle, *, now: datetime) -> tuple[ProtocolVersion, bool]:
    """Store and publish a bundle that ships with Parley, and return its version and whether it is new.

    An earlier release may have stored other contents under its name. They stay, and these get the next free name.
    """
    full = complete_bundle(doc)
    protocol = _locked_protocol(full)
    named = protocol.versions.filter(version=full["version"]).first()
    if named is not None and not _has_contents(named, full):
        frozen = protocol.versions.exclude(status=ProtocolVersion.Status.DRAFT)
        same = next((each for each in frozen if _has_contents(each, full)), None)
        full |= {"version": same.version if same else next_version_name(named)}
    return store_bundle(full, publish=True, now=now)


def _has_contents(version: ProtocolVersion, full: Bundle) -> bool:
    return _hash_of(version) == bundle_hash(full | {"version": version.version})


@transaction.atomic
def rehearse_bundle(doc: Bundle, *, publish: bool, now: datetime) -> tuple[ProtocolVersion, bool]:
    """Return or raise what store_bundle would, without changing anything."""
    stored = store_bundle(doc, publish=publish, now=now)
    transaction.set_rollback(True)
    return stored


@transaction.atomic
def new_draft(version: ProtocolVersion, *, version_name: str, now: datetime) -> ProtocolVersion:
    """Copy a version of any status to a draft with a new name.

    Raises VersionTaken if the protocol has a version of that name, even with the same contents: otherwise
    people could edit somebody else's draft by mistake.
    """
    draft = add_version(dump_bundle(version) | {"version": version_name}, now=now)
    draft.parent = version
    draft.save(update_fields=["parent"])
    return draft


@transaction.atomic
def add_version(doc: Bundle, *, now: datetime) -> ProtocolVersion:
    """Store a draft under a name that its protocol does not have yet. Raises InvalidBundle or VersionTaken."""
    draft, is_new = store_bundle(doc, publish=False, now=now)
    if not is_new:
        message = _("%(version)s already exists") % {"version": draft}
        wanted = _('another name, such as "%(name)s"') % {"name": following_name(draft.version)}
        raise VersionTaken([BundleError("version", message, wanted)])
    return draft


@transaction.atomic
def add_protocol(doc: Bundle, *, now: datetime) -> ProtocolVersion:
    """Store the first draft of a new protocol. Raises InvalidBundle, or VersionTaken if the protocol exists already.

    Otherwise somebody could add to another person's protocol by mistake.
    """
    full = complete_bundle(doc)
    _protocol, is_new = Protocol.objects.get_or_create(slug=full["protocol"], defaults={"name": full["name"]})
    if not is_new:
        message = _("is the key of an existing protocol")
        wanted = _('another key, such as "%(name)s"') % {"name": following_name(full["protocol"])}
        raise VersionTaken([BundleError("protocol", message, wanted)])
    return store_bundle(full, publish=False, now=now)[0]


@transaction.atomic
def delete_draft(version: ProtocolVersion) -> None:
    """Delete a draft with its parts; its protocol stays. Raises NotDraft."""
    locked = _locked_version(version)
    if locked.status != ProtocolVersion.Status.DRAFT:
        raise NotDraft(not_draft_sentence(locked))
    _remove_parts(locked)
    locked.delete()


def create_protocol(*, slug: str, name: str, language: str, unit: str, now: datetime) -> ProtocolVersion:
    """Create a new protocol with a small valid draft to begin from. Raises InvalidBundle or VersionTaken."""
    head = {"bundle": 1, "protocol": slug, "name": name, "version": FIRST_DRAFT, "language": language, "unit": unit}
    if unit == ProtocolVersion.Unit.COMPARISON:
        return add_protocol(head | {"mode": "comparative", "criteria": [FIRST_COMPARISON]}, now=now)
    return add_protocol(head | {"criteria": [FIRST_CRITERION]}, now=now)


@transaction.atomic
def copy_protocol(
    version: ProtocolVersion, *, slug: str, name: str, version_name: str, now: datetime
) -> ProtocolVersion:
    """Copy a version of any status to the first draft of a new protocol; the draft keeps its origin as parent."""
    names = {"protocol": slug, "name": name, "version": version_name}
    draft = add_protocol(dump_bundle(version) | names, now=now)
    draft.parent = version
    draft.save(update_fields=["parent"])
    return draft


@transaction.atomic
def replace_draft(version: ProtocolVersion, doc: Bundle, *, made_from: str, now: datetime) -> ProtocolVersion:
    """Replace a draft's contents with a whole document, if nobody has changed the draft since revision `made_from`.

    Raises InvalidBundle, NotDraft or ChangedMeanwhile; nothing is changed then.
    """
    full = complete_bundle(doc)
    locked = _locked_version(version)
    if locked.status != ProtocolVersion.Status.DRAFT:
        raise NotDraft(not_draft_sentence(locked))
    if revision_of(editable(locked)) != made_from:
        raise ChangedMeanwhile(_("Somebody else has saved this draft since you opened it. Your text is kept here."))
    own = {"protocol": locked.protocol.slug, "name": locked.protocol.name, "version": locked.version}
    if moved := [field for field, value in own.items() if full[field] != value]:
        raise InvalidBundle([BundleError(field, _("cannot be changed here"), own[field]) for field in moved])
    _remove_parts(locked)
    for field in VERSION_FIELDS:
        setattr(locked, field, full[field])
    locked.save(update_fields=VERSION_FIELDS)
    _create_criteria(locked, full)
    return locked


@transaction.atomic
def publish_version(version: ProtocolVersion, *, now: datetime, made_from: str | None = None) -> ProtocolVersion:
    """Freeze a draft under its hash. A version that is already published or retired is returned as it is.

    Raises InvalidBundle, or ChangedMeanwhile if the revision is not `made_from`, which somebody has read.
    """
    # The lock comes first: a part added between hashing and freezing would not be in the hash (see migration 0002).
    locked = _locked_version(version)
    if made_from is not None and revision_of(editable(locked)) != made_from:
        raise ChangedMeanwhile(_("Somebody has changed this version since you opened it."))
    if locked.status != ProtocolVersion.Status.DRAFT:
        return locked
    locked.sha256 = bundle_hash(dump_bundle(locked))
    locked.status = ProtocolVersion.Status.PUBLISHED
    locked.published_at = now
    locked.save(update_fields=["sha256", "status", "published_at"])
    return locked


@transaction.atomic
def retire_version(version: ProtocolVersion) -> ProtocolVersion:
    """Retire a version: new studies cannot choose it; studies that have it go on. Raises NotPublished for a draft."""
    locked = _locked_version(version)
    if locked.status == ProtocolVersion.Status.DRAFT:
        raise NotPublished(_("%(version)s is a draft. Only published versions can be retired.") % {"version": locked})
    if locked.status == ProtocolVersion.Status.PUBLISHED:
        locked.status = ProtocolVersion.Status.RETIRED
        locked.save(update_fields=["status"])
    return locked


def _locked_version(version: ProtocolVersion) -> ProtocolVersion:
    """Lock the protocol, whose name is in the hash, before the version: store_bundle's order avoids deadlocks."""
    Protocol.objects.select_for_update().get(pk=version.protocol_id)
    return ProtocolVersion.objects.select_for_update(of=["self"]).select_related("protocol").get(pk=version.pk)


def _locked_protocol(full: Bundle) -> Protocol:
    """Return the protocol with a lock, so that simultaneous imports of one version wait instead of failing."""
    Protocol.objects.get_or_create(slug=full["protocol"], defaults={"name": full["name"]})
    protocol = Protocol.objects.select_for_update().get(slug=full["protocol"])
    if protocol.name != full["name"]:
        message = _("differs from the stored name of this protocol")
        raise VersionTaken([BundleError("name", message, protocol.name)])
    return protocol


def _hash_of(version: ProtocolVersion) -> str:
    return version.sha256 or bundle_hash(dump_bundle(version))


def _remove_parts(version: ProtocolVersion) -> None:
    """Delete the parts, innermost first: each part protects the one around it."""
    Explanation.objects.filter(option__criterion__version=version).delete()
    Option.objects.filter(criterion__version=version).delete()
    Example.objects.filter(criterion__version=version).delete()
    version.criteria.all().delete()


def _create_criteria(version: ProtocolVersion, full: Bundle) -> None:
    for position, entry in enumerate(full["criteria"], start=1):
        own = {name: value for name, value in entry.items() if name not in ("options", "examples")}
        criterion = Criterion.objects.create(version=version, position=position, **own)
        for place, part in enumerate(entry["options"], start=1):
            own = {name: value for name, value in part.items() if name != "explanations"}
            option = Option.objects.create(criterion=criterion, position=place, **own)
            Explanation.objects.bulk_create(
                Explanation(option=option, position=number, **each)
                for number, each in enumerate(part["explanations"], start=1)
            )
        Example.objects.bulk_create(
            Example(criterion=criterion, position=place, **each)
            for place, each in enumerate(entry["examples"], start=1)
        )
