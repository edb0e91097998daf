"""``manage.py stays``: :mod:`privacy_engine.commands.stays` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.stays import Stays


class Command(EngineCommand):
    command = Stays
