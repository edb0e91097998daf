"""The landmarks app."""

from django.apps import AppConfig


class LandmarksConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.landmarks"
    label = "landmarks"
    default_auto_field = "django.db.models.BigAutoField"
