"""Numbers as people write them."""


def number(value: float | None, form: str = ".2f") -> str:
    """As people write it: a real minus sign, no negative zero, a dash for nothing."""
    if value is None:
        return "–"
    text = format(value, form)
    return text.replace("-", "−") if float(text.rstrip("%")) else text.lstrip("-")
