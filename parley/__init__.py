"""The project. Empty on purpose: whoever imports a part of it must not import Celery and Django with it."""
