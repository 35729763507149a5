"""The time of tests for which it must be a known one."""

from datetime import UTC, datetime

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
