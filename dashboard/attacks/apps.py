"""The attacks app."""

from django.apps import AppConfig


class AttacksConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.attacks"
    label = "attacks"
    default_auto_field = "django.db.models.BigAutoField"
