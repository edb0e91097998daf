"""``manage.py audit``: :mod:`privacy_engine.commands.audit` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.audit import Audit


class Command(EngineCommand):
    command = Audit
