"""Access to protocols: staff and users with the `change_protocolversion` permission may see and change them."""

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from protocols.models import ProtocolVersion

Person = User | AnonymousUser


def may_edit_protocols(user: Person) -> bool:
    return user.is_staff or user.has_perm("protocols.change_protocolversion")


def require_editor(user: Person) -> None:
    if not may_edit_protocols(user):
        raise PermissionDenied(_("Only people who run studies can see and edit protocols. Ask an owner of this site."))


def version_for(user: Person, slug: str, name: str) -> ProtocolVersion:
    require_editor(user)
    version = (
        ProtocolVersion.objects.select_related("protocol", "parent").filter(protocol__slug=slug, version=name).first()
    )
    if version is None:
        raise Http404(_("No such version."))
    return version
