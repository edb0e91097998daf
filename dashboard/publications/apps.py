"""Configuration of the publications app."""

from django.apps import AppConfig


class PublicationsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.publications"
    label = "publications"
    default_auto_field = "django.db.models.BigAutoField"
