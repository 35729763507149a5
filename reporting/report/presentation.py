"""How annotators saw the texts: the study's setting in words, for the checklist, the methods and the datasheet."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Study

SENTENCES = {
    Study.TextFormat.PLAIN: gettext_noop(
        "Dialogues and responses were shown as plain text, with every character and line end as typed."
    ),
    Study.TextFormat.MARKDOWN: gettext_noop(
        "Dialogues and responses were shown as formatted Markdown (CommonMark with tables and strikethrough; headings "
        "as bold lines, links and images as text); one key showed them as typed."
    ),
}


def presentation_sentence(text_format: str) -> str:
    return _(SENTENCES[Study.TextFormat(text_format)])


def is_collected_elsewhere(report: dict[str, Any]) -> bool:
    """Whether there are answers and all of them are imported: what Parley's pages show says nothing then.

    Annotators of an archive are imported too, but their batches come with times.
    """
    are_imported = 0 < report["n_annotators"] <= report["n_imported_annotators"]
    return are_imported and not report["time_and_pay"]["batch_minutes_elapsed"]["n"]
