"""JSON as these exports write it: UTF-8 as it is, keys in the order given."""

from typing import Any

import orjson


def as_line(record: dict[str, Any]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
