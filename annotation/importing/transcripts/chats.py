"""Read logs of chat messages: a list of messages, alone or in a record with its id and model."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_BATCH_KEY, LONGEST_SOURCE_KEY, Record, first_key, kind_of
from annotation.importing.outcome import BadField
from annotation.importing.shapes import BATCH_KEYS, DIALOGUE_KEYS, SCENARIO_KEYS, DialogueOptions, context_in
from annotation.importing.transcripts.logs import LONGEST_LOG_KEY, Log
from annotation.importing.transcripts.messages import ASSISTANT, Message, read_message, read_messages
from annotation.importing.transcripts.places import Place, dotted

MESSAGE_FIELDS = ("messages", "conversations", "conversation", "chat", "dialog", "turns", "history")
LOG_KEYS = ("conversation_id", "session_id", "thread_id", "custom_id", *DIALOGUE_KEYS, "conversation")
REQUESTS = ("request", "body", "input")  # where logs of an API keep what was sent
ANSWERS = ("response", "output", "completion")  # and what came back


def read_chat(place: Place, record: Any, options: DialogueOptions) -> Log:
    """Return the log in a record. Raise BadField."""
    line, prefix = place
    if type(record) is list:
        return Log(line, prefix, "", "", read_messages(record, prefix or "messages"))
    if type(record) is not dict:
        raise BadField(prefix, _("must be an object or a list of messages, not %(kind)s") % {"kind": kind_of(record)})
    dot = dotted(prefix)
    holder, name, inner = _messages_in(record, dot)
    messages = read_messages(holder[name], f"{dot}{inner}{name}")
    used = {inner.split(".")[0] or name}
    answer = next((each for each in ANSWERS if record.get(each)), "")
    if answer and messages[-1:] and messages[-1].role != ASSISTANT:  # otherwise the answer is there already
        messages += answers_in(record[answer], f"{dot}{answer}")
        used.add(answer)
    ids = {key: value for key, value in record.items() if key not in used}  # messages may be called conversation
    key_name, key = first_key(ids, LOG_KEYS, dot, LONGEST_LOG_KEY)
    batch_name, batch_key = first_key(record, BATCH_KEYS, dot, LONGEST_BATCH_KEY)
    scenario_name, scenario = first_key(record, SCENARIO_KEYS, dot)
    model_name, model = first_key(record, ("model", "source"), dot, LONGEST_SOURCE_KEY)
    if not model and inner:
        model = first_key(holder, ("model",), f"{dot}{inner}", LONGEST_SOURCE_KEY)[1]
    context = context_in(record, dot, options)
    used |= {key_name, batch_name, scenario_name, model_name, "context" if context else ""}
    metadata = {name: value for name, value in record.items() if name not in used}
    return Log(line, prefix, key, model, messages, metadata, scenario, batch_key, context)


def _messages_in(record: Record, dot: str) -> tuple[Record, str, str]:
    """Return the object that has the messages, the name of their field, and the place of the object."""
    for name in MESSAGE_FIELDS:
        if type(record.get(name)) is list:
            return record, name, ""
    for outer in REQUESTS:
        inner = record.get(outer)
        if type(inner) is dict and type(inner.get("body")) is dict and type(inner["body"].get("messages")) is list:
            return inner["body"], "messages", f"{outer}.body."
        if type(inner) is dict and type(inner.get("messages")) is list:
            return inner, "messages", f"{outer}."
    text = _("is missing: a chat log needs its messages, a list of role and content. The fields are: %(names)s")
    raise BadField(f"{dot}messages", text % {"names": ", ".join(map(str, list(record)[:20]))})


def answers_in(value: Any, place: str) -> list[Message]:
    """Return the messages of what a model gave back, in the forms that logs have. Raise BadField."""
    found = list(_answers(value, place))
    if type(value) is dict:
        for message in found:
            model = value.get("model")
            message.model = message.model or (model if type(model) is str else "")
    return found


def _answers(value: Any, place: str) -> Iterator[Message]:
    if type(value) is list:
        for at, each in enumerate(value):
            yield from _answers(each, f"{place}[{at}]")
        return
    if type(value) is dict:
        for name in ("body", "choices", "messages", "generations"):
            if value.get(name):
                yield from answers_in(value[name], f"{place}.{name}")
                return
    yield from read_message(value, place, ASSISTANT)


def questions_in(value: Any, place: str) -> list[Message]:
    """Return the messages that a model was given, in the forms that logs have. Raise BadField."""
    if type(value) is list:
        if len(value) == 1 and type(value[0]) is list:
            return read_messages(value[0], f"{place}[0]")
        return read_messages(value, place)
    if type(value) is dict:
        for name in ("messages", "input", "prompt", "question", "query"):
            if value.get(name):
                return questions_in(value[name], f"{place}.{name}")
    return read_message(value, place, "user")
