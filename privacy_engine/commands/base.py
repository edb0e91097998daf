"""``Command``: a command that needs no server, with its arguments and errors of a line each."""

import signal
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any, ClassVar, TextIO

from privacy_engine.errors import EngineError, ParameterError
from privacy_engine.formats import ReadOptions


class CommandFailed(Exception):
    """Why a command ends without its result: a line for the user, and the exit code."""

    def __init__(self, message: str, *, code: int = 1) -> None:
        super().__init__(message)
        self.message, self.code = message, code


class Command:
    """Base of the commands: each does its work and prints a line about it.

    ``help`` is a sentence, ``example`` stands below it, and ``place`` is the argument that an error of the disk is
    about where it names no file. ``bad_input`` is the exit code of an engine's error. ``run`` takes arguments by their
    names, does the work, and returns a line about what was done.
    """

    help: ClassVar[str]
    example: ClassVar[str] = ""
    place: ClassVar[str] = ""
    bad_input: ClassVar[int] = 1
    run: Callable[..., str]

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self.out, self.err = out, err

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments, where there are some."""

    def execute(self, options: dict[str, Any]) -> None:
        """Run it with parsed options, and print what it returns.

        Raises
        ------
        CommandFailed
            With the exit code. SystemExit where a result is printed and the code is not 0.
        """
        try:
            self.out.write(f"{self.run(**{name: options[name] for name in signature(self.run).parameters})}\n")
        except EngineError as error:
            raise CommandFailed(" ".join(error.message.split()), code=self.bad_input) from None
        except OSError as error:
            place = error.filename or options.get(self.place, "")
            raise CommandFailed(f"{place}: {error.strerror or type(error).__name__}") from None


def pairs(items: list[str], option: str) -> dict[str, str]:
    """The NAME=VALUE arguments of ``option`` by their names; ParameterError where any is wrong or a name repeated."""
    values: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier() or name in values:
            raise ParameterError.must_be(option, "NAME=VALUE, each name once", item)
        values[name] = value
    return values


PERSON = "what identifies a person: column:NAME, folder, file, one or series (default: detected from the file)"


def reading(read: list[str], person: str | None) -> dict[str, Any]:
    """The reading options of ``--read NAME=VALUE …`` and ``--person``, checked; ParameterError where any is wrong."""
    options = pairs(read, "--read")
    if person is not None:
        if options.get("person", person) != person:
            raise ParameterError.must_be("person", "the same in --person and --read", person)
        options["person"] = person
    ReadOptions.of(options)
    return options


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """A block that Ctrl-C ends with KeyboardInterrupt; gives a function to call from time to time within it.

    Libraries that catch every exception (some do while they are imported) catch this too: the function raises
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


def progress_bar(err: TextIO) -> Callable[[float, str], None]:
    """A function that shows a share from 0 to 1, and a text behind it, on a line that fills; silent off a terminal."""
    if not err.isatty():
        return lambda share, text: None

    def show(share: float, text: str) -> None:
        full = int(BAR * share + 1e-9)  # 0.35 * 40 is less than 14
        err.write(f"\r[{'#' * full:.<{BAR}}] {text}" + ("\n" if share == 1 else ""))
        err.flush()

    return show
