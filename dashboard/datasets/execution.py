"""What it takes to make an upload a dataset. The same work in a request, in a worker and in a command."""

import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from django.conf import settings

from dashboard.core.database_errors import patiently
from dashboard.core.errors import must_be
from dashboard.core.text import one_line, storable
from dashboard.datasets import evidence, lineage, matching, thumbnails
from dashboard.datasets.models import Dataset, DatasetPart, kind_text
from dashboard.datasets.signals import imported
from dashboard.datasets.trajectory import parts as of_people
from dashboard.datasets.trajectory import steps
from dashboard.jobs import leases, parts
from dashboard.jobs.models import State
from dashboard.storage import data_files, part_files
from dashboard.storage.stored_path import Source, located
from privacy_engine import formats
from privacy_engine.aggregation import AggregationSpec, Events, aggregate, events_of
from privacy_engine.aggregation.stays import StaySpec, stays_of
from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import FormatError
from privacy_engine.formats.decisions import Decisions

NOTHING: Mapping[str, Any] = MappingProxyType({})
UNPACKED = 4
READ, STORED, COMPARED, REGISTERED = 0.5, 0.55, 0.9, 0.95
"""The share of the work that is over after each stage."""
Data = Sequence[Trajectory] | CountStream | CheckIns


class Read(NamedTuple):
    """A file as it was read and cleaned: its data, the report, what identifies the upload before any cleaning.

    ``decisions`` are what was determined of how to read it.
    """

    data: Data
    report: dict[str, Any]
    evidence: evidence.Evidence
    decisions: Decisions


def run(pk: Any) -> bool:
    """Read the upload of a dataset, or make it of the dataset that it is derived from; False if it did not wait."""
    row = leases.run(Dataset, pk, lambda row, lease: _work_of(row)(row, lease))
    if row is None:
        return False
    patiently(lambda: part_files.clear(row))
    if dataset := Dataset.objects.filter(pk=pk, state=State.READY).first():
        imported.send(Dataset, dataset=dataset)
    return True


def run_part(pk: Any) -> bool:
    """Work off a part of an import; False if it did not wait."""
    return parts.run_part(DatasetPart, pk, of_people.work, part_files.clear_part)


def _work_of(row: Dataset) -> Callable[[Dataset, leases.Lease], dict[str, Any]]:
    if row.aggregation is not None:
        return count_events
    return import_points if row.stay_detection is None else detect_stays


def count_events(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
    """Count the events of the source of a claimed row and store the counts: the columns to finish it with."""
    source = _source(row)
    lease.report("Reading the events", 0.1)
    spec = AggregationSpec.parse(row.aggregation)
    cut = of_people.Claimed(row, lease, run_part, lease.reporting("Counting the events", 0.1, 0.8))
    counts = cut.counts(source, spec, cleaning_names(source)) or aggregate(read_events(source), spec)
    lease.report("Storing the counts", 0.8)
    made = {"size": counts.size._asdict()}
    return _stored(row, lease, counts.stream, made) | {"decided": source.decided}


def detect_stays(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
    """Detect the stays in the source of a claimed row and store them as check-ins: the columns to finish it with."""
    source, spec = _source(row), StaySpec.parse(row.stay_detection)
    lease.report("Detecting the stays", 0.1)
    stays = stays_of(data_files.cached_data(source.kind, source.points_path), spec)
    lease.report("Storing the check-ins", 0.8)
    made = spec.described(cleaning_names(source)).as_dict()
    return _stored(row, lease, stays, {"stays": made}) | {"decided": source.decided}


def _source(row: Dataset) -> Dataset:
    """The dataset that a row is to be made of."""
    if row.counted_from is None:
        rule = "a dataset that is still there"
        raise FormatError("The dataset that this one was to be made of was deleted.", code="source-gone", rule=rule)
    return row.counted_from


def _stored(row: Dataset, lease: leases.Lease, data: CountStream | CheckIns, report: dict[str, Any]) -> dict[str, Any]:
    """Store the ``data`` of a claimed row: the columns to finish it with, among them ``report``."""
    fields = store(row.folder, data, token=lease.token, kind=data.kind)
    if not lease.rows().exists():  # deleted meanwhile: leave nothing
        (row.folder / fields["points_file"]).unlink()
        raise leases.LeaseLost
    return fields | {"report": {"kind": data.kind, "cleaning": [], **report}}


def read_events(dataset: Dataset) -> Events:
    """Return the events of a dataset that is ready; errors of :func:`privacy_engine.aggregation.events_of`."""
    return events_of(data_files.cached_data(dataset.kind, dataset.points_path), cleaning_names(dataset))


def cleaning_names(dataset: Dataset) -> list[str]:
    """Return the names of the cleaning steps of a dataset; of stays those before the detection."""
    before = (dataset.report or {}).get("stays", {}).get("cleaned", [])
    return [*before, *(step["name"] for step in dataset.cleaning)]


def import_points(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
    """Read the original of a claimed row and store its points: the columns to finish it with."""
    parsed = read(
        row.original_path,
        name=row.file_name,
        options=row.options,
        cleaning=row.cleaning,
        kind=kind_of_reading(row),
        decided=row.decided,
        watch=lease.reporting("Reading the file", end=READ),
        sketches=None if row.cleaning else evidence.Sketches(),  # of what is stored: that is what was read
    )
    lease.report("Storing the points", READ)
    cut = of_people.Claimed(row, lease, run_part, lease.reporting("Measuring the points", STORED, COMPARED))
    found, sketches, row.kind = parsed.evidence, list[evidence.Sketches](), parsed.evidence.kind
    measured = partial(cut.facts, sketched=None if row.cleaning else sketches.append)
    fields = store(row.folder, parsed.data, token=lease.token, kind=row.kind, in_parts=measured)
    if not row.cleaning:
        found = replace(found, sketches=sketches[0] if sketches else evidence.Sketches.of(row.kind, parsed.data))
    if not lease.rows().exists():  # deleted or replaced while we read: leave nothing
        (row.folder / fields["points_file"]).unlink()
        raise leases.LeaseLost
    lease.report("Comparing with earlier uploads", COMPARED)
    matching.prepare(row.owner_id, found)
    file = lineage.register(owner_id=row.owner_id, evidence=found, content_digest=fields["content_digest"])
    lease.report("Preparing its page", REGISTERED)
    row.points_file, row.points, row.summary = (fields[name] for name in ("points_file", "points", "summary"))
    steps.prepare(row)
    return fields | read_columns(parsed) | {"source_file": file}


def kind_of_reading(row: Dataset) -> str:
    """The kind that a file is read as, as decided before; empty where the columns are to decide."""
    return row.requested_kind or (row.kind if row.decided else "")


def read_columns(parsed: Read) -> dict[str, Any]:
    """The columns that follow from reading and cleaning."""
    stability = math.prod(step["stability"] for step in parsed.report["cleaning"])
    return {"report": parsed.report, "stability": stability, "decided": parsed.decisions.as_dict()}


def import_now(
    path: Source,
    *,
    folder: Source,
    name: str,
    options: Mapping[str, Any],
    cleaning: Sequence[Any] = (),
    kind: str,
    decided: Mapping[str, Any] = NOTHING,
) -> dict[str, Any]:
    """The same at once, without a row: read ``path``, store the points in ``folder``, return the columns.

    ``evidence`` is among them, which :func:`dashboard.datasets.lineage.register` makes the column ``source_file``.
    """
    parsed = read(path, name=name, options=options, cleaning=cleaning, kind=kind, decided=decided)
    fields = store(folder, parsed.data, token=uuid.uuid4(), kind=parsed.evidence.kind)
    return fields | read_columns(parsed) | {"evidence": parsed.evidence}


def read(
    path: Source,
    *,
    name: str,
    options: Mapping[str, Any],
    cleaning: Sequence[Any] = (),
    kind: str,
    decided: Mapping[str, Any] = NOTHING,
    watch: Callable[[float], None] | None = None,
    sketches: evidence.Sketches | None = None,
) -> Read:
    """Read a file as data of ``kind`` (empty: as the kind that its columns show), and clean them.

    What an earlier reading with the same options ``decided`` is not decided again; empty: it is to be decided.
    ``sketches`` stand in the evidence in place of those of the data.

    Raises
    ------
    FormatError
        It cannot be read, or holds no data.
    DataError
        A step of the cleaning cannot be done on these data.
    ParameterError
        There are cleaning steps for data that take none.
    """
    earlier = Decisions(**decided) if decided else None
    values = options if earlier is None else earlier.values(options)
    kinds = (kind,) if kind else tuple(datatypes)
    with located(path) as local:
        with local.open("rb") as file:
            reading = formats.read(file, name=name, limits=_limits(), kinds=kinds, watch=watch, **values)
        if not len(reading):
            raise FormatError(
                "The file holds no position that could be read.", code="no_points", rule="at least 1 point"
            )
        steps, report = parse_cleaning(cleaning), storable(reading.report.as_dict()) | {"kind": reading.kind}
        decisions = Decisions(**storable(Decisions.of(reading.report, earlier).as_dict()))
        del report["decided"], report["series"]  # that has a column, and these are read from the points
        report["guesses"] = decisions.guesses
        data, report["cleaning"] = reading.data, []
        if datatypes[reading.kind].cleaned:
            data, done = clean(data, steps)
            report["cleaning"] = [step.as_dict() for step in done]
        elif steps:
            rule = f"empty for {' and '.join(kind_text(kind) for kind, each in datatypes.items() if not each.cleaned)}"
            raise must_be("cleaning", rule)
        found = evidence.evidence_of(local, reading.data, reading.kind, sketches=sketches)
        return Read(data, report, found, decisions)


def preview(
    path: Source, *, name: str, options: Mapping[str, Any], kind: str, decided: Mapping[str, Any] = NOTHING
) -> formats.Preview:
    """The first rows of the file and how they would be read; only its beginning is looked at.

    What was ``decided``, and an empty ``kind``, are used as :func:`read` does.

    Raises
    ------
    FormatError
        No table can be made out in it.
    """
    with located(path) as local, local.open("rb") as file:
        values, kinds = Decisions(**decided).values(options), (kind,) if kind else tuple(datatypes)
        return formats.preview(file, name=name, limits=_limits(), kinds=kinds, **values)


def _limits() -> formats.Limits:
    """What is taken packed may be four times as large unpacked, within the usual limit."""
    usual, largest = formats.Limits(), settings.CAIRN_UPLOAD_BYTES
    total = max(largest, min(UNPACKED * largest, usual.total))
    return replace(usual, total=total, whole=min(usual.whole, total))


def store(
    folder: Source, data: Data, *, token: uuid.UUID, kind: str, in_parts: Callable[[Any], Any] = lambda _: None
) -> dict[str, Any]:
    """Write the data into ``folder`` under a name of this attempt's own; the columns that describe them.

    ``in_parts(path)`` returns the facts of what is stored at ``path``, or None where they are to be computed here.
    """
    name, datatype = f"points-{token}.parquet", datatypes[kind]
    data_files.write_data(kind, folder / name, data)
    try:
        known = in_parts(folder / name) or datatype.facts(data)
    except BaseException:  # stopped meanwhile, as long as it takes: leave nothing
        (folder / name).unlink()
        raise
    return {
        "kind": kind,
        "points": datatype.size(data),
        "points_file": name,
        "summary": storable(known.model_dump(), one_line),
        "content_digest": datatype.keyed_digest(data, settings.SECRET_KEY),
        "thumbnail": thumbnails.path_of(kind, data),
    }
