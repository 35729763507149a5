"""Format numbers as people write them."""


def number(value: float | None, form: str = ".2f") -> str:
    """Return the number with a real minus sign and without negative zero; None becomes a dash."""
    if value is None:
        return "–"
    text = format(value, form)
    return text.replace("-", "−") if float(text.rstrip("%")) else text.lstrip("-")
