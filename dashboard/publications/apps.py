"""Configuration of the publications app."""

from django.apps import AppConfig


class PublicationsConfig(AppConfig):
    name = "dashboard.publications"

    def ready(self) -> None:
        """What its label states of a published copy."""
        from dashboard.publications import copies
        from dashboard.storage import integrity

        integrity.content_check("publications", copies.matches_label)
