"""Formats of dates and numbers in Chinese."""

DATE_FORMAT = "Y年n月j日"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "Y年n月j日 H:i"
DECIMAL_SEPARATOR = "."
