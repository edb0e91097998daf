"""Users, their sessions, login links, invitations and API tokens, failed attempts to log in, and base maps."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from knox.models import AbstractAuthToken

from dashboard.storage.stored_path import StoredPath


class BaseMapChoice(models.TextChoices):
    """What lies under the layers of every map."""

    NONE = "none"
    BUILT_IN = "built-in"
    AREA = "area"
    FILE = "file"
    SERVER = "server"


class User(AbstractUser):
    """A person who owns datasets. Others have no more than a random id of them."""

    STORED_IN: ClassVar = "blocks"  # results that the experiments of an owner share

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tour_shown = models.BooleanField(null=True, blank=True)  # None: as long as nothing is their own
    tour_looked_at = models.DateTimeField(null=True, blank=True)
    tour_compared_at = models.DateTimeField(null=True, blank=True)
    # "" as long as nothing was chosen
    base_map = models.CharField(max_length=16, choices=BaseMapChoice.choices, default="", blank=True)
    tile_host = models.CharField(max_length=255, default="", blank=True)  # the tile server that was agreed to
    quota_bytes = models.BigIntegerField(null=True, blank=True)  # of uploads; null: CAIRN_QUOTA_GB, negative: no limit

    def save(self, *args: Any, **kwargs: Any) -> None:
        """As Django's; a password that was set ends all sessions, tokens and login links."""
        changed = self._password is not None and not self._state.adding
        with transaction.atomic():
            super().save(*args, **kwargs)
            if changed:
                self.auth_token_set.all().delete()
                self.login_links.all().delete()
                self.sessions.all().delete()


class MapFile(models.Model):
    """A user's PMTiles file for the base map; its bytes are in a file that its id names."""

    STORED_IN: ClassVar = "base-maps"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="map_file")
    name = models.CharField(max_length=200)
    size = models.BigIntegerField()
    attribution = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"base map of {self.user_id}"

    @property
    def path(self) -> StoredPath:
        """Where its bytes are."""
        return StoredPath(f"{self.STORED_IN}/{self.pk}")


class UserSession(AbstractBaseSession):
    """Django's session, with what its user sees of it; ``user`` is null before a login."""

    FIXED: ClassVar = {"session_key", "id", "created_at"}
    OWNER: ClassVar = "user"

    id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)  # the key itself logs in: it is in no page
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sessions")
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(default=timezone.now)  # to the minute
    address = models.CharField(max_length=64, blank=True)
    browser = models.CharField(max_length=60, blank=True)  # as text; the header itself is not stored

    def save(self, *args: Any, **kwargs: Any) -> None:
        """As Django's; the store saves a new instance each time, so an update leaves what is fixed as it is."""
        if kwargs.get("force_update"):
            kwargs["update_fields"] = {field.name for field in self._meta.fields} - self.FIXED
        super().save(*args, **kwargs)


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


class Invitation(models.Model):
    """A link that makes a single account, or a single member of a project. Only a digest of it is kept.

    ``invited_by`` is null for an administrator's; with a ``project`` it is its owner.
    """

    OWNER: ClassVar = "invited_by"
    PROJECT: ClassVar = "project"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="invitations")
    project = models.ForeignKey(
        "projects.Project", on_delete=models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    role = models.CharField(max_length=10, default="", blank=True)  # that it gives in the project
    note = models.CharField(max_length=100, blank=True)  # whom it is for; the invited person does not see it
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(name="invitation_expires_later", condition=Q(expires_at__gt=models.F("created_at"))),
            models.CheckConstraint(
                name="invitation_role_in_project",
                condition=Q(project__isnull=True, role="")
                | Q(project__isnull=False, role__gt="", invited_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class Scope(models.TextChoices):
    """What a token permits."""

    READ = "read", "read data, results and settings"
    WRITE = "write", "upload, create, change and delete; responses describe the data"
    PUBLISH = "publish", "make data public: events of a live stream, public links of releases"


def all_scopes() -> list[str]:
    """Every scope."""
    return list(Scope.values)


class ApiToken(AbstractAuthToken):
    """A token of a program: knox keeps its digest, owner and expiry."""

    name = models.CharField(max_length=100, blank=True)
    scopes = models.JSONField(default=all_scopes)
    last_used_at = models.DateTimeField(null=True, blank=True)  # to the minute


class AttemptCount(models.Model):
    """How many attempts to log in failed under a name or from an address, in a period that ends at ``ends_at``.

    The name or address is a keyed digest: who reads the table learns neither, nor a password typed as a name.
    """

    digest = models.CharField(max_length=64, unique=True)
    attempts = models.PositiveIntegerField(default=0)
    ends_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.attempts} attempts until {self.ends_at}"


class Access(models.TextChoices):
    """What is recorded."""

    ORIGINAL = "original", "read the original"
    DOWNLOAD = "download", "downloaded"
    JOINED = "joined", "joined by an invitation"


class AppendOnly(models.QuerySet["AccessEntry"]):
    """Rows that are added and read. Retention and the end of the account delete them, nothing changes them."""

    def update(self, **kwargs: Any) -> int:
        """Refuse."""
        raise TypeError("entries of the trail of access are not changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        """Refuse."""
        raise TypeError("entries of the trail of access are deleted by retention alone")

    def forget(self) -> None:
        """Delete, by the rule of retention."""
        self._raw_delete(self.db)


class AccessEntry(models.Model):
    """A read of an original, a download, or a new member of a project: who, what, when, by what.

    Names are those of that moment: what they name may be deleted since. ``user`` is null for readers of public links.
    """

    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="access_entries")  # of what was read
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    user_name = models.CharField(max_length=150, blank=True)
    access = models.CharField(max_length=10, choices=Access.choices)
    operation = models.CharField(max_length=60)  # the name of its address
    subject = models.CharField(max_length=30)  # dataset, release, …
    subject_id = models.UUIDField(db_index=True)
    subject_name = models.CharField(max_length=200, blank=True)
    means = models.CharField(max_length=10)  # session, token, link, invitation or command
    means_id = models.CharField(max_length=36, blank=True)  # of the session …, or the first characters of the token
    means_name = models.CharField(max_length=100, blank=True)  # the browser, the name of the token, or the role given
    created_at = models.DateTimeField(default=timezone.now)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering: ClassVar = ["-created_at", "-pk"]
        indexes: ClassVar = [models.Index(fields=["owner", "-created_at"], name="access_of_owner_newest_first")]

    def __str__(self) -> str:
        return f"{self.operation} of {self.subject} {self.subject_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """As Django's, of a new entry only."""
        if not self._state.adding:
            raise TypeError("entries of the trail of access are not changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Refuse."""
        raise TypeError("entries of the trail of access are deleted by retention alone")

    @property
    def by(self) -> str:
        """What the page calls the means."""
        texts = {"token": "token {}", "link": "public link", "invitation": "invitation, as {}"}
        return texts.get(self.means, "session, {}").format(self.means_name or "unknown browser")
