"""``cairn stays FILE …``: the stays of trajectories as check-ins, from a file to a file, without a server."""

from argparse import ArgumentParser
from functools import partial
from pathlib import Path

from privacy_engine import formats
from privacy_engine.aggregation.stays import StaySpec, stays_of, write_csv
from privacy_engine.commands.base import PERSON, Command, reading
from privacy_engine.core.plurals import quantity
from privacy_engine.core.step_text import value_of
from privacy_engine.core.whole_files import by_ending, write_whole

EXAMPLE = """\
example:
  cairn stays taxis.csv --distance-m 200 --duration-s 1800 --out stays.csv

A user is a person of the trajectories. FILE and the check-ins are raw data: what may be published are releases of them
at the level of users (cairn release stays.csv --mechanism checkin-popularity …).
"""


class Stays(Command):
    help = "Detect the stays in a file of trajectories: check-ins to release."
    example = EXAMPLE
    place = "file"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("file", type=Path, help="file of trajectories, in any format")
        add("--distance-m", required=True, metavar="METRES", help="how far from its first event a stay may reach")
        add("--duration-s", required=True, metavar="SECONDS", help="how long a stay must last")
        add("--variant", default="seed", metavar="NAME", help="seed (default), li08_def or trackintel")
        add("--max-gap-s", metavar="SECONDS", help="a gap longer than this ends a stay")
        add("--place-m", metavar="METRES", help="stays of one person this near to an earlier one are at one place")
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="a reading option")
        add("--person", metavar="WHAT", help=PERSON)
        add("--out", type=Path, required=True, metavar="FILE", help="file to write, .csv")

    def run(
        self,
        *,
        file: Path,
        distance_m: str,
        duration_s: str,
        variant: str,
        max_gap_s: str | None,
        place_m: str | None,
        read: list[str],
        person: str | None,
        out: Path,
    ) -> str:
        write = by_ending(out, {".csv": write_csv})
        numbers = {"distance_m": distance_m, "duration_s": duration_s, "max_gap_s": max_gap_s, "place_m": place_m}
        given = {name: value_of(text) for name, text in numbers.items() if text is not None}
        spec = StaySpec.parse({"reading": variant, **given})
        stays = stays_of(formats.read(file, **reading(read, person)).series, spec)
        write_whole(out, partial(write, stays))
        size = f"{quantity(len(stays), 'check-in')} of {quantity(len(set(stays.user.tolist())), 'user')}"
        return f"{size}. A promise about one user covers {spec.described().covers}."
