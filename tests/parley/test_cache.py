"""The cache may be away, or worse: there, and silent."""

import socket
import time

import pytest
from django.conf import settings

from parley.cache import ForgivingRedisCache


@pytest.mark.parametrize("family", ["unix", "tcp"])
def test_a_cache_server_that_takes_calls_and_never_answers_holds_no_request(tmp_path, family: str):
    with socket.socket(socket.AF_UNIX if family == "unix" else socket.AF_INET) as silent:
        silent.bind(str(tmp_path / "silent") if family == "unix" else ("127.0.0.1", 0))
        silent.listen()
        name = silent.getsockname()
        url = f"unix://{name}?db=0" if family == "unix" else f"redis://127.0.0.1:{name[1]}/0"
        cache = ForgivingRedisCache(url, {"OPTIONS": settings.CACHES["default"].get("OPTIONS", {})})
        began = time.monotonic()
        assert cache.count("anything", 60) == 1
        assert time.monotonic() - began < 5
