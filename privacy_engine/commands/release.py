"""``cairn release FILE …``: one release from a file to a file, or its forecast; no server, no database, no broker."""

import json
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from privacy_engine import formats
from privacy_engine.cleaning import Done, cleaning_steps, parse_cleaning
from privacy_engine.cleaning import clean as cleaned
from privacy_engine.commands.base import PERSON, Command, pairs, reading
from privacy_engine.core.plurals import quantity
from privacy_engine.core.step_text import parse_short_step, short_forms, value_of
from privacy_engine.core.whole_files import by_ending, write_whole
from privacy_engine.data import Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.labelled_release import LabelledRelease, Marks, release_other, release_trajectories
from privacy_engine.distributed import release_partitions
from privacy_engine.errors import ParameterError
from privacy_engine.formats.decisions import Decisions
from privacy_engine.landmarks import parse_short, parse_short_dummies
from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.spec import ReleaseSpec

EXAMPLE = """\
example:
  cairn release walk.gpx --mechanism landmark-uniform --set epsilon=1 --set radius_m=200 \\
    --landmarks stay-points:200m:30min --then ou-smoother --out walk.csv

--clean and --then may come again: the steps follow one another. What --then names reads the release only, so it
spends nothing. What --clean names is done before landmarks are marked, and the label states it; it may also be the
JSON of the API's cleaning: --clean '[{"name": "drop-jumps", "highest_km_h": 200}]'.
With --forecast instead of --out nothing is released, written or spent: it prints the errors to expect, in closed form
or by simulations with a fixed seed. They are computed from FILE, so they are not for publication.
Without --seed the noise comes from the operating system. With it the release can be repeated, and is not private.
"""
LANDMARKS = (
    "schedule:mon-fri:22:00-06:00@Europe/Paris, stay-points:200m:30min, manual:0,2,4 (manual: for none), "
    "zones:FILE.geojson, column (marked in FILE itself) or synthetic:20%%:uniform:1"
)

EXTENSIONS = datatypes[Trajectory.kind].extensions


class Release(Command):
    help = "Release a file without a server: read, define landmarks (of trajectories), add noise, write."
    example = EXAMPLE
    place = "file"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("file", metavar="FILE", help="in any format that Cairn reads, of the mechanism's kind of data")
        add(
            "--kind",
            choices=formats.KINDS,
            help="what FILE holds; needed only where its columns are those of another kind than the mechanism's",
        )
        add("--mechanism", required=True, help="a registered name, like landmark-uniform")
        add(
            "--clean",
            action="append",
            default=[],
            metavar="STEP",
            help=f"clean the series first: {', '.join(short_forms(cleaning_steps))}",
        )
        add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the mechanism")
        add("--landmarks", help=f"of trajectories, for mechanisms that read them: {LANDMARKS}")
        add("--dummies", help="mark others beside them: one-sided:2 (its level), heuristic:0.01, partitioned:0.01")
        add(
            "--then",
            action="append",
            default=[],
            metavar="STEP",
            help=f"post-processing: {', '.join(short_forms(postprocesses))}",
        )
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="how to read the file")
        add("--person", metavar="WHAT", help=PERSON)
        add(
            "--box-from-data",
            action="store_true",
            help="of check-ins: the box or the number of cells was chosen with knowledge of them",
        )
        add("--seed", help="make the run repeatable, and so not private")
        add(
            "--distributed",
            metavar="SCHEDULER",
            help="of trajectories in Parquet files (a folder or a pattern), by Dask: local:2 are two processes, else "
            "an address; --person column:NAME, and --out is a folder",
        )
        target = parser.add_mutually_exclusive_group(required=True)
        target.add_argument("--out", type=Path, help=f"where to; its extension is the format: {', '.join(EXTENSIONS)}")
        target.add_argument(
            "--forecast",
            action="store_true",
            help="print the errors to expect instead, for the owner: nothing is spent",
        )

    def run(
        self,
        *,
        file: str,
        kind: str | None,
        clean: list[str],
        mechanism: str,
        set: list[str],
        landmarks: str | None,
        dummies: str | None,
        then: list[str],
        read: list[str],
        person: str | None,
        box_from_data: bool,
        seed: str | None,
        out: Path | None,
        forecast: bool,
        distributed: str | None,
    ) -> str:
        """Do it, and return a line about what was done; the forecast as lines of a table."""
        if forecast == (out is not None):
            raise ParameterError.must_be("forecast", "given without --out, or --out without it", forecast)
        parameters = {name: value_of(text) for name, text in pairs(set, "--set").items()}
        spec = ReleaseSpec.parse(
            {
                "mechanism": {"name": mechanism, **parameters},
                "seed": None if seed is None else value_of(seed),
                "postprocess": [parse_short_step(text, postprocesses, option="--then") for text in then],
                "box_from_data": box_from_data,
            }
        )
        if distributed is not None:
            unused = {"clean": clean, "dummies": dummies, "kind": kind, "forecast": forecast}
            return _release_distributed(file, spec, pairs(read, "--read"), person, landmarks, out, distributed, unused)
        fmt = None if out is None else by_ending(out, datatypes[spec.mechanism.kind].extensions)
        if kind is not None:
            spec.checked(kind)
        cleaning = parse_cleaning([step for text in clean for step in _cleaning(text)])
        if not datatypes[spec.mechanism.kind].has_landmarks:
            _refuse_unused(spec.mechanism.kind, landmarks=landmarks, dummies=dummies, clean=clean, then=then)
            return _release_other(file, kind, spec, reading(read, person), fmt, out)
        if landmarks is None:
            _refuse_without_landmarks(spec, dummies)
        method = None if landmarks is None else parse_short(landmarks, read=lambda name: Path(name).read_bytes())
        beside = None if dummies is None else parse_short_dummies(dummies, seed=spec.seed)
        data = formats.read(file, **reading(read, person))
        series, done = cleaned(data.series, cleaning)
        marks = Marks.none(series) if method is None else Marks.of(series, method, beside)
        if out is None or fmt is None:
            return f"{datatypes[Trajectory.kind].forecast(spec, series, marks.sets)}{_reading_text(data.report, done)}"
        made = release_trajectories(
            spec, series, marks, cleaning=cleaning, done=done, decisions=Decisions.of(data.report)
        )
        write_whole(out, partial(made.write, fmt))
        return _summary(made, marks) + _reading_text(data.report, done)


def _release_distributed(
    source: str,
    spec: ReleaseSpec,
    columns: dict[str, str],
    person: str | None,
    landmarks: str | None,
    out: Path | None,
    scheduler: str,
    unused: dict[str, Any],
) -> str:
    for name, value in unused.items():
        if value:
            raise ParameterError.must_be(f"--{name}", "left out with --distributed", got=False)
    if unknown := set(columns) - {"lon", "lat", "time", "invalid"}:
        raise ParameterError.must_be("--read", "lon, lat, time or invalid with --distributed", min(unknown))
    kind, _, column = (person or "").partition(":")
    if kind != "column" or not column:
        raise ParameterError.must_be("--person", "column:NAME with --distributed", person)
    assert out is not None
    named: dict[str, Any] = {**columns}
    labels = release_partitions(source, spec, person=column, out=out, landmarks=landmarks, scheduler=scheduler, **named)
    return f"{quantity(len(labels), 'file')}, each with its label. {labels[0]['text']}."


def _summary(made: LabelledRelease, marks: Marks) -> str:
    points, count = sum(map(len, marks.sets)), sum(landmarks.count for landmarks in marks.sets)
    published = sum(len(part.series) for part in made.published)
    share = count / points if points else 0.0
    marked = f" {count:,} landmarks ({share:.1%})," if marks.method else ""
    then = "".join(f" Then {step.title}, which costs nothing." for step in made.spec.postprocess)
    return f"{points:,} points,{marked} {published:,} published. {made.statement}{then}"


def _refuse_without_landmarks(spec: ReleaseSpec, dummies: str | None) -> None:
    if spec.mechanism.reads_landmarks:
        rule = f"required for {spec.mechanism.name}, which reads landmarks"
        raise ParameterError(f"--landmarks is {rule}: {LANDMARKS}".replace("%%", "%"), field="landmarks", rule=rule)
    if dummies is not None:
        rule = "left out without --landmarks"
        raise ParameterError(f"--dummies must be {rule}", field="dummies", rule=rule, value=dummies)


def _reading_text(report: formats.Report, done: list[Done]) -> str:
    """What was left out, what cleaning did, and how the people were guessed where that matters."""
    guesses = [f"{guess['message']} --person changes it." for guess in report.guesses if guess["option"] == "person"]
    parts = [report.dropped_text, *(f"{step.title}: {step.message}" for step in done), *guesses]
    return "".join(f" {part}" for part in parts if part)


def _refuse_unused(kind: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            rule = "left out for other data than trajectories"
            raise ParameterError(f"--{name} must be {rule}; the mechanism is for {kind}", field=name, rule=rule)


def _release_other(
    file: str, kind: str | None, spec: ReleaseSpec, options: dict[str, Any], fmt: str | None, out: Path | None
) -> str:
    """Release data without landmarks, and return what was done in a line; without ``out`` the forecast."""
    datatype = datatypes[spec.mechanism.kind]
    read = formats.read(file, kinds=(datatype.kind,), **options)
    if kind is None:
        _refuse_other_columns(read.report, datatype.kind)
    assert read.other is not None
    if out is None or fmt is None:
        return f"{datatype.forecast(spec, read.other)}{_reading_text(read.report, [])}"
    made = release_other(spec, read.other, decisions=Decisions.of(read.report))
    write_whole(out, partial(made.write, fmt))
    return f"{quantity(len(read), datatype.item)}. {made.statement}{_reading_text(read.report, [])}"


def _refuse_other_columns(report: formats.Report, kind: str) -> None:
    """Require --kind where the columns are those of another kind: these may be positions, not counts."""
    for note in report.notes:
        if note["code"] == formats.OTHER_COLUMNS:
            rule = f"given for this file: --kind {kind} if it does hold {formats.table_kinds[kind].title}"
            raise ParameterError(f"--kind must be {rule}. {note['message']}", field="kind", rule=rule)


def _cleaning(text: str) -> list[Any]:
    """Cleaning steps as JSON, as the API takes them, or a step by its short form."""
    if not text.lstrip().startswith(("[", "{")):
        return [parse_short_step(text, cleaning_steps, option="--clean")]
    try:
        steps = json.loads(text)
    except (ValueError, RecursionError):
        raise ParameterError("--clean must be JSON text", field="clean", rule="JSON text", value=text) from None
    return steps if isinstance(steps, list) else [steps]
