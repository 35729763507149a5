from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether anybody may sign up; otherwise only owners and invitation links create accounts."""
        return settings.PARLEY_OPEN_SIGNUP
