"""Send one request to an endpoint that speaks OpenAI's chat completions, with the standard library alone.

The key goes into one header and nowhere else: not into a row, a log, an error or a page. Redirects are not followed,
so it never reaches a host other than the one that the operator named.
"""

import http.client
import json
import ssl
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

LONGEST_REPLY = 1024 * 1024
LONGEST_KEPT = 20_000  # characters of an answer
PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of an endpoint. If nothing came back, `http_status` is None and `text` says why.

    `retry_after` is in seconds, if the endpoint named it. If `is_completion`, `text` is what the model said.
    """

    http_status: int | None
    text: str
    latency_ms: int
    is_completion: bool = False
    is_refusal: bool = False
    retry_after: float | None = None
    tokens_prompt: int = 0
    tokens_answer: int = 0


def address_of(base: str) -> str:
    """Return the address to call: for `https://host/v1`, that of its chat completions."""
    base = base.rstrip("/")
    return base if base.endswith(PATH) else base + PATH


def complete(url: str, key: str, body: dict[str, Any], *, timeout: float) -> Reply:
    """Ask once. Failures of the endpoint or the network are reported in the reply and never raised."""
    began = time.monotonic()
    try:
        status, headers, data = _post(url, key, json.dumps(body).encode(), began + timeout)
    except TimeoutError:
        return Reply(None, "no answer in time", _ms(began))
    except ValueError:  # Python's message would quote a malformed header: the key
        return Reply(None, "the request could not be made", _ms(began))
    except (OSError, http.client.HTTPException) as error:
        return Reply(None, _hidden(f"{type(error).__name__}: {error}"[:300], key), _ms(began))
    text = _hidden(data.decode(errors="replace").replace("\x00", "\ufffd"), key)
    if status != 200:
        # The message about a refused key may repeat parts of the key.
        said = "" if status in {401, 403} else text[:1000]
        return Reply(status, said, _ms(began), retry_after=_retry_after(headers.get("retry-after", "")))
    return _completion(text, _ms(began))


def _post(url: str, key: str, body: bytes, deadline: float) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    left = max(0.1, deadline - time.monotonic())
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=left, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=left)
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "parley"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        connection.request("POST", parts.path + (f"?{parts.query}" if parts.query else ""), body, headers)
        response = connection.getresponse()
        data = _read(response, connection, deadline)
        return response.status, {name.lower(): value for name, value in response.getheaders()}, data
    finally:
        connection.close()


def _read(response: http.client.HTTPResponse, connection: http.client.HTTPConnection, deadline: float) -> bytes:
    """Read until the deadline. A socket's timeout restarts at each byte, so a slow endpoint could hold the worker."""
    data = b""
    while not response.isclosed():
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        if connection.sock:
            connection.sock.settimeout(left)
        piece = response.read1(65536)
        data += piece
        if not piece:
            break
        if len(data) > LONGEST_REPLY:
            raise http.client.HTTPException("the answer is larger than 1 MB")
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return data


def _hidden(text: str, key: str) -> str:
    return text.replace(key, "[key]") if key else text


def _ms(began: float) -> int:
    return round(1000 * (time.monotonic() - began))


def _retry_after(value: str) -> float | None:
    """Return the seconds to wait from a number or a date, as HTTP allows both; None for anything else."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _completion(text: str, latency_ms: int) -> Reply:
    """Return the reply of a 200. If it is not a completion, its text is kept as it is."""
    try:
        document = json.loads(text)
        choice = document["choices"][0]
        message = choice["message"]
        refusal, content = message.get("refusal"), message.get("content")
        usage = document.get("usage") or {}
        tokens = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return Reply(200, text[:LONGEST_KEPT], latency_ms)
    is_refusal = bool(refusal) or choice.get("finish_reason") == "content_filter"
    said = content if isinstance(content, str) else ""
    return Reply(
        200,
        # JSON can hold an escaped NUL, which cannot be stored.
        str(refusal or said).replace("\x00", "\ufffd")[:LONGEST_KEPT],
        latency_ms,
        is_completion=True,
        is_refusal=is_refusal,
        tokens_prompt=min(max(tokens[0], 0), 10**9),
        tokens_answer=min(max(tokens[1], 0), 10**9),
    )
