"""Reads of the projects app."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from dashboard.accounts.invitations import open_invitations
from dashboard.accounts.models import Invitation
from dashboard.projects.access import models_in_projects, roles_of
from dashboard.projects.models import RANK, Membership, Project, Role


def visible_projects(user: Any) -> QuerySet[Project]:
    """Those that the user owns or is a member of, by name."""
    return Project.objects.filter(pk__in=list(roles_of(user))).select_related("owner").order_by("name", "pk")


def editable_projects(user: Any) -> QuerySet[Project]:
    """Those that the user may put rows into, by name."""
    within = [pk for pk, role in roles_of(user).items() if RANK[role] >= RANK[Role.EDITOR]]
    return visible_projects(user).filter(pk__in=within)


def project_choices(user: Any) -> list[tuple[str, str]]:
    """The user's projects as the choices of a field; of a user without any there is no query."""
    return [(str(pk), name) for pk, name in visible_projects(user).values_list("pk", "name")]


def with_counts(projects: QuerySet[Project]) -> QuerySet[Project]:
    """The same, each with how many members it has beside its owner, and rows of each kind: ``{related name}_count``."""
    counted = {"members_count": _count(Membership)}
    counted |= {f"{model.__name__.lower()}s_count": _count(model) for model in models_in_projects()}
    return projects.annotate(**counted)


def _count(model: Any) -> Any:
    """Counted apart: joined, rows of each kind would multiply those of another."""
    rows = model._default_manager.order_by().filter(project=OuterRef("pk")).values("project")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def visible_memberships(user: Any) -> QuerySet[Membership]:
    """The memberships of the user's projects."""
    rows = Membership.objects.filter(project__in=list(roles_of(user)))
    return rows.select_related("project__owner", "user")


def invitations_to(project: Project) -> QuerySet[Invitation]:
    """The links to the project that are valid and unused, newest first."""
    return open_invitations(project.owner, project)


def visible_invitations(user: Any) -> QuerySet[Invitation]:
    """Those to projects of the user, which their owners alone may read (:mod:`dashboard.projects.permissions`)."""
    return Invitation.objects.filter(project__in=list(roles_of(user)), used_at__isnull=True, expires_at__gt=Now())
