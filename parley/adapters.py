from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts are made by owners and by invitation links, unless the operator opens the door."""
        return settings.PARLEY_OPEN_SIGNUP
