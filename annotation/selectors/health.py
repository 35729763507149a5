"""Find out whether workers do the jobs that pages wait for."""

from datetime import datetime, timedelta

from django.conf import settings

from annotation.models import ExportJob, Heartbeat, ImportJob


def worker_is_silent(now: datetime) -> bool:
    """Return whether no worker has shown a sign of life for a while: results and imports then stand still."""
    return not _has_beaten(now)


def imports_are_stalled(now: datetime) -> bool:
    """Return whether nobody takes imports and exports. A worker busy with one gives no sign but is not stalled."""
    if _has_beaten(now, queue="long"):
        return False
    imports = ImportJob.objects.filter(status=ImportJob.Status.RUNNING)
    exports = ExportJob.objects.filter(status=ExportJob.Status.RUNNING)
    return not (_has_beaten(now) and (imports.exists() or exports.exists()))


def _has_beaten(now: datetime, **which: str) -> bool:
    since = now - timedelta(seconds=settings.WORKER_SILENT_AFTER)
    return Heartbeat.objects.filter(beaten_at__gt=since, **which).exists()
