"""Who may read and change a row: its owner, and the members of its project by their roles.

This is the only description: every selector restricts rows by :class:`ProjectQuerySet`, and every write is checked by
:func:`require_role`. A model states where the row with the owner and the project is: ``OWNER`` and ``PROJECT`` are
lookups from the model. Rows made of a dataset follow their dataset.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, ClassVar, Self

from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from dashboard.core.owned import OwnedQuerySet
from dashboard.core.paging import mark_alternatives
from dashboard.projects.models import RANK, Membership, Project, Role
from privacy_engine.errors import EngineError

_of_request: ContextVar[dict[Any, dict[Any, str]] | None] = ContextVar("roles of a request", default=None)

DOES: dict[str, str] = {
    Role.EDITOR: "Viewers read. Editors and the owner of the project add and change what is in it.",
    Role.OWNER: "Only the owner of the project, and the owner of a row itself, delete what is in it.",
}


class NotPermitted(EngineError, PermissionDenied):
    """A user who may see a row may not do this with it: 403 in the API and on pages."""

    code = "role"
    status = 403


def remember_roles(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: roles are read once in a request, and again in the next."""

    def respond(request: HttpRequest) -> HttpResponse:
        token = _of_request.set({})
        try:
            return get_response(request)
        finally:
            _of_request.reset(token)

    return respond


def forget_roles() -> None:
    """Read roles again in this request: memberships have changed."""
    if (known := _of_request.get()) is not None:
        known.clear()


def roles_of(user: Any) -> dict[Any, str]:
    """The user's role in each project that they own or are a member of, by the project's id."""
    key, known = getattr(user, "pk", user), _of_request.get()
    if known is not None and key in known:
        return known[key]
    given = Membership.objects.order_by().filter(user=key).values_list("project_id", "role")
    owned = Project.objects.order_by().filter(owner=key).annotate(role=models.Value(str(Role.OWNER)))
    roles = dict(given.union(owned.values_list("pk", "role"), all=True))
    if known is not None:
        known[key] = roles
    return roles


class ProjectQuerySet(OwnedQuerySet):
    """Rows that belong to an owner, and may be in a project."""

    def visible_to(self, user: Any) -> Self:
        """Return those that ``user`` may read: their own, and all of their projects."""
        return self._of(user, Role.VIEWER)

    def changeable_by(self, user: Any) -> Self:
        """Return those that ``user`` may change: their own, and those of projects where they are editor or owner."""
        return self._of(user, Role.EDITOR)

    def _of(self, user: Any, least: str) -> Self:
        within = [project for project, role in roles_of(user).items() if RANK[role] >= RANK[least]]
        own = Q(**{self.model.OWNER: user})
        if not within:
            return self.filter(own)
        # ids, not a subquery: joined by OR, a subquery keeps PostgreSQL from using the indexes of either side
        rows = self.filter(own | Q(**{f"{self.model.PROJECT}__in": within}))
        mark_alternatives(rows)
        return rows


class InProject(models.Model):
    """A row that its owner may put into a project."""

    OWNER: ClassVar = "owner"
    PROJECT: ClassVar = "project"

    # without an index over all rows: each model has an index over those in a project (project_index)
    project = models.ForeignKey(
        Project, on_delete=models.SET_NULL, null=True, blank=True, db_index=False, related_name="%(class)ss"
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        abstract = True

    def followers(self) -> Iterator[models.QuerySet[Any]]:
        """Rows that go where this row goes, if they are in the same project."""
        yield from ()


LISTED = ("-created_at", "id")


def owner_index(name: str, *shown: str) -> models.Index:
    """An index of an owner's rows, the newest first, that has the columns ``shown`` by which they are counted."""
    return models.Index(fields=["owner", *LISTED, *shown], name=name)


def project_index(name: str, *shown: str) -> models.Index:
    """As :func:`owner_index` of the rows in projects, which are few beside all."""
    fields = ["project", *LISTED, "owner", *shown]
    return models.Index(fields=fields, condition=Q(project__isnull=False), name=name)


def models_in_projects() -> list[type[InProject]]:
    """Every model whose rows may be put into a project."""
    return [model for model in apps.get_models() if issubclass(model, InProject)]


def owner_id_of(row: Any) -> Any:
    """The id of the user that ``row`` belongs to."""
    return _at(row, f"{getattr(row, 'OWNER', 'owner')}_id")


def project_id_of(row: Any) -> Any:
    """The id of the project that ``row`` is in, or is itself; None outside of any."""
    if isinstance(row, Project):
        return row.pk
    return _at(row, f"{row.PROJECT}_id") if hasattr(row, "PROJECT") else None


def _at(row: Any, lookup: str) -> Any:
    for name in lookup.split("__"):
        row = None if row is None else getattr(row, name)
    return row


def role_of(user: Any, row: Any) -> str:
    """The role of ``user`` for ``row``, which they may see; "" for a stranger. Its owner has every right."""
    if owner_id_of(row) == getattr(user, "pk", user):
        return Role.OWNER
    return roles_of(user).get(project_id_of(row), "")


def may(user: Any, row: Any, needed: str) -> bool:
    """Return whether ``user`` has the role ``needed`` for ``row``, or a higher role."""
    role = role_of(user, row)
    return bool(role) and RANK[role] >= RANK[needed]


def require_role(user: Any, row: Any, needed: str) -> None:
    """Refuse ``user`` who has a lower role than ``needed`` for ``row``.

    Raises
    ------
    NotPermitted
        Names the role that is needed and the role that there is.
    """
    if may(user, row, needed):
        return
    role = role_of(user, row)
    if not role:
        raise NotPermitted("This is not yours.", field="role", rule=needed, value=role)
    name = Project.objects.get(pk=project_id_of(row)).name
    text = f"You are {'an' if role == Role.EDITOR else 'a'} {role} of the project “{name}”. {DOES[needed]}"
    raise NotPermitted(text, field="role", rule=needed, value=role)


def require_own(user: Any, row: Any, what: str) -> None:
    """Refuse all but the owner of ``row`` itself, whatever their role in its project.

    Raises
    ------
    NotPermitted
        ``what`` names what only its owner does.
    """
    if owner_id_of(row) != user.pk:
        owner = _at(row, getattr(row, "OWNER", "owner"))
        text = f"Only {owner.get_username()}, whom it belongs to, may {what}."
        raise NotPermitted(text, field="owner", rule="owner", value=role_of(user, row))
