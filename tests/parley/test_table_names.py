"""Every name that the admin shows is marked, so that a page is in one language."""

from django.apps import apps
from django.contrib import admin
from django.utils import translation
from django.utils.functional import Promise

from parley.table_names import APPS, EXPLANATIONS, NAMES, PLURALS


def shown():
    return [model for app in APPS for model in apps.get_app_config(app).get_models() if model in admin.site._registry]


def test_every_table_and_column_of_the_admin_is_marked():
    with translation.override("en"):
        names = {str(name) for model in shown() for name in (model._meta.verbose_name, model._meta.verbose_name_plural)}
        names |= {str(field.verbose_name) for model in shown() for field in model._meta.fields}

    assert names - {*NAMES, *PLURALS.values()} == set()


def test_every_explanation_of_a_column_follows_the_language_of_the_page():
    texts = [field.help_text for model in shown() for field in model._meta.fields if field.help_text]

    assert all(isinstance(text, Promise) for text in texts)
    with translation.override("en"):
        english = [str(text) for text in texts]
    with translation.override("it"):
        assert [before for before, text in zip(english, texts, strict=True) if str(text) == before] == []


def test_every_name_and_explanation_is_marked_once():
    assert len({*NAMES, *EXPLANATIONS}) == len(NAMES) + len(EXPLANATIONS)
