"""The engine's commands as commands of Django."""

from argparse import RawDescriptionHelpFormatter
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from privacy_engine.commands import PROGRAM
from privacy_engine.commands.base import Command as Engine
from privacy_engine.commands.base import CommandFailed
from privacy_engine.commands.main import command_class


class EngineCommand(BaseCommand):
    """A command of the engine, without server, database and broker, under manage.py."""

    requires_system_checks: list[str] = []
    requires_migrations_checks = False
    command: ClassVar[type[Engine]]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        epilog = self.command.example.replace(f"{PROGRAM} ", "manage.py ")
        kwargs |= {"epilog": epilog, "formatter_class": RawDescriptionHelpFormatter}
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.error = lambda message: parser.exit(2, f"{subcommand}: {message}\n")
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        self._command().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._command().execute(options)
        except CommandFailed as failed:
            raise CommandError(failed.message, returncode=failed.code) from None

    def _command(self) -> Engine:
        return self.command(self.stdout._out, self.stderr._out)  # without Django's colours and line ends


def engine_command(name: str) -> type[EngineCommand]:
    """Return Django's class of the engine's command of that name."""
    command = command_class(name)
    return type("Command", (EngineCommand,), {"command": command, "help": command.help})
