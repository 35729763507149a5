"""Members of the study of the cast, for the tests of people and of researchers."""

from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Membership
from tests.cast import Cast


def people(route="study_people", *args):
    return reverse(route, args=["wellbeing", *args])


def membership_of(cast: Cast, user: User) -> Membership:
    return cast.study.memberships.get(user=user)
