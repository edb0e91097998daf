"""The attacks app."""

from django.apps import AppConfig


class AttacksConfig(AppConfig):
    name = "dashboard.attacks"

    def ready(self) -> None:
        """State how a file is compared whose digest is not known."""
        from dashboard.attacks import files
        from dashboard.storage import integrity

        integrity.content_check("attacks", files.is_as_recorded)
