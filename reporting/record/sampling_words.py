"""Describe the criteria by which annotators are selected."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from reporting.record.labels import gender


def criteria_lines(value: dict[str, Any]) -> list[str]:
    """Return a line for each sampling criterion that is set."""
    lines: dict[str, Callable[[Any], str]] = {
        "locations": lambda names: _("Location: %(names)s.") % {"names": ", ".join(names)},
        "gender": lambda key: _("Gender: %(gender)s.") % {"gender": gender(key)},
        "first_languages": lambda names: _("First language: %(names)s.") % {"names": ", ".join(names)},
        "least_approval": lambda rate: (
            _("Approval rate for earlier work: at least %(rate)s per cent.") % {"rate": rate}
        ),
        "least_submissions": lambda n: _("Completed submissions: at least %(n)s.") % {"n": n},
        "education": lambda text: _("Education: %(text)s.") % {"text": text.rstrip(".")},
        "expertise": lambda text: _("Expertise: %(text)s.") % {"text": text.rstrip(".")},
        "other": str,
    }
    return [lines[name](given) for name, given in value.items()]
