"""Sign programs in: they exchange a name and a password for a token, under the limits of the sign-in page."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError as InvalidValues
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.authtoken.models import Token
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import signed_in
from annotation.api.parsing import BoundedJSONParser


class SignInSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=254)
    password = serializers.CharField(max_length=1000, trim_whitespace=False, write_only=True)
    code = serializers.CharField(
        max_length=20, required=False, write_only=True, help_text="The code of your authenticator app, if you use one."
    )


class TokenSerializer(serializers.Serializer):
    token = serializers.CharField(help_text="Send it as: Authorization: Token <token>")


class TokenView(GenericAPIView):
    serializer_class = SignInSerializer
    parser_classes = [BoundedJSONParser]
    metadata_class = None

    def get_permissions(self) -> list[Any]:
        return [AllowAny()] if self.request.method == "POST" else [IsAuthenticated()]

    @extend_schema(operation_id="token_create", auth=[], responses=TokenSerializer)
    def post(self, request: Request) -> Response:
        """Sign in. You get the same token each time until it is revoked."""
        asked = self.get_serializer(data=request.data)
        asked.is_valid(raise_exception=True)
        user = sign_in(request, **asked.validated_data)
        return Response({"token": Token.objects.get_or_create(user=user)[0].key})

    @extend_schema(operation_id="token_revoke", request=None, responses={204: None})
    def delete(self, request: Request) -> Response:
        """Make your token invalid."""
        Token.objects.filter(user=signed_in(request.user)).delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


def sign_in(request: Request, *, username: str, password: str, code: str = "") -> User:
    """Return the user. Raise AuthenticationFailed, or Throttled after too many wrong tries here or on the page."""
    wrong = exceptions.AuthenticationFailed(_("The name, the password or the code is wrong."))
    try:
        user = get_adapter().authenticate(request._request, username=username, password=password)
    except InvalidValues:
        raise exceptions.Throttled(wait=300) from None
    if user is None or not user.is_active:
        raise wrong
    # A password alone must not open an account that needs two factors on the page.
    factors = list(Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.WEBAUTHN))
    if factors and not (code and any(factor.wrap().validate_code(code) for factor in factors)):
        raise wrong
    return user
