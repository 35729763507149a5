"""Remove dialogues that nothing uses yet, for example those of a wrong import."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils.translation import ngettext

from annotation.importing.dialogues import lock_study
from annotation.importing.removing import remove_unused, remove_unused_sources
from annotation.models import Study
from annotation.selectors.dialogues import unused_dialogues
from annotation.services import activity
from annotation.services.refusals import Refused


@transaction.atomic
def remove_dialogues(study: Study, *, keys: Collection[str], by: User | None, now: datetime) -> int:
    """Remove the dialogues with these keys, with their responses, and return how many. Raise Refused if one is used."""
    lock_study(study)
    named = study.dialogues.filter(key__in=keys)
    used = named.exclude(pk__in=unused_dialogues(study)).order_by("position").values_list("key", flat=True)
    if used:
        text = ngettext(
            "%(number)s dialogue is in use and cannot be removed: %(key)s. Nothing was removed.",
            "%(number)s dialogues are in use and cannot be removed, for example %(key)s. Nothing was removed.",
            len(used),
        )
        raise Refused("in_use", text % {"number": intcomma(len(used)), "key": used[0]})
    found = dict(named.order_by("position").values_list("pk", "key"))
    n, sources = remove_unused(study, found)
    remove_unused_sources(study, sources)
    if n:
        activity.log(study, by, "dialogues_removed", about=", ".join(found.values()), details={"n": n}, now=now)
    return n
