"""Parse JSON bodies of limited size and depth."""

from typing import IO, Any

import orjson
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

LARGEST_BODY = 1024 * 1024


class BoundedJSONParser(BaseParser):
    """Parse with orjson: the standard library's parser fails on deeply nested input, which would be a 500."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        body = stream.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            raise ParseError(_("This request is larger than 1 MiB."))
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(_("This is not valid JSON: %(error)s") % {"error": error}) from None
