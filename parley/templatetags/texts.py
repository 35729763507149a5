"""Template tags for the texts of scripts in the language of the page, and a filter for look-ups."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JSONCatalog

register = template.Library()


@register.filter
def at(found: Mapping[Any, Any], key: Any) -> Any:
    return found.get(key)


@register.simple_tag
def script_texts() -> SafeString:
    """Return the translations as a data block for base.js, which the CSP allows; empty for the source language."""
    return _block(get_language() or settings.LANGUAGE_CODE, tuple(settings.LOCALE_PATHS))


@lru_cache(maxsize=32)
def _block(language: str, paths: tuple[str, ...]) -> SafeString:
    catalog = JSONCatalog()
    catalog.translation = DjangoTranslation(language, domain="djangojs", localedirs=list(paths))
    texts = catalog.get_catalog()
    return json_script({"catalog": texts}, "texts") if texts else SafeString("")
