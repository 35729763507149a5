"""Formats of dates and numbers in Italian, with the decimal point as in English."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j M Y, H:i"
SHORT_DATE_FORMAT = DATE_FORMAT
SHORT_DATETIME_FORMAT = DATETIME_FORMAT
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = "\u202f"  # narrow space: a point would read as a decimal point here
