"""``manage.py experiment``: :mod:`privacy_engine.commands.experiment` under Django."""

from dashboard.core.cli import EngineCommand
from privacy_engine.commands.experiment import Experiment


class Command(EngineCommand):
    command = Experiment
