"""Describe how annotators saw the texts, for the checklist, the methods and the datasheet."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Study

SENTENCES = {
    Study.TextFormat.PLAIN: gettext_noop(
        "Dialogues and responses were shown as plain text, with every character and line break as typed."
    ),
    Study.TextFormat.MARKDOWN: gettext_noop(
        "Dialogues and responses were shown as formatted Markdown (CommonMark with tables and "
        "strikethrough; headings as bold lines, links and images as text); pressing a key showed them as "
        "typed."
    ),
}


def presentation_sentence(text_format: str) -> str:
    return _(SENTENCES[Study.TextFormat(text_format)])
