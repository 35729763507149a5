"""Every template compiles: each tag and filter comes from a library that the template loads."""

from pathlib import Path

import pytest
from django.conf import settings
from django.template import Template
from django.template.loader import get_template

PLACE = Path(settings.BASE_DIR) / "templates"
NAMES = sorted(str(path.relative_to(PLACE)) for path in PLACE.rglob("*") if path.suffix in {".html", ".svg"})


@pytest.mark.parametrize("name", NAMES)
def test_a_template_compiles(name: str) -> None:
    assert isinstance(get_template(name).template, Template)  # type: ignore[attr-defined]
