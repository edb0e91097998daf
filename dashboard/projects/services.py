"""Writes of the projects app: projects, their members, and what is put into them."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import Http404
from django.urls import reverse

from dashboard.accounts import invitations
from dashboard.accounts.attempts import count_attempt, take_back_attempt
from dashboard.accounts.models import Access, AccessEntry, Invitation, User
from dashboard.core.errors import Conflict, must_be
from dashboard.core.tags import tag
from dashboard.core.text import one_line, rename, required_name
from dashboard.projects.access import (
    InProject,
    forget_roles,
    models_in_projects,
    require_own,
    require_role,
    role_of,
)
from dashboard.projects.models import GIVEN, Membership, Project, Role
from privacy_engine.errors import ParameterError

MOST_PROJECTS = 200
"""Projects of an owner."""
MOST_MEMBERS = 200
"""Members of a project."""
MOST_DAYS = 30
"""How long an invitation is valid at most."""
NAMES_TRIED = 20
"""User names that a user may enter within a quarter of an hour; those that were found do not count."""


def create_project(*, owner: User, name: str) -> Project:
    """A new project without members and rows.

    Raises
    ------
    ParameterError
        Nothing is left of the name.
    Conflict
        The user owns :data:`MOST_PROJECTS` projects.
    """
    if Project.objects.filter(owner=owner).count() >= MOST_PROJECTS:
        rule = f"at most {MOST_PROJECTS} projects of one owner"
        raise Conflict(f"You own {MOST_PROJECTS} projects; delete one.", field="projects", rule=rule)
    made = Project.objects.create(owner=owner, name=required_name(name))
    forget_roles()
    return made


@transaction.atomic
def delete_project(*, project: Project) -> None:
    """Delete it with memberships and invitations; what is in it stays, and is its owners' alone again."""
    _lock(project.pk)
    project.delete()
    forget_roles()


def add_member(*, project: Project, username: str, role: str) -> Membership:
    """Make the user of that name a member at once.

    Raises
    ------
    ParameterError
        There is no active user of that name, it is the owner, or ``role`` is none that is given.
    Conflict
        The user is a member already, or there are :data:`MOST_MEMBERS`.
    Throttled
        The owner of the project entered :data:`NAMES_TRIED` names that no user has.
    """
    _check_role(role)
    tries = str(project.owner_id)
    count_attempt("member", tries, NAMES_TRIED)  # before the name is looked up: or names could be found by trying
    user = User.objects.filter(username=one_line(username, 150), is_active=True).first()
    if user is None:
        raise must_be("user", "the name of a user of this server", username, got=False)
    take_back_attempt("member", tries)
    if user.pk == project.owner_id:
        rule = "another user than the owner"
        raise ParameterError(f"user must be {rule} of the project", field="user", rule=rule, value=username)
    with transaction.atomic():
        return _add(_lock(project.pk), user, role)


def _add(held: Project, user: User, role: str) -> Membership:
    if held.memberships.count() >= MOST_MEMBERS:
        raise Conflict(f"A project has at most {MOST_MEMBERS} members.", field="members", rule="fewer members")
    if user.pk == held.owner_id or held.memberships.filter(user=user).exists():
        text = f"{user.username} is a member already."
        raise Conflict(text, field="user", rule="not a member yet", value=user.username)
    made = Membership.objects.create(project=held, user=user, role=role)
    forget_roles()
    return made


def invite(*, project: Project, role: str, days: int = invitations.DAYS) -> tuple[Invitation, str]:
    """A link with which a person joins the project within ``days``, and its path, which is stored nowhere.

    Raises
    ------
    ParameterError
        ``role`` is none that is given, or ``days`` are not 1 to :data:`MOST_DAYS`.
    Conflict
        There are many links already (:data:`dashboard.accounts.invitations.MOST_OPEN`).
    """
    _check_role(role)
    if not 1 <= days <= MOST_DAYS:
        raise must_be("days", f"1 to {MOST_DAYS} days", days)
    made, token = invitations.make_link(days=days, invited_by=project.owner, project=project, role=role)
    return made, reverse("projects:join", args=[token])


@transaction.atomic
def join(token: str, user: User) -> Membership:
    """Use a link up and make ``user`` a member, a new user after they are stored: all of it, or nothing.

    Raises
    ------
    invitations.Gone
        The link is no more: only the first of two requests joins.
    Conflict
        The user is a member already, or there are :data:`MOST_MEMBERS`.
    django.db.IntegrityError
        The name of a new user was taken meanwhile.
    """
    invitation = invitations.invitation_of(token, to_project=True)
    held = Project.objects.select_for_update().filter(pk=invitation.project_id).first()
    if held is None:
        raise invitations.Gone
    invitations.use_up(token, to_project=True)
    if user._state.adding:
        user.save(force_insert=True)
    made = _add(held, user, invitation.role)
    subject = {"subject": "project", "subject_id": held.pk, "subject_name": held.name, "operation": "project-join"}
    means = {"means": "invitation", "means_id": str(invitation.pk), "means_name": invitation.role}
    who = {"owner": held.owner, "user": user, "user_name": user.get_username()}
    AccessEntry.objects.create(access=Access.JOINED, **who, **subject, **means)
    return made


def change_role(*, membership: Membership, role: str) -> Membership:
    """Give a member another role; errors of :func:`add_member`."""
    _check_role(role)
    membership.role = role
    membership.save(update_fields=["role"])
    forget_roles()
    return membership


@transaction.atomic
def remove_member(*, membership: Membership) -> None:
    """End a membership at once. The member's own rows leave the project with them: they stay their owner's."""
    _lock(membership.project_id)
    for model in models_in_projects():
        own = {"project": membership.project_id, "owner": membership.user_id}
        model._default_manager.filter(**own).update(project=None)
    membership.delete()
    forget_roles()


def _check_role(role: str) -> None:
    if role not in GIVEN:
        raise must_be("role", f"one of {', '.join(GIVEN)}", role)


def _lock(pk: Any) -> Project:
    """The project, locked until the transaction ends: a member does not leave while a row is put into it."""
    project = Project.objects.select_for_update().filter(pk=pk).first()
    if project is None:
        raise Http404
    return project


def hold_project(user: Any, pk: Any) -> Project:
    """Return the project that ``user`` puts something into, locked until the transaction ends.

    Raises
    ------
    Http404
        The user has no such project.
    NotPermitted
        The user is a viewer of it.
    """
    held = _lock(pk)
    forget_roles()  # they may have changed before the lock
    if not role_of(user, held):
        raise Http404
    require_role(user, held, Role.EDITOR)
    return held


@transaction.atomic
def move_row(*, user: Any, row: InProject, project: Any) -> None:
    """Put ``row`` into ``project`` (its id), or take it out (None), with what follows it.

    Its owner puts it in, where they are editor or owner; they and the owner of the project take it out.

    Raises
    ------
    Http404
        The user has no such project.
    NotPermitted
        The row is not the user's, or the user is a viewer of the project.
    """
    if project is None:
        require_role(user, row, Role.OWNER)
        held = None
    else:
        require_own(user, row, "put it into a project")
        held = hold_project(user, project)
    rows = type(row)._default_manager.filter(pk=row.pk)
    before = rows.select_for_update().values_list("project", flat=True).first()
    for following in row.followers():
        following.filter(project=before).update(project=held)
    rows.update(project=held)
    row.project = held


@transaction.atomic
def change_row(*, user: Any, row: InProject, changes: Mapping[str, Any]) -> None:
    """Change the ``name``, the ``tags`` and the ``project`` of a row: those that are in ``changes``.

    Errors of :func:`rename`, :func:`tag` and :func:`move_row`.
    """
    if "name" in changes:
        rename(row, changes["name"])
    if "tags" in changes:
        tag(row, changes["tags"])
    if "project" in changes:
        move_row(user=user, row=row, project=changes["project"])
