"""The accounts without a password that a browser has been used by: what its long-lived, signed cookie holds.

Sessions end. Without this the invitation link would make somebody a second account, who then rates twice.
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
MOST = 5  # accounts of a shared computer; the one that was used longest ago is forgotten first


@dataclass(frozen=True, slots=True)
class Device:
    """`name` belongs to the next account made here: two posts of one form, or of two tabs, carry the same."""

    name: UUID = field(default_factory=uuid4)
    keys: tuple[Key, ...] = ()  # newest first


def sign_device(device: Device) -> str:
    return signing.dumps([device.name.hex, device.keys], salt=SALT)


def read_device(text: str) -> Device:
    """A new one for what is missing, broken or older than a year."""
    try:
        name, keys = signing.loads(text, salt=SALT, max_age=LASTS)
    except signing.BadSignature:
        return Device()
    return Device(UUID(name), tuple((pk, part) for pk, part in keys))


def accounts_on(device: Device) -> list[User]:
    """Newest first, without those that have been given a password or any right beyond rating since."""
    users = users_of_keys(device.keys)
    with_rights = Membership.objects.filter(user__in=users).exclude(role=Membership.Role.ANNOTATOR)
    beyond = set(with_rights.values_list("user", flat=True)) if users else set()
    return [user for user in users if user.pk not in beyond]


def with_account(device: Device, user: User) -> Device:
    """The account is the newest of the device. The next one to be made here is another person's."""
    others = without_account(device, user).keys
    return Device(keys=(key_of(user), *others)[:MOST])


def without_account(device: Device, user: User) -> Device:
    return replace(device, keys=tuple(key for key in device.keys if key[0] != user.pk))
