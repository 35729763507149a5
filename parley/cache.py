"""A cache whose contents may be lost; a missing server never fails a request."""

import logging
from functools import cached_property
from typing import Any, cast

from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


def count(key: str, timeout: int) -> int:
    """Add 1 to a counter and return it. The counter begins at 1 and expires `timeout` seconds after the first call."""
    return cast(ForgivingRedisCache, caches["default"]).count(key, timeout)


class ForgivingRedisCache(RedisCache):
    """A cache that is empty while its server is away: ratings must be saved without it."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._or(default, super().get, key, default, version)

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._or(None, super().set, *args, **kwargs)

    def add(self, *args: Any, **kwargs: Any) -> bool:
        return self._or(True, super().add, *args, **kwargs)

    def count(self, key: str, timeout: int) -> int:
        """Count in one round trip; Django's `incr` first asks whether the key exists."""
        return self._or(1, self._count, self.make_and_validate_key(key), timeout)

    def _count(self, key: str, timeout: int) -> int:
        count = int(self._client.incr(key))
        if count == 1:
            self._client.expire(key, timeout)
        return count

    @cached_property
    def _client(self) -> Any:
        """Return one client for all commands: Django creates one for each, which takes longer than the command."""
        return self._cache.get_client(None, write=True)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return self._or(False, super().delete, *args, **kwargs)

    @staticmethod
    def _or(instead: Any, call: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except RedisError as error:
            logger.warning("cache away: %s", error)
            return instead
