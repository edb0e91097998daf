"""``manage.py release FILE …``: one release from a file to a file; no server, no database, no broker."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dashboard.core.cli import PERSON, LineCommand, pairs, reading, value_of, write_whole
from privacy_engine import formats
from privacy_engine.analysis.forecast import noise_p95_m
from privacy_engine.cleaning import Done, cleaning_steps, parse_cleaning, stability_of
from privacy_engine.cleaning import clean as cleaned
from privacy_engine.component import Component
from privacy_engine.data import KINDS, CountStream, LandmarkSet, Release, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError
from privacy_engine.hierarchy import natural
from privacy_engine.label import NOT_PRIVATE, privacy_label, release_context
from privacy_engine.landmarks import MarkedBeside, parse_short, parse_short_dummies
from privacy_engine.mechanism import NO_CONTEXT
from privacy_engine.mechanisms import landmark  # noqa: F401  (registers the mechanisms)
from privacy_engine.people import largest_total, most_landmarks, people
from privacy_engine.postprocess import postprocesses
from privacy_engine.promise import Context
from privacy_engine.registry import Registry
from privacy_engine.spec import ReleaseSpec, for_counts

EXAMPLE = """\
example:
  manage.py release walk.gpx --mechanism landmark-uniform --set epsilon=1 --set radius_m=200 \\
    --landmarks stay-points:200m:30min --then ou-smoother --out walk.csv

--clean and --then may come again: the steps follow one another. What --then names reads the release only, so it
spends nothing. What --clean names is done before landmarks are marked, and the label states it; it may also be the
JSON of the API's cleaning: --clean '[{"name": "drop-jumps", "highest_km_h": 200}]'.
Without --seed the noise comes from the operating system. With it the release can be repeated, and is not private.
"""
LANDMARKS = (
    "schedule:mon-fri:22:00-06:00@Europe/Paris, stay-points:200m:30min, manual:0,2,4 (manual: for none), "
    "zones:FILE.geojson, column (marked in FILE itself) or synthetic:20%%:uniform:1"
)


class Command(LineCommand):
    help = "Release a file without a server: read, define landmarks (of trajectories), add noise, write."
    example = EXAMPLE
    arguments = (
        "file",
        "kind",
        "clean",
        "mechanism",
        "set",
        "landmarks",
        "dummies",
        "then",
        "read",
        "person",
        "seed",
        "out",
    )
    place = "file"

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("file", metavar="FILE", type=Path, help="in any format that Cairn reads, of the mechanism's kind of data")
        add(
            "--kind",
            choices=KINDS,
            help="what FILE holds; needed only where its columns are those of another kind than the mechanism's",
        )
        add("--mechanism", required=True, help="a registered name, like landmark-uniform")
        add(
            "--clean",
            action="append",
            default=[],
            metavar="STEP",
            help=f"clean the series first: {', '.join(_shorts(cleaning_steps))}",
        )
        add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the mechanism")
        add("--landmarks", help=f"of trajectories: {LANDMARKS}")
        add("--dummies", help="mark others beside them: one-sided:2 (its level), heuristic:0.01, partitioned:0.01")
        add(
            "--then",
            action="append",
            default=[],
            metavar="STEP",
            help=f"post-processing: {', '.join(_shorts(postprocesses))}",
        )
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="how to read the file")
        add("--person", metavar="WHAT", help=PERSON)
        add("--seed", help="make the run repeatable, and so not private")
        add(
            "--out", required=True, type=Path, help=f"where to; its extension is the format: {', '.join(_extensions())}"
        )

    def run(self, **options: Any) -> str:
        return _release(**options)


def _release(
    *,
    file: Path,
    kind: str | None,
    clean: list[str],
    mechanism: str,
    set: list[str],
    landmarks: str | None,
    dummies: str | None,
    then: list[str],
    read: list[str],
    person: str | None,
    seed: str | None,
    out: Path,
) -> str:
    """Do it, and return one line about what was done."""
    parameters = {name: value_of(text) for name, text in pairs(set, "--set").items()}
    spec = ReleaseSpec.parse(
        {
            "mechanism": {"name": mechanism, **parameters},
            "seed": None if seed is None else value_of(seed),
            "postprocess": [_step(text, postprocesses, "--then") for text in then],
        }
    )
    fmt = _format_of(out, spec.mechanism.kind)
    if kind is not None:
        spec.checked(kind)
    cleaning = parse_cleaning([step for text in clean for step in _cleaning(text)])
    if spec.mechanism.kind != Trajectory.kind:
        _refuse_unused(spec.mechanism.kind, landmarks=landmarks, dummies=dummies, clean=clean, then=then)
        return _release_other(file, kind, spec, reading(read, person), fmt, out)
    if landmarks is None:
        rule = "required for trajectories"
        raise ParameterError(f"--landmarks is {rule}: {LANDMARKS}".replace("%%", "%"), field="landmarks", rule=rule)
    method = parse_short(landmarks, read=lambda name: Path(name).read_bytes())
    beside = None if dummies is None else parse_short_dummies(dummies, seed=spec.seed)
    found = formats.read(file, **reading(read, person))
    series, done = cleaned(found.series, cleaning)
    marks = method.mark(series)
    if beside:
        marks = [LandmarkSet(one.mask) for one in beside.select(marks)]
    drawn = spec.release(series, marks)
    persons = people(series)
    masks = [person.joined_mask([one.mask for one in marks]) for person in persons]
    context = release_context(
        landmarks=most_landmarks(masks),
        method=method,
        beside=None if beside is None else MarkedBeside(beside.private, beside.method.one_sided_level),
        cleaning=cleaning,
        stability=stability_of(done),
        whole_trace=largest_total([person.joined_values([one.budgets for one in drawn]) for person in persons]),
        noise_p95_m=None if spec.postprocess else noise_p95_m(spec.mechanism, masks),
    )
    private = all(one.private for one in drawn)
    data_type = datatypes[Trajectory.kind]
    digest = data_type.digest(drawn)
    label = privacy_label(spec, context, private=private, cleaning=cleaning, sha256=digest)
    write_whole(out, partial(data_type.write, drawn, fmt, label=label))
    return _summary(spec, context, marks, drawn) + _reading_text(found.report, done)


def _summary(spec: ReleaseSpec, context: Context, marks: list[LandmarkSet], drawn: list[Release]) -> str:
    points, count = sum(map(len, marks)), sum(one.count for one in marks)
    published = sum(len(one.series) for one in drawn)
    statement = spec.mechanism.guarantee(context).statement if spec.private else f"{NOT_PRIVATE}."
    share = count / points if points else 0.0
    then = "".join(f" Then {step.title}, which costs nothing." for step in spec.postprocess)
    return f"{points:,} points, {count:,} landmarks ({share:.1%}), {published:,} published. {statement}{then}"


def _reading_text(report: formats.Report, done: list[Done]) -> str:
    """What cleaning did, and how the people were guessed where that matters."""
    guesses = [f"{one['message']} --person changes it." for one in report.guesses if one["option"] == "person"]
    return "".join(f" {part}" for part in [*(f"{one.title}: {one.message}" for one in done), *guesses])


def _refuse_unused(kind: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            rule = "left out for other data than trajectories"
            raise ParameterError(f"--{name} must be {rule}; the mechanism is for {kind}", field=name, rule=rule)


def _release_other(
    file: Path, kind: str | None, spec: ReleaseSpec, options: dict[str, Any], fmt: str, out: Path
) -> str:
    """Release a count stream or check-ins, and return what was done in one line."""
    found = datatypes[spec.mechanism.kind]
    read = formats.read(file, kinds=(found.kind,), **options)
    if kind is None:
        _refuse_other_columns(read.report, found.kind)
    context = NO_CONTEXT
    if isinstance(read.other, CountStream):
        counted = read.other.counted
        spec = for_counts(spec, counted, natural(read.other.names, on_a_grid=counted is not None))
        context = Context.of_counts(counted)
    drawn = found.release(spec, read.other)
    label = privacy_label(spec, context, private=drawn.private, sha256=found.digest(drawn))
    write_whole(out, partial(found.write, drawn, fmt, label=label))
    statement = spec.mechanism.guarantee(context).statement if spec.private else f"{NOT_PRIVATE}."
    return f"{len(read):,} {found.items}. {statement}"


def _refuse_other_columns(report: formats.Report, kind: str) -> None:
    """Require --kind where the columns are those of another kind: these may be positions, not counts."""
    for note in report.notes:
        if note["code"] == formats.OTHER_COLUMNS:
            rule = f"given for this file: --kind {kind} if it does hold {formats.TITLES[kind]}"
            raise ParameterError(f"--kind must be {rule}. {note['message']}", field="kind", rule=rule)


def _extensions(kind: str = Trajectory.kind) -> dict[str, str]:
    return {f".{one.extension.lstrip('.')}": name for name, one in datatypes[kind].exports.items()}


def _format_of(out: Path, kind: str) -> str:
    known = _extensions(kind)
    if out.suffix.lower() not in known:
        rule = f"a file name that ends in {', '.join(known)}"
        raise ParameterError(f"--out must be {rule}, got {out.name!r:.60}", field="out", rule=rule, value=out.name)
    return known[out.suffix.lower()]


def _shorts(steps: Registry[Any]) -> list[str]:
    """The short form of every step: ou-smoother, causal-filter:STEP_VARIANCE_M2."""
    return [":".join([cls.registered_name(), *(field["name"].upper() for field in cls.fields())]) for cls in steps]


def _step(text: str, steps: Registry[Any], option: str) -> dict[str, Any]:
    """A step by its short form: its name and, in their order, its parameters; those at the end may be left out."""
    name, *values = text.split(":")
    cls: type[Component] | None = next((one for one in steps if one.registered_name() == name), None)
    fields = cls.fields() if cls else []
    if cls is None or len(values) > len(fields):
        rule = f"one of {', '.join(_shorts(steps))}"
        raise ParameterError(
            f"{option} must be {rule}, got {text!r:.60}", field=option.removeprefix("--"), rule=rule, value=text
        )
    given = zip(fields, values, strict=False)
    return {"name": name} | {field["name"]: value if field["text"] else value_of(value) for field, value in given}


def _cleaning(text: str) -> list[Any]:
    """Cleaning steps as JSON, as the API takes them, or one by its short form."""
    if not text.lstrip().startswith(("[", "{")):
        return [_step(text, cleaning_steps, "--clean")]
    try:
        steps = json.loads(text)
    except (ValueError, RecursionError):
        raise ParameterError("--clean must be JSON text", field="clean", rule="JSON text", value=text) from None
    return steps if isinstance(steps, list) else [steps]
