"""What a token permits: the same rule for every operation of the API."""

from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from dashboard.accounts.models import ApiToken, Scope


def scope_of(method: str, view: Any) -> str:
    """The scope that an operation needs: read for safe methods, else the view's ``unsafe_scope``, or write."""
    return str(Scope.READ if method in SAFE_METHODS else getattr(view, "unsafe_scope", Scope.WRITE))


class TokenScope(BasePermission):
    """Refuses a token without the scope of the operation. A session has no scopes: it is of the user."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiToken):
            return True
        needed = scope_of(request.method or "", view)
        if needed not in request.auth.scopes:
            text = f"{request.method} needs a token with the scope {needed}; this one has: "
            raise PermissionDenied(text + (", ".join(request.auth.scopes) or "none") + ".", code="scope")
        return True
