"""The releases app."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.releases"
    label = "releases"
    default_auto_field = "django.db.models.BigAutoField"
