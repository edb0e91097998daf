"""Pages of the projects app: all of them, each with what is in it and its people, joining, moving a row into it."""

import uuid
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.exceptions import Throttled

from dashboard.accounts import entry, joining
from dashboard.accounts.attempts import wait_text
from dashboard.accounts.invitations import DAYS, invitation_of, may_invite
from dashboard.core.errors import as_shown
from dashboard.core.ids import uuid_or_404
from dashboard.core.text import rename as rename_row
from dashboard.projects import selectors, services
from dashboard.projects.access import require_role, role_of
from dashboard.projects.contents import contents
from dashboard.projects.models import GIVEN, Membership, Project, Role
from privacy_engine.errors import EngineError

SHOWN = 20
"""Rows of each kind on a project's page; the lists have all of them."""
NAMED = 5
"""Rows of each kind that an invitation names, and own datasets that an empty project does."""
VALID = {1: "1 day", DAYS: f"{DAYS} days", services.MOST_DAYS: f"{services.MOST_DAYS} days"}
"""How long an invitation may be valid, by days."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
LABELS = {"name": "The name", "user": "User name", "role": "Role", "days": "Valid for"}
"""What these pages call the fields of the API."""


@require_http_methods(["GET", "HEAD", "POST"])
def index(request: HttpRequest) -> HttpResponse:
    """The user's projects, and the form that starts a project."""
    error = None
    if request.method == "POST":
        try:
            made = services.create_project(owner=request.user, name=request.POST.get("name", ""))
        except EngineError as refused:
            error = as_shown(refused, **LABELS)
        else:
            return redirect("projects:detail", made.pk)
    rows = list(selectors.with_counts(selectors.visible_projects(request.user)))
    context = {"projects": [(row, dict(Role.choices)[role_of(request.user, row)]) for row in rows], "error": error}
    return render(request, "projects/list.html", context, status=400 if error else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def detail(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """One project; a POST makes the named user a member."""
    project = _project(request, pk)
    error = ""
    if request.method == "POST":
        require_role(request.user, project, Role.OWNER)
        try:
            name, role = request.POST.get("user", "").strip(), request.POST.get("role", "")
            made = services.add_member(project=project, username=name, role=role)
        except EngineError as refused:
            error = as_shown(refused, **LABELS)
        except Throttled as refused:
            error = f"Too many names that no user has. {wait_text(refused)}"
        else:
            messages.success(request, f"{made.user.username} is {_a(made.role)} now and can read everything in it.")
            return redirect("projects:detail", pk)
    return _shown(request, project, add_error=error)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """The project's page with a new link, which is in this answer and nowhere else."""
    project = _project(request, pk)
    if request.method != "POST":  # loaded again
        return redirect("projects:detail", pk)
    require_role(request.user, project, Role.OWNER)
    days = int(chosen) if (chosen := request.POST.get("days", "")) in map(str, VALID) else 0
    try:
        made, path = services.invite(project=project, role=request.POST.get("role", ""), days=days)
    except EngineError as refused:
        return _shown(request, project, invite_error=as_shown(refused, **LABELS))
    return _shown(request, project, fresh=made, link=request.build_absolute_uri(path))


def _shown(request: HttpRequest, project: Project, **more: Any) -> HttpResponse:
    context = {"project": project, "chosen": request.POST, "roles": GIVEN, "valid": VALID, "days": DAYS}
    status = 400 if more.get("add_error") or more.get("invite_error") else 200
    return render(request, "projects/detail.html", context | _parts(request, project) | more, status=status)


def _rows_of(user: Any, project: Project, shown: int) -> list[dict[str, Any]]:
    """What a user may read in a project, by its sort, the newest ``shown`` of each."""
    parts = []
    for content in contents.values():
        rows = content.visible(user).filter(project=project)
        count = getattr(project, f"{rows.model.__name__.lower()}s_count")
        parts.append({"title": content.title, "url": content.url, "count": count, "rows": rows[:shown]})
    return parts


def _parts(request: HttpRequest, project: Project) -> dict[str, Any]:
    parts = _rows_of(request.user, project, SHOWN)
    members = selectors.visible_memberships(request.user).filter(project=project)
    context: dict[str, Any] = {"role": role_of(request.user, project), "parts": parts, "members": members}
    if context["role"] != Role.VIEWER and not any(part["count"] for part in parts):
        context |= {
            "empty": True,
            "own": contents["dataset"].visible(request.user).filter(owner=request.user, project=None)[:NAMED],
        }
    if context["role"] == Role.OWNER:
        context |= {"invitations": selectors.invitations_to(project), "makes_accounts": may_invite(request.user)}
        context |= {"command": entry.COMMAND, "local": split_domain_port(request.get_host())[0] in LOOPBACK}
    return context


@joining.behind_link
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation: project, role and who invites. A POST joins, after an account where allowed."""
    invitation = invitation_of(token, to_project=True)
    project: Any = selectors.with_counts(Project.objects.filter(pk=invitation.project_id)).get()
    context: dict[str, Any] = {"invitation": invitation, "project": project}
    context["parts"] = [part for part in _rows_of(project.owner, project, NAMED) if part["count"]]
    try:
        if not request.user.is_authenticated:
            made = None
            if may_invite(invitation.invited_by):
                context["form"], made = joining.new_account(request, invitation, partial(services.join, token))
            if made:
                messages.success(request, f"Your account {made.get_username()} is made. {_joined(invitation)}")
                return entry.enter(request, made, project.page_url)
        elif role := role_of(request.user, project):
            context["role"] = role
        elif request.method == "POST":
            services.join(token, request.user)
            messages.success(request, _joined(invitation))
            return redirect(project.page_url)
    except EngineError as refused:
        context["error"] = as_shown(refused)
    wrong = "form" in context and context["form"].errors
    return render(request, "projects/join.html", context, status=409 if "error" in context else 400 if wrong else 200)


def _joined(invitation: Any) -> str:
    return f"You are {_a(invitation.role)} of the project {invitation.project.name} now."


@require_POST
def revoke(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Revoke an invitation that is not used yet."""
    invitation = get_object_or_404(selectors.visible_invitations(request.user), pk=pk)
    require_role(request.user, invitation, Role.OWNER)
    invitation.delete()
    messages.success(request, "The invitation is revoked: its link is no longer valid.")
    return redirect("projects:detail", invitation.project_id)


@require_POST
def rename(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Call it something else."""
    project = _project(request, pk)
    require_role(request.user, project, Role.OWNER)
    try:
        rename_row(project, request.POST.get("name", ""))
    except EngineError as refused:
        messages.error(request, as_shown(refused, **LABELS))
    return redirect("projects:detail", pk)


@require_POST
def delete(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Delete a project; its rows stay with their owners."""
    project = _project(request, pk)
    require_role(request.user, project, Role.OWNER)
    services.delete_project(project=project)
    messages.success(request, f"The project {project.name} is deleted. What was in it is its owners’ alone again.")
    return redirect("projects:list")


@require_POST
def member_role(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Give a member another role."""
    membership = _membership(request, pk)
    require_role(request.user, membership, Role.OWNER)
    try:
        services.change_role(membership=membership, role=request.POST.get("role", ""))
    except EngineError as refused:
        messages.error(request, as_shown(refused, **LABELS))
    else:
        messages.success(request, f"{membership.user.username} is {_a(membership.role)} now.")
    return redirect("projects:detail", membership.project_id)


@require_POST
def member_remove(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Remove a member, or leave a project."""
    membership = _membership(request, pk)
    if leaves := membership.user_id == request.user.pk:
        text = f"You left the project {membership.project.name}."
    else:
        require_role(request.user, membership, Role.OWNER)
        text = f"{membership.user.username} is no member any more and can read nothing in it from now on."
    services.remove_member(membership=membership)
    messages.success(request, text)
    return redirect("projects:list") if leaves else redirect("projects:detail", membership.project_id)


@require_http_methods(["GET", "HEAD", "POST"])
def move(request: HttpRequest, pk: uuid.UUID, what: str) -> HttpResponse:
    """The form that puts a row into a project or takes it out, with who will be able to read what."""
    row = get_object_or_404(contents[what].visible(request.user), pk=pk)
    if request.method == "POST":
        target = request.POST.get("project", "")
        services.move_row(user=request.user, row=row, project=uuid_or_404(target) if target else None)
        where = f"in the project {row.project.name}" if row.project else "in no project"
        messages.success(request, f"{row} is {where} now.")
        readable = contents[what].visible(request.user).filter(pk=pk).exists()
        return redirect(row.page_url if readable else "projects:list")
    require_role(request.user, row, Role.OWNER)
    own = row.owner_id == request.user.pk
    targets = selectors.with_counts(selectors.editable_projects(request.user)) if own else Project.objects.none()
    context = {"row": row, "what": what, "page_url": row.page_url, "projects": targets, "own": own}
    return render(request, "projects/move.html", context)


def _project(request: HttpRequest, pk: uuid.UUID) -> Any:
    return get_object_or_404(selectors.with_counts(selectors.visible_projects(request.user)), pk=pk)


def _membership(request: HttpRequest, pk: uuid.UUID) -> Membership:
    return get_object_or_404(selectors.visible_memberships(request.user), pk=pk)


def _a(role: str) -> str:
    return f"{'an' if role == Role.EDITOR else 'a'} {role}"
