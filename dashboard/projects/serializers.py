"""Projects and members in the API."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.accounts.invitations import DAYS
from dashboard.accounts.models import Invitation
from dashboard.core.rest.row_fields import Address, UrlsField
from dashboard.projects.access import role_of
from dashboard.projects.models import GIVEN, Membership, Project, Role
from dashboard.projects.services import MOST_DAYS

PROJECT_HELP = (
    "One that you own or edit, whose members may then read it, or null. Its owner puts it in; the owner of the project "
    "may take it out, too."
)
ROLES = [(role.value, role.label) for role in GIVEN]


class ProjectRequest(serializers.Serializer[Any]):
    """What a project is called."""

    name = serializers.CharField(max_length=200, allow_blank=True, trim_whitespace=False)


class MemberRequest(serializers.Serializer[Any]):
    """Who becomes a member, and with which role."""

    user = serializers.CharField(max_length=150, help_text="The name of a user of this server.")
    role = serializers.ChoiceField(choices=ROLES, help_text="A viewer reads; an editor adds and changes, too.")


class RoleRequest(serializers.Serializer[Any]):
    """The new role of a member."""

    role = serializers.ChoiceField(choices=ROLES)


class InvitationRequest(RoleRequest):
    """Which role a link gives in a project, and how long it is valid."""

    days = serializers.IntegerField(min_value=1, max_value=MOST_DAYS, default=DAYS)


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A project as a member sees it: its rows are listed by ``?project=`` of datasets, experiments and streams."""

    owner = serializers.CharField(source="owner.username", help_text="The name of the user who manages it.")
    role = serializers.SerializerMethodField(help_text="Your role: viewer, editor or owner.")
    datasets = serializers.IntegerField(source="datasets_count", help_text="How many are in it.")
    experiments = serializers.IntegerField(source="experiments_count", help_text="How many are in it.")
    streams = serializers.IntegerField(source="livestreams_count", help_text="How many are in it.")
    members = serializers.IntegerField(source="members_count", help_text="How many it has beside its owner.")
    urls = UrlsField("project", "members", "invitations")

    class Meta:
        model = Project
        fields = ("id", "name", "owner", "role", "datasets", "experiments", "streams", "members", "created_at", "urls")

    @extend_schema_field(serializers.ChoiceField(choices=Role.choices))
    def get_role(self, row: Project) -> str:
        return role_of(self.context["request"].user, row)


def _urls_of(resource: str) -> UrlsField:
    project = Address(lambda row: reverse("api:project-detail", args=[row.project_id]))
    return UrlsField(resource, others={"project": project}, component="OfProjectUrls")


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """A member of a project."""

    project = serializers.UUIDField(source="project_id")
    user = serializers.CharField(source="user.username")
    urls = _urls_of("member")

    class Meta:
        model = Membership
        fields = ("id", "project", "user", "role", "created_at", "urls")


class ProjectInvitationSerializer(serializers.ModelSerializer[Invitation]):
    """A link with which one person joins a project, not used yet."""

    project = serializers.UUIDField(source="project_id")
    role = serializers.ChoiceField(choices=ROLES)
    url = serializers.SerializerMethodField(
        help_text="The link, in the response that makes it; null in all others, as it is not stored."
    )
    urls = _urls_of("project-invitation")

    class Meta:
        model = Invitation
        fields = ("id", "project", "role", "url", "created_at", "expires_at", "urls")

    def get_url(self, row: Invitation) -> str | None:
        return self.context.get("url")
