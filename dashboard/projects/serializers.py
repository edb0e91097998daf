"""Projects and members in the API."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dashboard.core.rest.row_fields import UrlsField
from dashboard.projects.access import role_of
from dashboard.projects.models import GIVEN, Membership, Project, Role

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


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A project as a member sees it: its rows are listed by ``?project=`` of datasets, experiments and streams."""

    owner = serializers.CharField(source="owner.username", help_text="The name of the user who manages it.")
    role = serializers.SerializerMethodField(help_text="Your role: viewer, editor or owner.")
    datasets = serializers.IntegerField(source="datasets_count", help_text="How many are in it.")
    experiments = serializers.IntegerField(source="experiments_count", help_text="How many are in it.")
    streams = serializers.IntegerField(source="livestreams_count", help_text="How many are in it.")
    members = serializers.IntegerField(source="members_count", help_text="How many it has beside its owner.")
    urls = UrlsField("project", "members")

    class Meta:
        model = Project
        fields = ("id", "name", "owner", "role", "datasets", "experiments", "streams", "members", "created_at", "urls")

    @extend_schema_field(serializers.ChoiceField(choices=Role.choices))
    def get_role(self, row: Project) -> str:
        return role_of(self.context["request"].user, row)


class MemberUrls(serializers.Serializer[Any]):
    """Where to go from here."""

    self = serializers.CharField()
    project = serializers.CharField()


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """A member of a project."""

    project = serializers.UUIDField(source="project_id")
    user = serializers.CharField(source="user.username")
    urls = serializers.SerializerMethodField()

    class Meta:
        model = Membership
        fields = ("id", "project", "user", "role", "created_at", "urls")

    @extend_schema_field(MemberUrls)
    def get_urls(self, row: Membership) -> dict[str, str]:
        project = reverse("api:project-detail", args=[row.project_id])
        return {"self": reverse("api:member-detail", args=[row.pk]), "project": project}
