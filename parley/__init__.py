"""The project. This file is empty so that importing a part of it does not import Celery and Django as well."""
