"""Limit the number of requests to the API."""

import time
from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from parley.cache import count

if TYPE_CHECKING:
    from rest_framework.views import APIView


class Throttle(BaseThrottle):
    """Count requests per user or address in fixed minutes, in one round trip. All pass while the cache is away."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        who = request.user.pk if request.user and request.user.is_authenticated else self.get_ident(request)
        key = f"throttle:{who}:{int(time.time() // 60)}"
        return count(key, timeout=120) <= settings.API_REQUESTS_PER_MINUTE

    def wait(self) -> float:
        return 60 - time.time() % 60
