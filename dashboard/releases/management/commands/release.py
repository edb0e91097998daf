"""``manage.py release``: :mod:`privacy_engine.commands.release` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.release import Release


class Command(EngineCommand):
    command = Release
