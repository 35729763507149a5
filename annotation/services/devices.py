"""Remember in a long-lived, signed cookie which accounts without a password have used a browser.

Without it, the invitation link would create a second account after a session has ended, and the person would rate
twice.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.core import signing

from annotation.models import Membership
from annotation.services.joining import Key, key_of, users_of_keys

SALT = "annotation.device"
LASTS = timedelta(days=365)
MOST = 5  # accounts on a shared computer; the least recently used is forgotten first


@dataclass(frozen=True, slots=True)
class Device:
    """A browser. `name` is for the next account made here: two posts of one form, or of two tabs, carry the same."""

    name: UUID = field(default_factory=uuid4)
    keys: tuple[Key, ...] = ()  # newest first


def sign_device(device: Device) -> str:
    return signing.dumps([device.name.hex, device.keys], salt=SALT)


def read_device(text: str) -> Device:
    """Return the device; a new one if the text is missing, broken or older than a year."""
    try:
        name, keys = signing.loads(text, salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return Device()
    return Device(UUID(name), tuple((pk, part) for pk, part in keys))


def accounts_on(device: Device) -> list[User]:
    """Return accounts, newest first, without those that have since got a password or any right beyond rating."""
    users = users_of_keys(device.keys)
    with_rights = Membership.objects.filter(user__in=users).exclude(role=Membership.Role.ANNOTATOR)
    beyond = set(with_rights.values_list("user", flat=True)) if users else set()
    return [user for user in users if user.pk not in beyond]


def with_account(device: Device, user: User) -> Device:
    """Return the device with this account as its newest, and a new name: the next account is another person's."""
    others = without_account(device, user).keys
    return Device(keys=(key_of(user), *others)[:MOST])


def without_account(device: Device, user: User) -> Device:
    return replace(device, keys=tuple(key for key in device.keys if key[0] != user.pk))
