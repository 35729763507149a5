"""The crowd platforms that Parley knows."""

from qualification.providers.base import Provider
from qualification.providers.mturk import MTURK
from qualification.providers.prolific import PROLIFIC

PROVIDERS: dict[str, Provider] = {provider.key: provider for provider in (PROLIFIC, MTURK)}
