"""The health check, for the supervisor, containers and people."""

from datetime import timedelta

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone

from annotation.models import Heartbeat


def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 if pages can be served, which needs only the database, otherwise 503; name what is missing."""
    database = _database()
    found = {
        "database": database,
        "broker": _broker(),
        "worker": _worker() if database == "ok" else "unknown",
    }
    return JsonResponse(found, status=200 if database == "ok" else 503)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "missing"
    return "ok"


def _broker() -> str:
    try:
        redis.from_url(settings.REDIS_ADDRESS, socket_connect_timeout=2, socket_timeout=2).ping()
    except redis.RedisError:
        return "missing"
    return "ok"


def _worker() -> str:
    since = timezone.now() - timedelta(seconds=settings.WORKER_SILENT_AFTER)
    return "ok" if Heartbeat.objects.filter(queue="live", beaten_at__gte=since).exists() else "missing"
