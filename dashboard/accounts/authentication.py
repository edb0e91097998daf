"""Authentication by API tokens."""

from datetime import timedelta
from typing import Any

import knox.auth
from django.utils import timezone
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dashboard.accounts import attempts
from dashboard.accounts.models import ApiToken, User

USE_STEP = timedelta(minutes=1)


class TokenAuthentication(knox.auth.TokenAuthentication):
    """Knox's, but a token of odd bytes is a wrong token (401), wrong ones are limited (429), and use is recorded."""

    def authenticate(self, request: Request) -> Any:
        try:
            return super().authenticate(request)
        except AuthenticationFailed:
            attempts.count_secret(request._request)
            raise

    def authenticate_credentials(self, token: bytes) -> Any:
        try:
            return super().authenticate_credentials(token)
        except ValueError:
            raise AuthenticationFailed("Invalid token.") from None

    def validate_user(self, auth_token: ApiToken) -> tuple[User, ApiToken]:
        pair: tuple[User, ApiToken] = super().validate_user(auth_token)
        now = timezone.now()
        if auth_token.last_used_at is None or auth_token.last_used_at < now - USE_STEP:
            ApiToken.objects.filter(pk=auth_token.pk).update(last_used_at=now)
        return pair


class TokenScheme(KnoxTokenScheme):
    """How the schema describes it."""

    target_class = "dashboard.accounts.authentication.TokenAuthentication"
    name = "token"
