"""A cache that may be forgotten, and whose loss never fails a request."""

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Answers as an empty cache while the server is away: a rating must be saved without it."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        return self._or(default, super().get, key, default, version)

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._or(None, super().set, *args, **kwargs)

    def add(self, *args: Any, **kwargs: Any) -> bool:
        return self._or(True, super().add, *args, **kwargs)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        return self._or(delta, super().incr, key, delta, version)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return self._or(False, super().delete, *args, **kwargs)

    @staticmethod
    def _or(instead: Any, call: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except RedisError as error:
            logger.warning("cache away: %s", error)
            return instead
