"""Let people make protocols and studies by adding them to one group."""

from datetime import datetime

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.models import Membership
from annotation.researchers import GROUP, permissions
from annotation.services import activity
from annotation.services.refusals import Refused

ROLES = (Membership.Role.OWNER, Membership.Role.RESEARCHER)


@transaction.atomic
def name_researcher(membership: Membership, *, now: datetime, by: User | None = None) -> Membership:
    """Let a member of the team make protocols and studies. Raise Refused for an annotator, who must rate blind."""
    if membership.role == Membership.Role.ANNOTATOR:
        text = _(
            "An annotator of this study cannot become a researcher: protocols show what annotators must not see. "
            "Give them another role first."
        )
        raise Refused("annotator", text)
    if admit(membership.user):
        activity.log(membership.study, by, "researcher_named", about=membership.user.get_username(), now=now)
    return membership


def admit(user: User) -> bool:
    """Add the account to the group. Return False if it is in it already. Call it in a transaction."""
    if is_researcher(user):
        return False
    group, is_new = Group.objects.get_or_create(name=GROUP)
    if is_new:  # an administrator has deleted it: it gets its permissions again
        wanted = Q(pk__in=())
        for app, model, codename in permissions():
            wanted |= Q(content_type__app_label=app, content_type__model=model, codename=codename)
        group.permissions.set(Permission.objects.filter(wanted))
    user.groups.add(group)
    return True


def is_researcher(user: User) -> bool:
    return user.groups.filter(name=GROUP).exists()


def admit_by_role(membership: Membership) -> None:
    """Admit owners and researchers of a study to the group. Losing the role does not remove anybody from it."""
    if membership.role in ROLES:
        admit(membership.user)
