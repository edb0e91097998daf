"""``manage.py verify``: :mod:`privacy_engine.commands.verify` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.verify import Verify


class Command(EngineCommand):
    command = Verify
