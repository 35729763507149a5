"""Read chat logs: every response of an assistant, or a choice of them, becomes a response to rate in its context."""

from annotation.importing.transcripts.choosing import RATE_ALL, RATE_NONE, parse_rate, parse_roles
from annotation.importing.transcripts.reading import CHATS, TRANSCRIPT_FORMATS, read_transcripts, transcript_format

__all__ = [
    "CHATS",
    "RATE_ALL",
    "RATE_NONE",
    "TRANSCRIPT_FORMATS",
    "parse_rate",
    "parse_roles",
    "read_transcripts",
    "transcript_format",
]
