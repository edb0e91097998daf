"""The workbench's commands for ``cairn``, where the package is installed: those of manage.py."""

import os
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> None:
    """Run ``cairn ARGUMENTS`` as ``manage.py ARGUMENTS``; ImportError where Django is not installed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
    from dashboard.launcher.environment import start_again_with_them

    start_again_with_them(arguments)
    from dashboard.launcher.commands import execute
    from dashboard.launcher.environment import refuse_broken_settings

    refuse_broken_settings(arguments)
    execute(["cairn", *arguments])
