"""The experiments app."""

from django.apps import AppConfig


class ExperimentsConfig(AppConfig):
    """Registers the app under its short name."""

    name = "dashboard.experiments"
    label = "experiments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """State how blocks are removed, which experiments share."""
        from dashboard.experiments import files
        from dashboard.storage import removals

        removals.REMOVERS["blocks"] = files.remove_unneeded_blocks
