"""``cairn aggregate FILE …``: counts of events on a grid, from a file to a file, without a server."""

from argparse import ArgumentParser
from dataclasses import replace
from functools import partial
from pathlib import Path

from privacy_engine import formats
from privacy_engine.aggregation import WRITERS, Aggregated, AggregationSpec, aggregate, events_of
from privacy_engine.commands.base import PERSON, Command, reading
from privacy_engine.core.step_text import value_of
from privacy_engine.core.whole_files import by_ending, write_whole
from privacy_engine.datatypes import datatypes
from privacy_engine.formats.decisions import Decisions

EXAMPLE = """\
example:
  cairn aggregate taxis.csv --cell-m 1000 --step 1h --count person --most 2 \\
    --box 116.2,39.8,116.6,40.0 --start 2008-02-02 --end 2008-02-08 --out counts.parquet

Without --box, --start and --end the grid and its steps follow from the data, which no promise covers.
FILE and counts are raw data: what may be published are releases of them (cairn release). A Parquet file states the
sensitivity of the counts; of a CSV table give it: --set sensitivity=2.
"""
KINDS = tuple(kind for kind, datatype in datatypes.items() if datatype.has_events)


class Aggregate(Command):
    help = "Count the events of a file on a grid, step by step of time: a count stream to release."
    example = EXAMPLE
    place = "file"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("file", metavar="FILE", type=Path, help="trajectories or check-ins, in any format that Cairn reads")
        add("--kind", choices=KINDS, help="what FILE holds (default: detected by its columns)")
        add("--cell-m", required=True, metavar="METRES", help="the side of a cell, at most")
        add("--step", required=True, help="the length of a step: 15min, 1h, 1d, 1week")
        add("--count", required=True, metavar="UNIT", help="what counts once in a step: person, series or event")
        add("--most", default="1", help="in how many cells of a step a person or series counts (default: 1)")
        add("--pick", default="first", help="which cells these are: first or frequent (default: first)")
        add("--neighbours", default="presence", help="what the sensitivity covers: presence or change")
        add("--box", metavar="WEST,SOUTH,EAST,NORTH", help="in degrees (--box=-1,… if it begins with -)")
        add("--start", help="a date or time in the first step")
        add("--end", help="a date or time in the last step")
        add("--time-zone", default="UTC", help="of days, weeks, start and end (default: UTC)")
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="how to read the file")
        add("--person", metavar="WHAT", help=PERSON)
        add("--out", required=True, type=Path, help=f"where to; its extension is the format: {', '.join(WRITERS)}")

    def run(
        self,
        *,
        file: Path,
        kind: str | None,
        cell_m: str,
        step: str,
        count: str,
        most: str,
        pick: str,
        neighbours: str,
        box: str | None,
        start: str | None,
        end: str | None,
        time_zone: str,
        read: list[str],
        person: str | None,
        out: Path,
    ) -> str:
        write = by_ending(out, WRITERS)
        texts = {"step": step, "pick": pick, "neighbours": neighbours, "start": start, "end": end}
        numbers = {"cell_m": value_of(cell_m), "most": value_of(most)}
        sides = None if box is None else [value_of(side) for side in box.split(",")]
        spec = AggregationSpec.parse({"unit": count, "box": sides, "time_zone": time_zone, **numbers, **texts})
        content = formats.read(file, kinds=(kind,) if kind else KINDS, **reading(read, person))
        events = events_of(content.data)
        made = aggregate(replace(events, decided=Decisions.of(content.report).listed), spec)
        write_whole(out, partial(write, made.stream))
        return _summary(made)


def _summary(made: Aggregated) -> str:
    size, counted = made.size, made.stream.counted
    assert counted is not None
    parts = [f"{size.steps:,} steps of {size.rows * size.columns:,} cells ({size.rows:,} × {size.columns:,})"]
    parts += [f"{size.zero:.1%} of the counts are 0"]
    parts += [f"{size.outside:,} events outside"] * bool(size.outside) + [f"{size.cut:,} visits cut"] * bool(size.cut)
    uncovered = f" Not covered: {'; '.join(counted.not_covered)}." if counted.not_covered else ""
    return f"{', '.join(parts)}. {counted.sensitivity_text}{uncovered}"
