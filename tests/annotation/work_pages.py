"""What the tests of the annotator's pages do with them."""

import re

from django.test import Client
from django.urls import reverse

from annotation.models import Assignment
from annotation.selectors.work import dialogue_page


def sign_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text_of(response) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def heading_of(page: str) -> str:
    """What is to read on the rating screen, and of how many."""
    heading = page.partition('<div class="context-head">')[2].partition("<h2>")[2].partition("</h2>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", heading).split())


def rate_url(assignment: Assignment, position: int = 0, number: int = 1) -> str:
    return reverse("rate", args=[assignment.token, position, number])


def answer_all(client: Client, assignment: Assignment) -> str:
    """Through the plain forms, from the first step to the page that submits. Returns where it ended."""
    url = client.get(reverse("rate_start", args=[assignment.token])).url
    while "submit" not in url:
        _, position, number = url.strip("/").rsplit("/", 2)
        step = dialogue_page(assignment, int(position)).steps[int(number) - 1]
        url = client.post(url, {f"{each.name}-option": "1" for _, each in step.questions}).url
    return url
