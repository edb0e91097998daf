"""A hook of hatchling: the wheel holds the documentation where it was built."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds build/site, which a checkout has after `make docs`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include the site, if it is there."""
        site = Path(self.root, "build", "site")
        if site.is_dir():
            build_data["force_include"][str(site)] = "dashboard/assets/site"
