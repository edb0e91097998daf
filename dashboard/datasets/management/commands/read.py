"""``manage.py read``: :mod:`privacy_engine.commands.read` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.read import Read


class Command(EngineCommand):
    command = Read
