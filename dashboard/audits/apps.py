"""Configuration of the audits app."""

from django.apps import AppConfig


class AuditsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.audits"
    label = "audits"
    default_auto_field = "django.db.models.BigAutoField"
