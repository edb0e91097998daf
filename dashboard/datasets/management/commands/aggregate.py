"""``manage.py aggregate``: :mod:`privacy_engine.commands.aggregate` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.aggregate import Aggregate


class Command(EngineCommand):
    command = Aggregate
