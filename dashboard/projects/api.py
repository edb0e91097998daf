"""REST API of the projects app."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.accounts.models import Invitation
from dashboard.core.rest.operations import operation, requested
from dashboard.core.rest.parsing import valid
from dashboard.core.rest.views import ApiViewSet, RowViewSet
from dashboard.core.text import rename
from dashboard.projects import selectors, services
from dashboard.projects.access import require_role
from dashboard.projects.models import Membership, Project, Role
from dashboard.projects.serializers import (
    InvitationRequest,
    MemberRequest,
    MemberSerializer,
    ProjectInvitationSerializer,
    ProjectRequest,
    ProjectSerializer,
    RoleRequest,
)


@extend_schema_view(
    destroy=extend_schema(
        description="Delete it with its memberships. What is in it stays, and is its owners' alone again."
    ),
)
class ProjectViewSet(RowViewSet[Project]):
    """Projects: people who work on the same datasets, experiments and streams."""

    serializer_class = ProjectSerializer
    change_role = Role.OWNER

    def get_queryset(self) -> Any:
        return selectors.with_counts(selectors.visible_projects(self.request.user))

    @operation(ProjectRequest, ProjectSerializer, status=201)
    def create(self, name: str) -> Project:
        """Start a project; you are its owner."""
        made = services.create_project(owner=self.request.user, name=name)
        return self.get_queryset().get(pk=made.pk)

    @operation(ProjectRequest, ProjectSerializer, row=requested)
    def partial_update(self, project: Project, name: str) -> Project:
        """Rename it."""
        rename(project, name)
        return project

    def perform_destroy(self, instance: Project) -> None:
        services.delete_project(project=instance)

    @extend_schema(methods=["get"], responses={200: MemberSerializer(many=True)}, filters=False)
    @extend_schema(methods=["post"], request=MemberRequest, responses={201: MemberSerializer}, filters=False)
    @action(detail=True, methods=["get", "post"], pagination_class=None)
    def members(self, request: Request, pk: Any = None) -> Response:
        """List the members beside the owner; or make a user a member, who reads all originals in it from then on."""
        project = self.get_object()
        if request.method == "POST":
            params = valid(MemberRequest, request.data)
            made = services.add_member(project=project, username=params["user"], role=params["role"])
            return Response(MemberSerializer(made).data, status=201)
        rows = selectors.visible_memberships(request.user).filter(project=project)
        return Response(MemberSerializer(rows, many=True).data)

    @extend_schema(methods=["get"], responses={200: ProjectInvitationSerializer(many=True)}, filters=False)
    @extend_schema(
        methods=["post"], request=InvitationRequest, responses={201: ProjectInvitationSerializer}, filters=False
    )
    @action(detail=True, methods=["get", "post"], pagination_class=None)
    def invitations(self, request: Request, pk: Any = None) -> Response:
        """List the links that are not used yet; or make one, with which one person joins within some days."""
        project = self.get_object()
        require_role(request.user, project, Role.OWNER)
        if request.method == "POST":
            made, path = services.invite(project=project, **valid(InvitationRequest, request.data))
            url = request.build_absolute_uri(path)
            return Response(ProjectInvitationSerializer(made, context={"url": url}).data, status=201)
        return Response(ProjectInvitationSerializer(selectors.invitations_to(project), many=True).data)


class MemberViewSet(mixins.RetrieveModelMixin, mixins.DestroyModelMixin, ApiViewSet[Membership]):
    """Members of projects."""

    serializer_class = MemberSerializer
    visible_to = staticmethod(selectors.visible_memberships)
    change_role = Role.OWNER
    delete_role = Role.VIEWER  # who leaves; others are refused below

    @operation(RoleRequest, MemberSerializer, row=requested)
    def partial_update(self, membership: Membership, role: str) -> Membership:
        """Give a member another role."""
        return services.change_role(membership=membership, role=role)

    @extend_schema(description="Remove a member, or leave a project. The member's own rows leave it, too.")
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().destroy(request, *args, **kwargs)

    def perform_destroy(self, instance: Membership) -> None:
        if instance.user_id != self.request.user.pk:
            require_role(self.request.user, instance, Role.OWNER)
        services.remove_member(membership=instance)


@extend_schema_view(destroy=extend_schema(description="Revoke it: its link is none from then on."))
class ProjectInvitationViewSet(mixins.RetrieveModelMixin, mixins.DestroyModelMixin, ApiViewSet[Invitation]):
    """Links to projects that are not used yet."""

    serializer_class = ProjectInvitationSerializer
    visible_to = staticmethod(selectors.visible_invitations)
    read_role = Role.OWNER
