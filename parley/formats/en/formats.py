"""Formats of dates and numbers. Numbers keep the decimal point in every language, as papers print them."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j M Y, H:i"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
DECIMAL_SEPARATOR = "."
