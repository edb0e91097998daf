"""``manage.py formats``: :mod:`privacy_engine.commands.formats` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.formats import Formats


class Command(EngineCommand):
    command = Formats
