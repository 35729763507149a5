"""Template filters for the names of the report's tables and of reasons for flags."""

from django import template
from django.utils.translation import pgettext_lazy

from reporting.report.flags import reason_word
from reporting.report.model_words import effect_name, left_out_sentence, used_sentence, withheld, withheld_short

register = template.Library()
for _filter in (effect_name, left_out_sentence, used_sentence, withheld, withheld_short):
    register.filter(_filter.__name__, _filter)
# Names of the tables to download; their columns have the same names in every language.
TABLE_NAMES = {
    "agreement": pgettext_lazy("a table of the report", "agreement"),
    "agreement_by_criterion": pgettext_lazy("a table of the report", "agreement by criterion"),
    "agreement_by_source": pgettext_lazy("a table of the report", "agreement by source"),
    "overall": pgettext_lazy("a table of the report", "overall"),
    "further_agreement": pgettext_lazy("a table of the report", "further coefficients of agreement"),
    "majority": pgettext_lazy("a table of the report", "majority"),
    "votes": pgettext_lazy("a table of the report", "votes"),
    "options": pgettext_lazy("a table of the report", "options"),
    "errors": pgettext_lazy("a table of the report", "errors"),
    "negatives": pgettext_lazy("a table of the report", "negative answers"),
    "negatives_by_source": pgettext_lazy("a table of the report", "negative answers by source"),
    "negative_texts": pgettext_lazy("a table of the report", "texts of negative answers"),
    "pairs": pgettext_lazy("a table of the report", "pairs"),
    "batches": pgettext_lazy("a table of the report", "batches"),
    "alpha_check": pgettext_lazy("a table of the report", "check of alpha"),
    "distributions": pgettext_lazy("a table of the report", "distributions"),
    "turns": pgettext_lazy("a table of the report", "marked turns"),
    "turn_overlaps": pgettext_lazy("a table of the report", "overlap of marked turns"),
    "behaviours": pgettext_lazy("a table of the report", "behaviours"),
    "behaviour_differences": pgettext_lazy("a table of the report", "differences in behaviours"),
    "behaviour_agreement": pgettext_lazy("a table of the report", "agreement on behaviours"),
    "metrics": pgettext_lazy("a table of the report", "automatic metrics"),
    "means": pgettext_lazy("a table of the report", "means of sources"),
    "comparisons": pgettext_lazy("a table of the report", "differences of sources"),
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
    "workload": pgettext_lazy("a table of the report", "workload"),
    "data_set": pgettext_lazy("a table of the report", "data set"),
    "final_labels": pgettext_lazy("a table of the report", "final labels"),
    "predictions": pgettext_lazy("a table of the report", "predictions"),
    "acceptance": pgettext_lazy("a table of the report", "batch acceptance"),
    "checklist": pgettext_lazy("a table of the report", "checklist"),
    "comments": pgettext_lazy("a table of the report", "comments"),
    "flags": pgettext_lazy("a table of the report", "flags"),
}


@register.filter
def flag_reason(word: str) -> str:
    return reason_word(word)


@register.filter
def table_name(name: str) -> str:
    return str(TABLE_NAMES[name])
