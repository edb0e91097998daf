"""People, and the links that let them in once."""

import uuid
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q


class User(AbstractUser):
    """A person who owns datasets. Others have no more than a random id of them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tour_shown = models.BooleanField(null=True, blank=True)  # None: as long as nothing is their own
    tour_looked_at = models.DateTimeField(null=True, blank=True)
    tour_compared_at = models.DateTimeField(null=True, blank=True)


class LoginLink(models.Model):
    """A link that logs its user in once. Only a digest is kept: who reads the table cannot enter."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_links")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="login_link_expires_later", condition=Q(expires_at__gt=models.F("created_at")))
        ]

    def __str__(self) -> str:
        return f"login link of {self.user_id}"
