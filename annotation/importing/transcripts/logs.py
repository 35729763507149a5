"""A chat log, whatever its format, and the dialogues that it becomes."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_SOURCE_KEY, Record, clean_key
from annotation.importing.outcome import BadField
from annotation.importing.shapes import DialogueOptions, ParsedCandidate, ParsedDialogue
from annotation.importing.transcripts.choosing import parse_rate
from annotation.importing.transcripts.messages import ASSISTANT, SYSTEM, USER, Message
from annotation.importing.transcripts.records import dotted
from annotation.numbering import asker_of, told_asker

LONGEST_LOG_KEY = 190  # leaves room for the number of a response


@dataclass(slots=True)
class Log:
    """A conversation of a file. `place` is its field in a file that is one document; empty for a line of its own."""

    line: int
    place: str
    key: str
    model: str
    messages: list[Message]
    metadata: Record = field(default_factory=dict)
    scenario: str = ""
    batch_key: str = ""
    context: list[Record] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Response:
    """A message of the assistant. `n_before` turns are its history."""

    number: int
    n_before: int
    message: Message


class Cutter:
    """Cut logs into dialogues: one for each chosen response with the turns before it, and the whole one if wanted."""

    def __init__(self, options: DialogueOptions) -> None:
        self._options = options
        self._rate = parse_rate(options.rate)
        self._places: dict[str, str] = {}  # of the logs, by the keys of log and dialogues

    def dialogues(self, log: Log) -> Iterator[ParsedDialogue]:
        said = [message for message in log.messages if message.role != SYSTEM]
        turns = [{"speaker": message.role, "text": self._text(message)} for message in said]
        responses = [
            Response(number, at, said[at])
            for number, at in enumerate((at for at, message in enumerate(said) if message.role == ASSISTANT), start=1)
        ]
        if not any(response.n_before for response in responses):
            text = _("has no message of the assistant that follows another message, so there is nothing to rate")
            raise BadField(_at(log, "messages"), text)
        log.key = log.key or _derived_key(turns)
        self._claim(log.key, log)
        for response in self._rate.chosen(responses):
            if response.n_before:
                yield self._dialogue(log, turns[: response.n_before], self._model(log, response), response)
        if self._options.with_dialogue:
            yield self._dialogue(log, turns, self._model_of_all(log, responses))

    def _model(self, log: Log, response: Response) -> str:
        return response.message.model or log.model or self._options.source

    def _model_of_all(self, log: Log, responses: list[Response]) -> str:
        """Return the model of the whole log. Raise BadField if its responses are from several."""
        models = list(dict.fromkeys(self._model(log, response) for response in responses))
        if log.model or len(models) == 1:
            return log.model or models[0]
        text = _(
            "differs between the responses (%(models)s), so the whole dialogue has no source: name the model of the "
            "log, or import without the whole dialogue"
        )
        raise BadField(_at(log, "model"), text % {"models": ", ".join(models)})

    def _text(self, message: Message) -> str:
        return message.text.replace("\\n", "\n") if self._options.unescape_newlines else message.text

    def _claim(self, key: str, log: Log) -> None:
        """Raise BadField if another log has the key. Two dialogues of one key would break the whole import."""
        place = log.place or _("line %(line)s") % {"line": log.line}
        before = self._places.setdefault(key, place)
        if before != place:
            text = _("has the same id, or without one the same messages, as %(place)s: each log needs its own id")
            raise BadField(_at(log, "id"), text % {"place": before})

    def _dialogue(self, log: Log, turns: list[Record], model: str, response: Response | None = None) -> ParsedDialogue:
        """Return the turns with the response that follows them, or the whole dialogue."""
        key = f"{log.key}:{response.number}" if response else log.key
        self._claim(key, log)
        source = clean_key(model, _at(log, "model"), LONGEST_SOURCE_KEY)
        if not source:
            text = _("is missing: name the model that answers, or one source for the whole file")
            raise BadField(_at(log, "model"), text)
        candidates = []
        if response:
            message = response.message
            own = clean_key(message.key, message.place) or key
            candidates.append(ParsedCandidate(own, source, self._text(message), dict(message.ids), message.role))
        metadata, context = dict(log.metadata), list(log.context)
        prompts = "\n\n".join(self._text(message) for message in log.messages if message.role == SYSTEM)
        if prompts and self._options.show_system:
            context.append({"title": _("System prompt"), "text": prompts})
        elif prompts:
            metadata["system_prompt"] = prompts
        asker = (told_asker(turns, self._options.asker) if self._options.asker else "") or _asker(turns)
        author = "" if response else source
        return ParsedDialogue(
            log.line, key, turns, candidates, metadata, log.batch_key, asker, log.key, context, author, log.scenario
        )


def _asker(turns: list[Record]) -> str:
    return USER if any(turn["speaker"] == USER for turn in turns) else asker_of(turns)


def _at(log: Log, name: str) -> str:
    return dotted(log.place) + name


def _derived_key(turns: list[Record]) -> str:
    return "t-" + hashlib.sha256(orjson.dumps(turns)).hexdigest()[:24]
