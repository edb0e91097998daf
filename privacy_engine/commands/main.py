"""``cairn``: the console command; the workbench's entry point has the commands that need a server."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points

from privacy_engine.commands import NAMES, PROGRAM
from privacy_engine.commands.base import Command, CommandFailed

SERVER = "cairn.server"
"""The group of entry points with the function that takes all other commands."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("help", "-h", "--help"):
        sys.stdout.write(_help())
        return 0
    name, rest = given[0], given[1:]
    if name not in NAMES:
        return _server(given)
    command = command_class(name)(sys.stdout, sys.stderr)
    parser = ArgumentParser(
        prog=f"{PROGRAM} {name}",
        description=command.help,
        epilog=command.example,
        formatter_class=RawDescriptionHelpFormatter,
    )
    command.add_arguments(parser)
    try:
        command.execute(vars(parser.parse_args(rest)))
    except CommandFailed as failed:
        sys.stderr.write(f"{name}: {failed.message}\n")
        return failed.code
    return 0


def command_class(name: str) -> type[Command]:
    """Return the command of one of :data:`NAMES`."""
    module = import_module(f"privacy_engine.commands.{name.replace('-', '_')}")
    command: type[Command] = getattr(module, name.title().replace("-", ""))
    return command


def _help() -> str:
    width = max(map(len, NAMES))
    lines = [f"  {name:{width}}  {command_class(name).help}" for name in NAMES]
    more = "The workbench's commands (run, publish, token …) are here too where the extra server is installed."
    return "\n".join([f"usage: {PROGRAM} COMMAND …", "", *lines, "", more, ""])


def _server(given: list[str]) -> int:
    """Run a command of the workbench, which is another package: its entry point is looked up."""
    for entry in entry_points(group=SERVER):
        try:
            run = entry.load()
        except ImportError:
            break
        return int(run(given) or 0)
    known = ", ".join(NAMES)
    sys.stderr.write(f"{PROGRAM}: no command {given[0]!r:.40}: one of {known}, or install the extra server for more\n")
    return 2
