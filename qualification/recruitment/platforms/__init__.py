"""The crowd platforms that Parley knows."""

from qualification.recruitment.platforms.base import Provider
from qualification.recruitment.platforms.mturk import MTURK
from qualification.recruitment.platforms.prolific import PROLIFIC

PROVIDERS: dict[str, Provider] = {provider.key: provider for provider in (PROLIFIC, MTURK)}
