"""The releases app."""

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.releases"
    label = "releases"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """What its label states of a stored release."""
        from dashboard.releases import files
        from dashboard.storage import integrity

        integrity.content_check("releases", files.matches_label)
