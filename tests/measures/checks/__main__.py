"""Measure everything again and write the table of docs/statistics.md: `.venv/bin/python -m tests.measures.checks`"""

from tests.measures.checks.table import write_page

write_page()
