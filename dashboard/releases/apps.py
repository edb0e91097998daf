"""The releases room."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    """Registers the room under its short name."""

    name = "dashboard.releases"
    label = "releases"
    default_auto_field = "django.db.models.BigAutoField"
