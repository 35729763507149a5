from typing import Any

from allauth.account import forms
from django.conf import settings


class LoginForm(forms.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.EMAIL_HOST:
            # "Forgot your password?" would promise a mail that is never sent; an owner sets a new password instead.
            self.fields["password"].help_text = ""
