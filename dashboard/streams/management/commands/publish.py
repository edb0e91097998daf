"""``manage.py publish FILE``: publish counts as they come out of a file or a pipe, each timestamp once."""

from __future__ import annotations

import csv
import io
import sys
import uuid
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.streams import services
from dashboard.streams.models import LiveStream, PublishedTimestamp
from privacy_engine.commands.base import pairs
from privacy_engine.errors import EngineError, ParameterError
from privacy_engine.spec import ReleaseSpec
from privacy_engine.step_text import value_of

EXAMPLE = """\
examples:
  manage.py publish counts.csv --user ada --mechanism stream-uniform --set epsilon=1 --set window=7
  sensor | manage.py publish - --user ada --stream 8f1c0e9e-7c3e-4a41-9b0f-0d6b1c7a6c55

FILE is a CSV table: a header with "time" and the names of the dimensions, and a line for each timestamp. A line is
published when it is read, and what was published is written at once. The same lines again, after an interruption,
return what was published; with --stream they continue that stream.
"""


class Command(BaseCommand):
    help = "Publish the counts of a file or a pipe, one timestamp after the other, as a live stream."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs |= {"epilog": EXAMPLE, "formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("file", metavar="FILE", help="a CSV table, or - for standard input")
        add("--user", required=True, metavar="NAME", help="whose stream it is")
        add("--stream", metavar="ID", help="continue this stream; without it, one is opened")
        add("--mechanism", metavar="NAME", help="of a new stream")
        add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the mechanism")
        add("--name", default="", help="of a new stream; default: the name of the file")
        add("--step", type=float, help="what lies between two timestamps; default: anything")
        add("--out", metavar="FILE", help="append what is published to this file; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["file"] == "-":
                self._publish(sys.stdin, options)
            else:
                with Path(options["file"]).open(encoding="utf-8-sig", newline="") as file:
                    self._publish(file, options)
        except EngineError as error:
            raise CommandError(" ".join(error.message.split())) from None
        except OSError as error:
            place = error.filename or options["file"]
            raise CommandError(f"{place}: {error.strerror or type(error).__name__}") from None

    def _publish(self, file: TextIO, options: dict[str, Any]) -> None:
        lines = csv.reader(_unbuffered(file))
        header = next(lines, [])
        if len(header) < 2 or header[0].strip().lower() != "time":
            rule = 'a header: "time", then the names of the dimensions'
            got = ",".join(header)
            raise ParameterError(
                f"The first line must be {rule}, got {got!r:.60}", field="header", rule=rule, value=got
            )
        stream = self._stream(options, [name.strip() for name in header[1:]])
        self.stderr.write(f"stream {stream.pk}", style_func=str)
        if not options["out"]:
            self._each(stream, lines, _Table(stream, self.stdout), repeated=True)
            return
        with Path(options["out"]).open("w", encoding="utf-8", newline="") as out:
            table = _Table(stream, out)
            for row in stream.timestamps.iterator():
                table.write(row)
            self._each(stream, lines, table, repeated=False)

    def _stream(self, options: dict[str, Any], names: list[str]) -> LiveStream:
        user = get_user_model().objects.filter(username=options["user"]).first()
        if user is None:
            rule = "a user of this server"
            raise ParameterError(f"user must be {rule}, got {options['user']!r:.60}", field="user", rule=rule)
        if options["stream"]:
            return self._continued(options["stream"], user, names)
        if not options["mechanism"]:
            raise ParameterError("mechanism must be given for a new stream", field="mechanism", rule="given")
        parameters = {name: value_of(text) for name, text in pairs(options["set"], "--set").items()}
        spec = ReleaseSpec.parse({"mechanism": {"name": options["mechanism"], **parameters}})
        name = options["name"] or options["file"]
        return services.open_stream(owner=user, name=name, dimensions=names, spec=spec, step=options["step"])[0]

    def _continued(self, given: str, user: Any, names: list[str]) -> LiveStream:
        try:
            found = LiveStream.objects.filter(owner=user, pk=uuid.UUID(given)).first()
        except ValueError:
            found = None
        if found is None:
            rule = "the id of a stream of this user"
            raise ParameterError(f"stream must be {rule}, got {given!r:.60}", field="stream", rule=rule, value=given)
        if found.dimensions != names:
            rule = "the dimensions of the stream, in its order"
            message = f"The header must have {rule}: {', '.join(found.dimensions)}"
            raise ParameterError(message, field="header", rule=rule)
        return found

    def _each(self, stream: LiveStream, lines: Iterator[list[str]], table: _Table, *, repeated: bool) -> None:
        """Publish line after line; ``repeated`` is whether to write again what was published before."""
        for number, cells in enumerate(lines, start=2):
            if not cells:
                continue
            event = {"time": value_of(cells[0].strip()), "counts": [value_of(cell.strip()) for cell in cells[1:]]}
            try:
                row, new = services.publish_events(stream=stream, events=[event])[0]
            except EngineError as error:
                raise CommandError(f"Line {number}: {' '.join(error.message.split())}") from None
            if new or repeated:
                table.write(row)


class _Table:
    """What is published, as a CSV table that is written line by line."""

    def __init__(self, stream: LiveStream, out: Any) -> None:
        self._out = out
        self._write(["time", *stream.dimensions])

    def write(self, row: PublishedTimestamp) -> None:
        """Write one timestamp at once."""
        self._write([row.label, *row.numbers])

    def _write(self, cells: list[Any]) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(cells)
        self._out.write(line.getvalue() + "\n")
        self._out.flush()


def _unbuffered(file: TextIO) -> Iterator[str]:
    """Lines as they come: iterating over a pipe would read ahead."""
    while line := file.readline():
        yield line
