"""Authentication by API tokens."""

from __future__ import annotations

import knox.auth
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from rest_framework.exceptions import AuthenticationFailed


class TokenAuthentication(knox.auth.TokenAuthentication):
    """Knox's, but a token of odd bytes is a wrong token (401) and not a fault of ours (500)."""

    def authenticate_credentials(self, token: bytes) -> object:
        try:
            return super().authenticate_credentials(token)
        except ValueError:
            raise AuthenticationFailed("Invalid token.") from None


class TokenScheme(KnoxTokenScheme):
    """How the schema describes it."""

    target_class = "dashboard.accounts.authentication.TokenAuthentication"
    name = "token"
