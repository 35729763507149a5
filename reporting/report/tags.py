"""Template filters for names in the report, and tags for the terms that it explains."""

import re

from django import template
from django.template import Context
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from reporting.report.model_words import withheld
from reporting.report.terms.known import TERMS
from reporting.report.terms.term import Term

register = template.Library()
SHOWN_TERMS = "shown_terms"  # in the context of a page: {key: term}. A printed report has no buttons, so it lacks it.
register.filter("withheld", withheld)
PARTS = re.compile(r"(.+?)(?:(?<=[;,:])( )|$)")
SHORT = 26  # characters: a longer part needs more than the width of a cell
# Names of the tables to download; their columns have the same names in every language.
TABLE_NAMES = {
    "agreement": pgettext_lazy("a table of the report", "agreement"),
    "agreement_cells": pgettext_lazy("a table of the report", "agreement by source and criterion"),
    "agreement_by_criterion": pgettext_lazy("a table of the report", "agreement by criterion"),
    "agreement_by_source": pgettext_lazy("a table of the report", "agreement by source"),
    "overall": pgettext_lazy("a table of the report", "agreement over all sources"),
    "further_agreement": pgettext_lazy("a table of the report", "further coefficients of agreement"),
    "majority": pgettext_lazy("a table of the report", "positive by majority"),
    "votes": pgettext_lazy("a table of the report", "all votes"),
    "options": pgettext_lazy("a table of the report", "options"),
    "errors": pgettext_lazy("a table of the report", "errors"),
    "negatives": pgettext_lazy("a table of the report", "free texts of negative answers"),
    "negatives_by_source": pgettext_lazy("a table of the report", "free texts of negative answers by source"),
    "negative_texts": pgettext_lazy("a table of the report", "texts of negative answers"),
    "pairs": pgettext_lazy("a table of the report", "pairs of annotators"),
    "batches": pgettext_lazy("a table of the report", "batches"),
    "alpha_check": pgettext_lazy("a table of the report", "check of alpha"),
    "distributions": pgettext_lazy("a table of the report", "distributions"),
    "turns": pgettext_lazy("a table of the report", "marked turns"),
    "turn_overlaps": pgettext_lazy("a table of the report", "overlap of marked turns"),
    "behaviours": pgettext_lazy("a table of the report", "behaviours"),
    "behaviour_differences": pgettext_lazy("a table of the report", "differences in behaviours"),
    "behaviour_agreement": pgettext_lazy("a table of the report", "agreement on behaviours"),
    "metrics": pgettext_lazy("a table of the report", "automatic metrics"),
    "means": pgettext_lazy("a table of the report", "results by source"),
    "comparisons": pgettext_lazy("a table of the report", "differences between sources"),
    "odds_ratios": pgettext_lazy("a table of the report", "odds ratios"),
    "variances": pgettext_lazy("a table of the report", "variance components"),
    "ratings_used": pgettext_lazy("a table of the report", "ratings used"),
    "pairings": pgettext_lazy("a table of the report", "comparisons of pairs"),
    "side_bias": pgettext_lazy("a table of the report", "bias of sides"),
    "rankings": pgettext_lazy("a table of the report", "rankings"),
    "win_rates": pgettext_lazy("a table of the report", "expected win rates"),
    "preference_models": pgettext_lazy("a table of the report", "models of preferences"),
    "breakdowns": pgettext_lazy("a table of the report", "breakdowns"),
    "excluded_batches": pgettext_lazy("a table of the report", "excluded batches"),
    "time_and_pay": pgettext_lazy("a table of the report", "time and pay"),
    "pay": pgettext_lazy("a table of the report", "pay"),
    "adjudication": pgettext_lazy("a table of the report", "disagreements of two annotators"),
    "workload": pgettext_lazy("a table of the report", "workload"),
    "data_set": pgettext_lazy("a table of the report", "data set"),
    "final_labels": pgettext_lazy("a table of the report", "final labels"),
    "predictions": pgettext_lazy("a table of the report", "predictions"),
    "judges": pgettext_lazy("a table of the report", "judges beside people"),
    "judge_annotators": pgettext_lazy("a table of the report", "judges beside each annotator"),
    "human_ceiling": pgettext_lazy("a table of the report", "human ceiling"),
    "judge_scores": pgettext_lazy("a table of the report", "scores of people and judges"),
    "judge_differences": pgettext_lazy("a table of the report", "differences by people and judges"),
    "acceptance": pgettext_lazy("a table of the report", "batch acceptance"),
    "checklist": pgettext_lazy("a table of the report", "checklist"),
    "comments": pgettext_lazy("a table of the report", "comments"),
    "flags": pgettext_lazy("a table of the report", "flags"),
}


@register.filter
def table_name(name: str) -> str:
    return str(TABLE_NAMES[name])


@register.filter
def unbroken(text: str) -> SafeString:
    """Return a text whose short parts with numbers, such as "0.56 to 0.78", are never broken over two lines."""
    return format_html_join("", "{}{}", ((_together(part), gap) for part, gap in PARTS.findall(text)))


def _together(part: str) -> SafeString | str:
    is_short = " " in part and len(part) <= SHORT and any(each.isdigit() for each in part)
    return format_html('<span class="unbroken">{}</span>', part) if is_short else part


@register.simple_tag(takes_context=True)
def term(context: Context, key: str, label: str) -> SafeString:
    """Return the label of a statistic: on a page, as a button that opens its explanation."""
    return _button(context, key, label) or conditional_escape(label)


@register.simple_tag(takes_context=True)
def explain(context: Context, key: str) -> SafeString:
    """Return a question mark that opens the explanation of the sentence before it, or nothing in print."""
    said = _("Explain: %(name)s") % {"name": TERMS[key].name}
    return _button(context, key, "?", said)


@register.simple_tag(takes_context=True)
def cell_terms(context: Context, *keys: str) -> SafeString:
    """Return a line that explains what the cells of the table below it show, or nothing in print.

    An empty key is skipped, so that a template can name a term that a table only sometimes has.
    """
    buttons = [_button(context, key, TERMS[key].name) for key in keys if key]
    if not any(buttons):
        return SafeString("")
    named = format_html_join(", ", "{}", ((each,) for each in buttons))
    return format_html('<p class="small quiet">{} {}</p>', _("In the cells:"), named)


def _button(context: Context, key: str, text: str, said: str = "") -> SafeString:
    shown: dict[str, Term] | None = context.get(SHOWN_TERMS)
    if shown is None:
        return SafeString("")
    shown[key] = TERMS[key]
    name = format_html(' aria-label="{}"', said) if said else ""
    return format_html('<button type="button" class="term" popovertarget="term-{}"{}>{}</button>', key, name, text)
