"""Help to choose how a study shows its texts: read its first dialogue, and count texts that look like Markdown."""

from dataclasses import dataclass

from annotation.models import Candidate, Dialogue, Study
from annotation.texts import looks_like_markdown

LOOKED_AT = 50  # dialogues: the first ones of a file are like the rest
TURNS = 12  # of the first dialogue


@dataclass(frozen=True, slots=True)
class TextSample:
    """A sample of texts. `texts` are (speaker, text) of the first dialogue, then of one response from any source."""

    texts: list[tuple[str, str]]
    n_texts: int
    n_like_markdown: int


def text_sample(study: Study) -> TextSample | None:
    """Return the sample, or None before anything is imported."""
    dialogues = list(Dialogue.objects.filter(study=study, is_textless=False).order_by("position", "pk")[:LOOKED_AT])
    if not dialogues:
        return None
    responses = list(Candidate.objects.filter(dialogue__in=dialogues).exclude(text="").order_by("pk"))
    texts = [turn["text"] for each in dialogues for turn in each.turns] + [each.text for each in responses]
    first = next((each for each in responses if each.dialogue_id == dialogues[0].pk), None)
    shown = [(turn["speaker"], turn["text"]) for turn in dialogues[0].turns[:TURNS]]
    shown += [(first.speaker, first.text)] if first else []
    return TextSample(shown, len(texts), sum(map(looks_like_markdown, texts)))
