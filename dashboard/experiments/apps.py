"""The experiments app."""

from django.apps import AppConfig


class ExperimentsConfig(AppConfig):
    name = "dashboard.experiments"

    def ready(self) -> None:
        """State how blocks are removed, which experiments share, and files compared whose digests are not known.

        And what pages of other apps show of experiments.
        """
        from dashboard.core.page_parts import add_part
        from dashboard.experiments import files, selectors, stored_blocks
        from dashboard.projects.contents import add_content
        from dashboard.storage import integrity, removals

        integrity.content_check("blocks", stored_blocks.is_whole)
        integrity.content_check("experiments", files.is_as_named)
        removals.REMOVERS["blocks"] = files.remove_unneeded_blocks
        add_part("releases:compare:checkins", selectors.evaluations_of_page)
        add_content("experiment", "Experiments", "experiments:list", selectors.visible_experiments)
