"""Commands that need no server: their arguments, and errors that are one line each."""

from __future__ import annotations

import signal
import threading
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from privacy_engine.errors import EngineError, ParameterError
from privacy_engine.formats import ReadOptions


class LineCommand(BaseCommand):
    """A command without server, database and broker: it does one thing and prints one line about it.

    ``example`` stands below its help, ``arguments`` are those of :meth:`run`, and ``place`` is the one that an error of
    the disk is about where it names no file.
    """

    requires_system_checks: list[str] = []
    requires_migrations_checks = False
    example: ClassVar[str]
    arguments: ClassVar[tuple[str, ...]]
    place: ClassVar[str]

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs |= {"epilog": self.example, "formatter_class": RawDescriptionHelpFormatter}
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.error = lambda message: parser.exit(2, f"{subcommand}: {message}\n")
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(self.run(**{name: options[name] for name in self.arguments}))
        except EngineError as error:
            raise CommandError(" ".join(error.message.split())) from None
        except OSError as error:
            place = error.filename or options[self.place]
            raise CommandError(f"{place}: {error.strerror or type(error).__name__}") from None

    def run(self, **options: Any) -> str:
        """Do it, and return one line about what was done."""
        raise NotImplementedError


def pairs(items: list[str], option: str) -> dict[str, str]:
    """The NAME=VALUE arguments of ``option`` by their names; ParameterError where one is none or a name comes twice."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier() or name in found:
            rule = "NAME=VALUE, each name once"
            raise ParameterError(f"{option} must be {rule}, got {item!r:.60}", field=option, rule=rule, value=item)
        found[name] = value
    return found


PERSON = "what identifies a person: column:NAME, folder, file, one or series (default: detected from the file)"


def reading(read: list[str], person: str | None) -> dict[str, Any]:
    """The reading options of ``--read NAME=VALUE …`` and ``--person``, checked; ParameterError where one is wrong."""
    found = pairs(read, "--read")
    if person is not None:
        if found.get("person", person) != person:
            rule = "the same in --person and --read"
            raise ParameterError(f"person must be {rule}, got {person!r:.60}", field="person", rule=rule, value=person)
        found["person"] = person
    ReadOptions.of(found)
    return found


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """A block that Ctrl-C ends with KeyboardInterrupt; gives a function to call from time to time within it.

    Libraries that catch every exception (some do while they are imported) catch this one as well: the function raises
    it again, as does the end of the block. Only the main thread receives signals; in others nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    received = False

    def receive(*_: Any) -> None:
        nonlocal received
        received = True
        raise KeyboardInterrupt

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, receive)
    try:
        yield check
        check()
    finally:
        signal.signal(signal.SIGINT, before)


BAR = 40
"""Characters of a progress bar."""


def progress_bar(err: OutputWrapper) -> Callable[[float, str], None]:
    """A function that shows a share from 0 to 1, and a text behind it, on a line that fills; silent off a terminal."""
    if not err.isatty():
        return lambda share, text: None

    def show(share: float, text: str) -> None:
        full = int(BAR * share + 1e-9)  # 0.35 * 40 is less than 14
        err.write(f"\r[{'#' * full:.<{BAR}}] {text}", style_func=str, ending="\n" if share == 1 else "")
        err.flush()

    return show
