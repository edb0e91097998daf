"""Projects and their members."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from dashboard.core.choices import TextChoices


class Role(TextChoices):
    """What a person may do with the rows of a project; each role includes those before it."""

    VIEWER = "viewer", "Viewer"
    EDITOR = "editor", "Editor"
    OWNER = "owner", "Owner"


RANK: dict[str, int] = {role: i for i, role in enumerate(Role.values)}
"""The order of the roles."""

GIVEN = [Role.VIEWER, Role.EDITOR]
"""The roles of members; the owner is a column of the project, so that there is always exactly 1."""


class Project(models.Model):
    """Rows that several people work on. Deleting it, or the account of its owner, leaves the rows to their owners."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="projects")
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def page_url(self) -> str:
        """Its page."""
        return reverse("projects:detail", args=[self.pk])


class Membership(models.Model):
    """A user in a project, and the role that its owner gave."""

    OWNER: ClassVar = "project__owner"
    PROJECT: ClassVar = "project"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=[(role.value, role.label) for role in GIVEN])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["created_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_one_per_user"),
            models.CheckConstraint(name="membership_known_role", condition=Q(role__in=GIVEN)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}, {self.role} of {self.project_id}"
