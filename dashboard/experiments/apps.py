"""The experiments app."""

from django.apps import AppConfig


class ExperimentsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.experiments"
    label = "experiments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """State how blocks are removed, which experiments share, and files compared whose digests are not known."""
        from dashboard.experiments import files, stored_blocks
        from dashboard.storage import integrity, removals

        integrity.content_check("blocks", stored_blocks.is_whole)
        integrity.content_check("experiments", files.is_as_named)
        removals.REMOVERS["blocks"] = files.remove_unneeded_blocks
