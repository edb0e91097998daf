"""``cairn experiment PRESET|SPEC.json``: an experiment to a folder; no server, no database, no broker."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from privacy_engine import experiments, formats
from privacy_engine.commands.base import PERSON, Command, CommandFailed, interruptible, pairs, progress_bar, reading
from privacy_engine.core.plurals import quantity
from privacy_engine.core.step_text import value_of
from privacy_engine.errors import ParameterError
from privacy_engine.experiments import AS_THEY_ARE, ExperimentSpec, FolderStore, Preset, presets
from privacy_engine.releases.label import NOT_PRIVATE

EXAMPLE = f"""\
presets:
{chr(10).join(f"  {cls.registered_name():22} {cls.summary}" for cls in presets)}

examples:
  cairn experiment error-tdrive --out figure --workers 2
  cairn experiment error-geolife 000/*.plt --set marks=stay-points --set repetitions=20 --out figure
  cairn experiment figure/spec.json walk.gpx --set seed=2 --out again
  cairn experiment stream-epsilon counts.csv --out figure
  cairn experiment recommendation-epsilon checkins.csv.gz --set side=16 --out figure

DIR gets table.parquet, table.csv, table.tex (pgfplots) and spec.json, which can be run again and gives the same table:
it names the series of the files it takes, and what it generates without any. Finished blocks are stored
in DIR/blocks: an experiment that was stopped goes on there, and one that shares cells with it takes them over (--keep).
"""


class Experiment(Command):
    help = "Run an experiment without a server: a grid of parameters, each repeated, to a table."
    example = EXAMPLE
    place = "out"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("what", metavar="PRESET|SPEC.json", help="a preset's name, or a file with a spec")
        add("files", metavar="FILE", type=Path, nargs="*", help="data of its kind; without any they are generated")
        add(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="repetitions, seed, or what a preset takes"
        )
        add(
            "--like",
            metavar="PRESET",
            help="whose generated data a SPEC.json without “series” and FILE takes (default: error-tdrive)",
        )
        add("--read", action="append", default=[], metavar="NAME=VALUE", help="how to read the files")
        add("--person", metavar="WHAT", help=PERSON)
        add("--workers", type=int, default=1, metavar="N", help="processes that compute")
        add("--keep", type=Path, metavar="DIR", help="where what is done is kept (default: blocks in --out)")
        add("--out", required=True, type=Path, metavar="DIR", help="the folder to write to")

    def execute(self, options: dict[str, Any]) -> None:
        try:
            with interruptible() as self.check:  # called after each block
                super().execute(options)
        except KeyboardInterrupt:
            raise CommandFailed("stopped; the same command goes on from here", code=130) from None

    def run(
        self,
        *,
        what: str,
        files: list[Path],
        set: list[str],
        like: str | None,
        read: list[str],
        person: str | None,
        workers: int,
        keep: Path | None,
        out: Path,
    ) -> str:
        if not 1 <= workers <= 256:
            rule = "must be from 1 to 256"
            raise ParameterError(f"--workers {rule}, got {workers}", field="workers", rule=rule, value=workers)
        chosen = {name: value_of(text) for name, text in pairs(set, "--set").items()}
        how = reading(read, person)
        spec, given = _chosen(what, chosen, like, files, how)
        data = experiments.data_of(spec, given)
        store = FolderStore(keep or out / "blocks")
        out.mkdir(parents=True, exist_ok=True)
        show = progress_bar(self.err)

        def watch(done: int, blocks: int) -> None:
            self.check()
            show(done / blocks, f"{done:,} of {blocks:,} blocks")

        table = experiments.run(spec, given, store, workers=workers, watch=watch)
        experiments.write(table, spec, out)
        kind = spec.cell_type
        items = kind.items_of(spec.sizes(kind.sizes_of(data)))
        counts = ((len(spec.cells()), "cell"), (spec.repetitions, "repetition"), (items, kind.item))
        summary = ", ".join(quantity(count, noun) for count, noun in counts)
        return f"{summary}. {NOT_PRIVATE}, seed {spec.seed}."


def _chosen(
    what: str, chosen: dict[str, Any], like: str | None, files: list[Path], how: dict[str, Any]
) -> tuple[ExperimentSpec, Any]:
    """The experiment, which states what it is run on, and the data of the files."""
    if not what.endswith(".json"):
        preset: Preset = presets.parse({"name": what} | chosen)
        given = _read(preset.kind, files, how)
        return preset.spec(experiments.given_of(preset.kind, given)), given
    try:
        description = json.loads(Path(what).read_bytes())
    except (ValueError, RecursionError):
        raise ParameterError(f"{what} must be JSON text", field="spec", rule="JSON text") from None
    if not isinstance(description, dict):
        raise ParameterError(f"{what} must be an object", field="spec", rule="object")
    spec = ExperimentSpec.parse(description | chosen)
    given = _read(spec.kind, files, how)
    if not spec.cell_type.takes_series:
        _must_be_missing(like, f"the spec is for the kind {spec.kind}")
        return spec, given
    generated = presets.of(spec.kind).parse({"name": like or "error-tdrive"}, field="like").selection()
    if spec.series is None:
        return spec.on(AS_THEY_ARE if given else generated), given
    _must_be_missing(like, "the spec names its data")
    return spec, given


def _must_be_missing(like: str | None, why: str) -> None:
    if like is not None:
        rule = f"must be left out: {why}"
        raise ParameterError(f"--like {rule}", field="like", rule=rule, value=like)


def _read(kind: str, files: list[Path], how: dict[str, Any]) -> Any:
    """The data of the files: a list of series, or an object of another kind, or None without files."""
    if experiments.cells[kind].takes_series:
        return [track for file in files for track in formats.read(file, **how).series]
    if len(files) > 1:
        rule = f"must be one file for the kind {kind}"
        raise ParameterError(f"FILE {rule}, got {len(files)}", field="files", rule=rule, value=len(files))
    return formats.read(files[0], kinds=(kind,), **how).other if files else None
