"""The projects app."""

from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    """Projects: people who work on the same data."""

    name = "dashboard.projects"
    label = "projects"
    default_auto_field = "django.db.models.BigAutoField"
