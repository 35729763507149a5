"""How often the API may be asked."""

import time
from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from parley.cache import count

if TYPE_CHECKING:
    from rest_framework.views import APIView


class Throttle(BaseThrottle):
    """A fixed window of a minute per user or address: one counter, one round trip, forgiving when it is lost."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        who = request.user.pk if request.user and request.user.is_authenticated else self.get_ident(request)
        key = f"throttle:{who}:{int(time.time() // 60)}"
        return count(key, timeout=120) <= settings.API_REQUESTS_PER_MINUTE

    def wait(self) -> float:
        return 60 - time.time() % 60
