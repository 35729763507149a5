"""Dates as pages show them. Figures keep the point in every language: those of a page are those of a paper."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j M Y, H:i"
DECIMAL_SEPARATOR = "."
