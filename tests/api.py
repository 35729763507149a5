"""A program that talks to the API."""

import json

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.authtoken.models import Token


class Api:
    """A program with somebody's token."""

    def __init__(self, user: User | None = None) -> None:
        self._client = Client()
        self.headers = {"Authorization": f"Token {Token.objects.get_or_create(user=user)[0]}"} if user else {}

    def ask(self, verb: str, name: str, *args, data=None, **query):
        path = reverse(name, args=args)
        body = json.dumps(data) if data is not None else ""
        return self._client.generic(
            verb, path, body, content_type="application/json", headers=self.headers, query_params=query
        )

    def get(self, name, *args, **query):
        return self.ask("GET", name, *args, **query)

    def upload(self, name, *args, **form):
        return self._client.post(reverse(name, args=args), form, headers=self.headers)


def error(answer) -> dict:
    """Every refusal has one shape."""
    body = answer.json()
    assert set(body) == {"error"}
    assert {"code", "message", "fields"} <= set(body["error"])
    return body["error"]
