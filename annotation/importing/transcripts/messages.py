"""Read the messages of a chat log: their roles and texts, tool calls and tool results."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import Record, clean_text, kind_of, nul
from annotation.importing.outcome import BadField
from annotation.importing.transcripts.places import Place

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
TOOL_CALL, TOOL_RESULT = "tool call", "tool result"
# The names that logs use for a role.
ROLES = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "human": USER,
    "assistant": ASSISTANT,
    "ai": ASSISTANT,
    "model": ASSISTANT,
    "bot": ASSISTANT,
    "gpt": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
ROLE_FIELDS = ("role", "from", "type")
TEXT_FIELDS = ("content", "parts", "value", "text", "contents")
TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})
CALL_PARTS = frozenset({"tool_use", "tool_call", "function_call"})
RESULT_PARTS = frozenset({"tool_result", "tool_call_response", "function_call_output"})
HIDDEN_PARTS = frozenset({"reasoning", "thinking", "redacted_thinking"})  # nobody who chats sees them
# Parts that cannot be shown, and the word that stands for them.
MEDIA_PARTS = dict.fromkeys(("image", "image_url", "input_image"), "[image]") | {
    **dict.fromkeys(("audio", "input_audio", "output_audio"), "[audio]"),
    **dict.fromkeys(("document", "file", "input_file", "blob", "uri"), "[file]"),
    "video": "[video]",
}


@dataclass(slots=True)
class Message:
    """A message with one role. `place` is its field in the file, `ids` are those of its origin.

    `call` is the place of the call that gave it, in a log of single calls.
    """

    role: str
    text: str
    place: str
    key: str = ""
    model: str = ""
    ids: Record = field(default_factory=dict)
    is_call: bool = False
    call: Place | None = None

    @property
    def speaker(self) -> str:
        """Return who speaks, as annotators read it: what a tool was asked is told from what it said."""
        if self.role != TOOL:
            return self.role
        return TOOL_CALL if self.is_call else TOOL_RESULT

    @property
    def said(self) -> tuple[str, str]:
        """Return what makes it the same message in another call."""
        return self.role, self.text.strip()


def read_messages(raws: object, place: str) -> list[Message]:
    """Return the messages of a list. Tool calls become messages of their own. Raise BadField."""
    if type(raws) is not list:
        raise BadField(place, _("must be a list, not %(kind)s") % {"kind": kind_of(raws)})
    return [message for at, raw in enumerate(raws) for message in read_message(raw, f"{place}[{at}]")]


def read_message(raw: object, place: str, role: str = "") -> list[Message]:
    """Return the message and its tool calls; `role` is that of a message that names none. Raise BadField."""
    if type(raw) is str and role:
        return [Message(role, clean_text(raw, place), place)]
    if type(raw) is not dict:
        raise BadField(place, _("must be an object, not %(kind)s") % {"kind": kind_of(raw)})
    raw = raw["message"] if type(raw.get("message")) is dict else raw
    role = _role(raw, place, role)
    name = next((name for name in TEXT_FIELDS if raw.get(name) not in (None, "", [])), "content")
    texts, around = [], list(_calls(raw, place))
    for kind, text in _pieces(raw.get(name), f"{place}.{name}"):
        if kind and role != TOOL:
            around.append(Message(TOOL, text, place, is_call=kind == TOOL_CALL))
        else:
            texts.append(text)
    found = []
    text = "\n\n".join(each for each in texts if each.strip())
    if text:
        text = clean_text(text, f"{place}.{name}")
        found.append(Message(role, text, place, _text_in(raw, "id"), _text_in(raw, "model")))
    elif not around:
        raise BadField(f"{place}.{name}", _("is empty: remove the message, or give its text"))
    return [*found, *around]


def _role(raw: Record, place: str, role: str) -> str:
    name = next((name for name in ROLE_FIELDS if raw.get(name)), "")
    given = raw[name] if name else role
    if not given:
        raise BadField(f"{place}.role", _("is missing: name who says the message, for example user or assistant"))
    known = ROLES.get(given.strip().casefold()) if type(given) is str else None
    if known is None:
        text = _("%(role)r is not a known role: use %(known)s")
        raise BadField(f"{place}.{name or 'role'}", text % {"role": given, "known": ", ".join(ROLES)})
    return known


def _text_in(raw: Record, name: str) -> str:
    value = raw.get(name)
    return value.strip() if type(value) is str and "\x00" not in value else ""


def _pieces(content: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) for the parts of a content. The kind is that of a call or a result, otherwise empty."""
    if content is None:
        return
    if type(content) is str:
        yield "", content
        return
    if type(content) is dict:
        content = [content]
    if type(content) is not list:
        raise BadField(place, _("must be text or a list of parts, not %(kind)s") % {"kind": kind_of(content)})
    for at, part in enumerate(content):
        found = _piece(part, f"{place}[{at}]")
        if found is not None:
            yield found


def _piece(part: Any, place: str) -> tuple[str, str] | None:
    if type(part) is str:
        return "", part
    if type(part) is not dict:
        raise BadField(place, _("must be text or an object, not %(kind)s") % {"kind": kind_of(part)})
    part = part["message_content"] if type(part.get("message_content")) is dict else part
    kind = part.get("type") or "text"
    if type(kind) is not str:
        raise BadField(f"{place}.type", _("must be text, not %(kind)s") % {"kind": kind_of(kind)})
    if kind in HIDDEN_PARTS:
        return None
    if kind in TEXT_PARTS:
        text = next((part[name] for name in ("text", "content", "refusal") if type(part.get(name)) is str), None)
        if text is None:
            raise BadField(f"{place}.text", _("is missing: a part of text needs its text"))
        return "", text
    if kind in CALL_PARTS:
        return TOOL_CALL, _call_text(part)
    if kind in RESULT_PARTS:
        return TOOL_RESULT, _result_text(part)
    if kind in MEDIA_PARTS:
        return "", MEDIA_PARTS[kind]
    text = _("is a part of the unknown kind %(kind)r: remove it, or replace it by a part of text")
    raise BadField(f"{place}.type", text % {"kind": kind})


def _calls(raw: Record, place: str) -> Iterator[Message]:
    """Yield the tool calls beside a message's text, in the forms that logs have."""
    calls = raw.get("tool_calls") or []
    if type(calls) is not list:
        raise BadField(f"{place}.tool_calls", _("must be a list, not %(kind)s") % {"kind": kind_of(calls)})
    if type(raw.get("function_call")) is dict:
        calls = [*calls, raw["function_call"]]
    for at, call in enumerate(calls):
        if type(call) is not dict:
            raise BadField(f"{place}.tool_calls[{at}]", _("must be an object, not %(kind)s") % {"kind": kind_of(call)})
        text = _call_text(call["tool_call"] if type(call.get("tool_call")) is dict else call)
        if "\x00" in text:
            raise BadField(f"{place}.tool_calls[{at}]", nul())
        yield Message(TOOL, text, f"{place}.tool_calls[{at}]", is_call=True)


def _call_text(call: Record) -> str:
    function = call.get("function")
    said = function if type(function) is dict else call
    name = said.get("name") or (function if type(function) is str else "") or TOOL
    arguments = next((said[each] for each in ("arguments", "input", "args") if said.get(each) is not None), "")
    return f"{name}({_as_text(arguments)})"


def _result_text(part: Record) -> str:
    result = next((part[each] for each in ("content", "result", "response", "output") if part.get(each)), "")
    if type(result) is list and all(type(each) is dict and type(each.get("text")) is str for each in result):
        return "\n".join(each["text"] for each in result)
    return _as_text(result)


def _as_text(value: Any) -> str:
    return value if type(value) is str else orjson.dumps(value).decode()
