"""What a candidate sees, and knows, for the tests of the way to the main work."""

from django.test import Client

from annotation.models import Participant
from qualification.qualifying.services.comprehension import asked_of


def client_of(participant: Participant) -> Client:
    client = Client()
    client.force_login(participant.user)
    return client


def text_of(participant: Participant, path: str = "/work/") -> str:
    return client_of(participant).get(path).content.decode()


def right_places(participant: Participant) -> dict[int, int]:
    return {each.pk: each.options.index("The response") for each in asked_of(participant)}
