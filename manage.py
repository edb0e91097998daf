#!/usr/bin/env python
"""Cairn's command line."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
    from dashboard.launcher.environment import start_again_with_them

    start_again_with_them(sys.argv[1:])
    from dashboard.launcher.commands import execute
    from dashboard.launcher.environment import refuse_broken_settings

    refuse_broken_settings(sys.argv[1:])
    if sys.argv[1:] in (["help"], ["--help"], ["-h"]):
        list_commands()
    else:
        execute(sys.argv)


def list_commands() -> None:
    """Print Django's list of commands without loading models, which would take most of the time."""
    from django.apps import AppConfig, apps
    from django.conf import settings
    from django.core.management import ManagementUtility

    for entry in settings.INSTALLED_APPS:
        config = AppConfig.create(entry)
        apps.app_configs[config.label] = config
    apps.apps_ready = True
    sys.stdout.write(ManagementUtility(sys.argv).main_help_text() + "\n")


if __name__ == "__main__":
    main()
