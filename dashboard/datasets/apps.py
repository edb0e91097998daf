"""The datasets app."""

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "dashboard.datasets"

    def ready(self) -> None:
        """State what pages of other apps show of datasets."""
        from dashboard.core.page_parts import add_part
        from dashboard.datasets import selectors
        from dashboard.projects.contents import add_content

        add_part("accounts:account", lambda request, user: {"storage": selectors.storage_of(user)})
        add_content("dataset", "Datasets", "datasets:list", selectors.visible_datasets)
