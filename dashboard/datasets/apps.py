"""The datasets app."""

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.datasets"
    label = "datasets"
    default_auto_field = "django.db.models.BigAutoField"
