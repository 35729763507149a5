"""The look at simulated annotators, and what it has found."""

from django.utils import timezone

from qualification.checks.services.signals import sweep_signals
from qualification.models import Flag


def kinds() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, kind in Flag.objects.values_list("participant__pseudonym", "kind"):
        found.setdefault(name, set()).add(kind)
    return found


def look(n: int = 1) -> list[tuple[int, int]]:
    return [sweep_signals(now=timezone.now()) for _ in range(n)]
