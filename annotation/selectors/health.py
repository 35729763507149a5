"""Find out whether workers do the jobs that pages wait for."""

from datetime import datetime, timedelta

from django.conf import settings

from annotation.models import ExportJob, Heartbeat, ImportJob, KeptReport


def worker_is_silent(now: datetime) -> bool:
    """Return whether no worker has shown a sign of life for a while: results and imports then stand still."""
    return not _has_beaten(now)


def imports_are_stalled(now: datetime) -> bool:
    """Return whether nobody takes imports, exports and reports. A worker busy with one gives no sign of life."""
    if _has_beaten(now, queue="long"):
        return False
    imports = ImportJob.objects.filter(status=ImportJob.Status.RUNNING)
    exports = ExportJob.objects.filter(status=ExportJob.Status.RUNNING)
    reports = KeptReport.objects.filter(asked_at__isnull=False, n_done__gt=0)
    return not (_has_beaten(now) and (imports.exists() or exports.exists() or reports.exists()))


def _has_beaten(now: datetime, **which: str) -> bool:
    since = now - timedelta(seconds=settings.WORKER_SILENT_AFTER)
    return Heartbeat.objects.filter(beaten_at__gt=since, **which).exists()
