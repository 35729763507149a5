"""JSON Lines as the exports write them: unescaped UTF-8, with keys in the given order."""

from typing import Any

import orjson


def as_line(record: dict[str, Any]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
