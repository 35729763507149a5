"""All terms of the report by key."""

from reporting.report.terms import agreement, answers, preferences, sources

TERMS = {each.key: each for part in (sources, agreement, preferences, answers) for each in part.TERMS}
