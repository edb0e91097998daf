"""``cairn trips FILE …``: the trips of people in a file, without a server."""

from argparse import ArgumentParser
from functools import partial
from pathlib import Path

from privacy_engine import formats
from privacy_engine.aggregation.trips import USUAL, rule_of, trips_of, write_csv
from privacy_engine.commands.base import PERSON, Command, reading
from privacy_engine.core.plurals import quantity
from privacy_engine.core.whole_files import by_ending, write_whole

EXAMPLE = """\
example:
  cairn trips checkins.csv --trips gap:24h --out trips.csv

Check-ins make a trip to the person's next one within a gap, trajectories from one stay to the next. A person's trips
follow from that person's events alone. FILE and the trips are raw data, not for publication.
"""


class Trips(Command):
    help = "Write the trips of the people in a file of check-ins or trajectories, a row each."
    example = EXAMPLE
    place = "file"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("file", type=Path, help="file of check-ins or trajectories, in any format")
        add("--kind", choices=tuple(USUAL), help="what the file holds (default: recognised by its columns)")
        add("--trips", metavar="RULE", help="gap:24h (check-ins) or stays:200m:30min (trajectories), which are usual")
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="a reading option")
        add("--person", metavar="WHAT", help=PERSON)
        add("--out", type=Path, required=True, metavar="FILE", help="file to write, .csv")

    def run(
        self, *, file: Path, kind: str | None, trips: str | None, read: list[str], person: str | None, out: Path
    ) -> str:
        write = by_ending(out, {".csv": write_csv})
        rule = None if trips is None else rule_of(trips)
        content = formats.read(file, kinds=(kind,) if kind else tuple(USUAL), **reading(read, person))
        made = trips_of(content.data, rule or rule_of(USUAL[content.kind]))
        write_whole(out, partial(write, made))
        return f"{quantity(len(made), 'trip')} of {quantity(len(set(made.person.tolist())), 'person')}."
