"""``manage.py publish FILE``: publish counts as they come out of a file or a pipe, each timestamp once."""

import csv
import hashlib
import io
import itertools
import json
import secrets
import sys
import uuid
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from dashboard.core.errors import must_be
from dashboard.streams import services
from dashboard.streams.models import LINE, LiveStream, PublishedTimestamp, StreamState
from privacy_engine.commands.base import pairs
from privacy_engine.core.step_text import value_of
from privacy_engine.errors import EngineError, ParameterError

CLOSED = ("stream", StreamState.CLOSED)
"""Field and value of the error of a stream that takes no more counts."""
EXAMPLE = """\
examples:
  manage.py publish counts.csv --user ada --mechanism stream-uniform --set epsilon=1 --set window=7 --out released.csv
  sensor | manage.py publish - --user ada --stream 8f1c0e9e-7c3e-4a41-9b0f-0d6b1c7a6c55

FILE is a CSV table: a header with "time" and the names of the dimensions, and a line for each timestamp. A line is
published when it is read, and what was published is written at once. The same command again, after an interruption,
continues its stream: the file, the header, the name, the step and the mechanism with its parameters are the same. Each
line gets a key at random, stored with the stream when it is published. Lines that were published, known by their times,
return what was published; their counts are not read again: a line changed after its publication is not noticed. --new
opens another stream: what both publish of the same events adds up.
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
        add("--stream", metavar="ID", help="continue this stream; without it, one is opened by the first such command")
        add("--new", action="store_true", help="open a new stream even if there is one of the same command")
        add("--mechanism", metavar="NAME", help="of a new stream")
        add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the mechanism")
        add("--name", default="", help="of a new stream; default: the name of the file; required with standard input")
        add("--step", type=float, help="what lies between two timestamps; default: anything")
        add("--out", metavar="FILE", help="a new file, or one of the same stream to continue; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["file"] == "-":
                self._publish(sys.stdin, options)
            else:
                with Path(options["file"]).open(encoding="utf-8", newline="") as file:
                    self._publish(file, options)
        except EngineError as error:
            raise CommandError(" ".join(error.message.split())) from None
        except OSError as error:
            place = error.filename or options["file"]
            raise CommandError(f"{place}: {error.strerror or type(error).__name__}") from None
        except UnicodeDecodeError as error:
            raise CommandError(f"{options['file']} must be text in UTF-8: {error.reason}") from None
        except csv.Error as error:
            raise CommandError(f"{options['file']} must be a CSV table: {error}") from None

    def _publish(self, file: TextIO, options: dict[str, Any]) -> None:
        piped = options["file"] == "-"
        lines = csv.reader(_unbuffered(file, whole=piped))
        header = next(lines, [])
        header[:1] = [cell.removeprefix("\ufeff") for cell in header[:1]]
        if len(header) < 2 or header[0].strip().lower() != "time":
            rule = 'a header: "time", then the names of the dimensions'
            got = ",".join(header)
            raise ParameterError(
                f"The first line must be {rule}, got {got!r:.60}", field="header", rule=rule, value=got
            )
        names = services.stream_names(header[1:])
        if not options["out"]:
            stream = self._stream(options, names)
            self._announce(stream)
            self.stdout.write(_line(["time", *stream.dimensions]), ending="")
            self._each(stream, lines, self.stdout, repeated=True)
            return
        with transaction.atomic():  # where the file is refused, no stream was opened
            stream = self._stream(options, names)
            out = _continued_file(Path(options["out"]), stream)
        with out:
            self._announce(stream)
            self._each(stream, lines, out, repeated=False)

    def _announce(self, stream: LiveStream) -> None:
        continued = f", continued after {stream.last_label}" if stream.published else ""
        self.stderr.write(f"stream {stream.pk}{continued}", style_func=str)

    def _stream(self, options: dict[str, Any], names: list[str]) -> LiveStream:
        user = get_user_model().objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise must_be("user", "an active user of this server", got=f"{options['user']!r:.60}")
        if options["stream"]:
            return self._continued(options["stream"], user, names)
        if options["file"] == "-" and not options["name"]:
            raise must_be("name", "given for a new stream of standard input, unless --stream is")
        if not options["mechanism"]:
            raise ParameterError("mechanism must be given for a new stream", field="mechanism", rule="given")
        parameters = {name: value_of(text) for name, text in pairs(options["set"], "--set").items()}
        spec = services.live_spec({"name": options["mechanism"], **parameters})
        name, step = options["name"] or options["file"], options["step"]
        place = "-" if options["file"] == "-" else str(Path(options["file"]).resolve())
        same = hashlib.sha256(json.dumps([place, name, names, spec.digest, step]).encode()).hexdigest()
        key = "" if options["new"] else f"publish:{same}"
        opening = {"owner": user, "name": name, "dimensions": names, "spec": spec, "step": step}
        stream, _ = services.open_stream(**opening, idempotency_key=key)
        return stream

    def _continued(self, given: str, user: Any, names: list[str]) -> LiveStream:
        try:
            stream = LiveStream.objects.filter(owner=user, pk=uuid.UUID(given)).first()
        except ValueError:
            stream = None
        if stream is None:
            raise must_be("stream", "the id of a stream of this user", given)
        if stream.dimensions != names:
            rule = "the dimensions of the stream, in its order"
            message = f"The header must have {rule}: {', '.join(stream.dimensions)}"
            raise ParameterError(message, field="header", rule=rule)
        return stream

    def _each(self, stream: LiveStream, lines: Any, out: Any, *, repeated: bool) -> None:
        """Publish line after line; ``repeated`` is whether to write again what was published before."""
        for cells in lines:
            if not cells:
                continue
            try:
                row, new = self._line(stream, value_of(cells[0].strip()), cells[1:])
            except EngineError as error:
                hint = " --new opens another." if (error.field, error.value) == CLOSED else ""
                raise CommandError(f"Line {lines.line_num}: {' '.join(error.message.split())}{hint}") from None
            if new or repeated:
                out.write(_line_of(row))
                out.flush()

    def _line(self, stream: LiveStream, time: Any, cells: list[str]) -> tuple[PublishedTimestamp, bool]:
        """What is published of a line, and whether it is now."""
        if earlier := services.published_line(stream, time):
            return earlier, False
        event = {"time": time, "counts": [value_of(cell.strip()) for cell in cells]}
        key = f"{LINE}{secrets.token_hex(16)}"
        (row,), new = services.publish_events(stream=stream, user=stream.owner, key=key, events=[event])
        return row, new


def _continued_file(path: Path, stream: LiveStream) -> TextIO:
    """The file at ``path``, open at its end, with all that ``stream`` published; a line cut off is completed.

    Raises
    ------
    ParameterError
        It holds something else.
    """
    lines = itertools.chain([_line(["time", *stream.dimensions])], map(_line_of, stream.timestamps.iterator()))
    out = path.open("a+", encoding="utf-8", errors="replace", newline="")
    out.seek(0)
    missing = ""
    for line in lines:
        held = out.read(len(line))
        if held != line:
            missing = line[len(held) :] if line.startswith(held) else ""
            break
    else:
        held = line = ""
    if out.read(1) or not line.startswith(held):
        out.close()
        rule = "a new file, or one with what this stream published and nothing else"
        raise ParameterError(f"out must be {rule}: {path}", field="out", rule=rule, value=str(path))
    out.seek(0, io.SEEK_END)
    out.write(missing)
    out.writelines(lines)
    out.flush()
    return out


def _line_of(row: PublishedTimestamp) -> str:
    return _line([row.label, *row.numbers])


def _line(cells: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _unbuffered(file: TextIO, *, whole: bool) -> Iterator[str]:
    """Lines as they come: iterating over a pipe would read ahead. With ``whole``, a line without its end is refused."""
    while line := file.readline():
        if whole and not line.endswith("\n"):
            rule = "a line end after each line; the last one may be cut off, and was not published"
            raise ParameterError(f"Standard input must have {rule}: {line!r:.60}", field="file", rule=rule, value=line)
        yield line
