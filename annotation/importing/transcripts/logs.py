"""A chat log, whatever its format, and the dialogues that it becomes."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_SOURCE_KEY, Record, clean_key
from annotation.importing.outcome import BadField, named_place
from annotation.importing.remedies import name_model, with_dialogue
from annotation.importing.shapes import DialogueOptions, ParsedCandidate, ParsedDialogue
from annotation.importing.transcripts.choosing import RATE_NONE, parse_rate, parse_roles
from annotation.importing.transcripts.messages import ASSISTANT, SYSTEM, USER, Message
from annotation.importing.transcripts.places import dotted
from annotation.numbering import asker_of, told_asker
from parley.listing import either

LONGEST_LOG_KEY = 190  # leaves room for the role and number of a response
USERS = "users"  # the source of messages of users that name no model: the model of a log is the assistant


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
    """A message that may be rated, with its number among those of its role. `n_before` turns are its history."""

    number: int
    n_before: int
    message: Message


class Cutter:
    """Cut logs into dialogues: one for each chosen response with the turns before it, and the whole one if wanted."""

    def __init__(self, options: DialogueOptions) -> None:
        self._options = options
        self._rate = parse_rate(options.rate)
        if self._rate.way == RATE_NONE and not options.with_dialogue:
            raise BadField("rate", _("is none, so nothing would be rated"), with_dialogue())
        self._roles = parse_roles(options.roles)
        self._places: dict[str, str] = {}  # of the logs, by the keys of log and dialogues

    def dialogues(self, log: Log) -> Iterator[ParsedDialogue]:
        said = [message for message in log.messages if message.role != SYSTEM]
        turns = [{"speaker": message.speaker, "text": self._text(message)} for message in said]
        numbers = dict.fromkeys(self._roles | {ASSISTANT}, 0)
        responses = []
        for at, message in enumerate(said):
            if message.role in numbers:
                numbers[message.role] += 1
                responses.append(Response(numbers[message.role], at, message))
        wanted = [response for response in responses if response.message.role in self._roles]
        if not any(response.n_before for response in wanted):
            text = _("has no message of the %(role)s that follows another message, so there is nothing to rate")
            raise BadField(_at(log, "messages"), text % {"role": either(sorted(self._roles))})
        log.key = log.key or _derived_key(turns)
        self._claim(log.key, log)
        for response in self._rate.chosen(wanted):
            if response.n_before:
                yield self._dialogue(log, turns[: response.n_before], self._model(log, response), response)
        if self._options.with_dialogue:
            yield self._dialogue(log, turns, self._model_of_all(log, responses))

    def _model(self, log: Log, response: Response) -> str:
        if response.message.role == USER:
            return response.message.model or USERS
        return response.message.model or log.model or self._options.source

    def _model_of_all(self, log: Log, responses: list[Response]) -> str:
        """Return the model of the whole log. Raise BadField if the assistant's responses are from several."""
        said = [response for response in responses if response.message.role == ASSISTANT]
        models = list(dict.fromkeys(self._model(log, response) for response in said))
        if len(models) > 1 and "" in models:
            raise _without_model(log, next(each for each in said if not self._model(log, each)))
        if log.model or len(models) < 2:
            return log.model or (models or [self._options.source])[0]
        text = _(
            "differs between the responses (%(models)s), so the whole dialogue has no source: name the model of the "
            "log, or import without the whole dialogue"
        )
        raise BadField(_at(log, "model"), text % {"models": ", ".join(models)})

    def _text(self, message: Message) -> str:
        return message.text.replace("\\n", "\n") if self._options.unescape_newlines else message.text

    def _claim(self, key: str, log: Log) -> None:
        """Raise BadField if another log has the key. Two dialogues of one key would break the whole import."""
        place = log.place or named_place(log.line)
        before = self._places.setdefault(key, place)
        if before != place:
            text = _("has the same id, or without one the same messages, as %(place)s: each log needs its own id")
            raise BadField(_at(log, "id"), text % {"place": before})

    def _dialogue(self, log: Log, turns: list[Record], model: str, response: Response | None = None) -> ParsedDialogue:
        """Return the turns with the response that follows them, or the whole dialogue."""
        key = log.key
        if response:
            role = "" if response.message.role == ASSISTANT else f"{response.message.role}:"
            key = clean_key(f"{log.key}:{role}{response.number}", _at(log, "id"))
        self._claim(key, log)
        source = clean_key(model, _at(log, "model"), LONGEST_SOURCE_KEY)
        if not source:
            raise _without_model(log, response)
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


def _without_model(log: Log, response: Response | None) -> BadField:
    """Return the error at the call that gave the response, which may be any of those that make the log."""
    line, place = (response and response.message.call) or (log.line, log.place)
    return BadField(f"{dotted(place)}model", _("is missing"), name_model(), line)


def _at(log: Log, name: str) -> str:
    return dotted(log.place) + name


def _derived_key(turns: list[Record]) -> str:
    return "t-" + hashlib.sha256(orjson.dumps(turns)).hexdigest()[:24]
