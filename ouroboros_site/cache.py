"""A cache in Redis that is only a cache: while Redis is away, nothing is found in it."""

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Django's cache in Redis, whose ``get`` and ``set`` never fail a request."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        """What is kept under a key; ``default`` if there is nothing, or no Redis."""
        try:
            return super().get(key, default, version)
        except RedisError:
            logger.exception("Redis does not answer")
            return default

    def set(self, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
        """Keep a value if Redis is there."""
        try:
            super().set(key, value, *args, **kwargs)
        except RedisError:
            logger.exception("Redis does not answer")
