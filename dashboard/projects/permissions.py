"""What a role permits: the same rule for every operation of the API on a row."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from dashboard.projects.access import require_role
from dashboard.projects.models import Role


def role_needed(method: str, view: Any) -> str:
    """The role that an operation needs: viewer to read, owner to delete, else editor.

    A view's ``reading_actions`` change nothing, though their method is POST; ``read_role``, ``delete_role`` and
    ``change_role`` are its own roles.
    """
    if method in SAFE_METHODS or getattr(view, "action", None) in getattr(view, "reading_actions", ()):
        return str(getattr(view, "read_role", Role.VIEWER))
    if method == "DELETE":
        return str(getattr(view, "delete_role", Role.OWNER))
    return str(getattr(view, "change_role", Role.EDITOR))


class ProjectRole(BasePermission):
    """Refuses a member whose role does not permit the operation, once the row is found; strangers find none."""

    def has_object_permission(self, request: Request, view: Any, obj: Any) -> bool:
        require_role(request.user, obj, role_needed(request.method or "", view))
        return True
